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
 * Uploads the files, then queues the job with one POST. The three URLs are stored as given: the
 * queue's paths omit everything after owner and alias, so they can't be built from the model's id.
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

/** If the connection breaks within a submit's response, the job is accepted but its id is lost. */
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
