import { type CallContext, type JobHandle, ProviderError } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, givenUrl, readJson } from "../call.ts";
import { readResult } from "./result.ts";
import { readStatus } from "./status.ts";

/**
 * True when the job will not run. fal removes a waiting job from the queue; to a running one it
 * only passes the request on, whose effect shows in the job's own result.
 * @throws ProviderError when fal can't be reached
 */
export async function cancelJob(handle: JobHandle, context: CallContext): Promise<boolean> {
  let answer: unknown;
  try {
    const response = await callFal(context, givenUrl(context, handle.urls.cancel ?? ""), {
      phase: "job",
      method: "PUT",
    });
    answer = await readJson(response, "job");
  } catch (error) {
    // 400 ALREADY_COMPLETED, 404 NOT_FOUND.
    if (
      error instanceof ProviderError &&
      (error.detail.httpStatus === 400 || error.detail.httpStatus === 404)
    )
      return false;
    throw error;
  }
  if (!isRecord(answer)) return false;
  if (answer.status === "OK" || answer.success === true) return true;
  // CANCELLATION_REQUESTED: a queued job was removed; a started one may still finish and be billed.
  if (answer.status !== "CANCELLATION_REQUESTED") return false;
  const { state } = await readStatus(handle, context);
  return state === "queued" || (state === "done" && (await wasCancelled(handle, context)));
}

async function wasCancelled(handle: JobHandle, context: CallContext): Promise<boolean> {
  try {
    await readResult(handle, context);
    return false;
  } catch (error) {
    if (error instanceof ProviderError && error.detail.final === true)
      return error.detail.reason === "client_cancelled";
    throw error;
  }
}
