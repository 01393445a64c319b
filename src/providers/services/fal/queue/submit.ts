import {
  type JobHandle,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson } from "../call.ts";
import { toFalCall } from "../input.ts";

/**
 * Uploads the files, then puts the job into the queue with one POST. The three addresses are kept as given: the queue's
 * own paths leave out what follows owner and alias, so they can't be built from the model's id.
 */
export async function submitJob(request: RunRequest, context: RunContext): Promise<JobHandle> {
  const { json, headers } = await toFalCall(request, context);
  const url = falUrl(context, "queue", request.model.id);
  if (context.webhookUrl) url.searchParams.set("fal_webhook", context.webhookUrl);
  const response = await callFal(context, url, { phase: "submit", method: "POST", json, headers });
  const answer = await readAnswer(response);
  const { request_id: id, status_url: status, response_url: result, cancel_url: cancel } = answer;
  if (
    typeof id !== "string" ||
    typeof status !== "string" ||
    typeof result !== "string" ||
    typeof cancel !== "string"
  ) {
    throw new ProviderError("outcome_unknown", "unknown", {
      httpStatus: response.status,
      ...(typeof id === "string" && { requestId: id }),
    });
  }
  return { id, urls: { status, result, cancel } };
}

/** A line that breaks inside the answer of a submit leaves the job taken and its id unheard. */
async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  try {
    const answer = await readJson(response, "submit");
    return isRecord(answer) ? answer : {};
  } catch (error) {
    if (error instanceof ProviderError && error.code === "provider_protocol") throw error;
    throw new ProviderError(
      "outcome_unknown",
      "unknown",
      { httpStatus: response.status },
      { cause: error },
    );
  }
}
