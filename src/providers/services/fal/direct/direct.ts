import type { AnswerPart, RunContext, RunRequest } from "../../../adapter.ts";
import { callFal, falUrl } from "../call.ts";
import { toFalCall } from "../input.ts";
import { toJobResult } from "../queue/result.ts";

/** fal bills a request by this id. */
export function nameRequest({ headers }: Response, context: RunContext): void {
  const id = headers.get("x-fal-request-id");
  if (id) context.named?.(id);
}

/**
 * Runs without the queue: one POST whose response is the output, for models served that way. A lost
 * response leaves the outcome unknown, because there is no id to poll.
 */
export async function* runDirectly(
  request: RunRequest,
  context: RunContext,
): AsyncIterable<AnswerPart> {
  const { json, headers } = await toFalCall(request, context);
  const response = await callFal(context, falUrl(context, "run", request.model.id), {
    phase: "submit",
    method: "POST",
    json,
    headers,
  });
  nameRequest(response, context);
  const { files, result, usage } = await toJobResult(response, "submit", context);
  for (const output of files) yield { type: "file", output };
  yield { type: "finish", reason: "stop", usage, result };
}
