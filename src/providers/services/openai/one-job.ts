import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobAdapter,
  type JobHandle,
  type JobStatus,
  ProviderError,
} from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions, toHttpError } from "../../wire/http-errors.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { authorization, endpoint } from "../openai-compatible/access.ts";
import { classify } from "../openai-compatible/errors.ts";

/** A kind of job under its own path, named by the handle's `kind`. */
export type OneJob = Omit<JobAdapter, "handleOf" | "idField" | "follow">;

/**
 * Reads or changes a job.
 * @throws ProviderError; a missing job is final
 */
export async function askAbout(
  context: CallContext,
  handle: JobHandle,
  path = "",
  method: "GET" | "POST" | "DELETE" = "GET",
): Promise<Record<string, unknown>> {
  const url = endpoint(context, `/${handle.urls.kind}/${encodeURIComponent(handle.id)}${path}`);
  const headers = { accept: "application/json", ...authorization(context) };
  const response = await context.fetch(url, unpaid({ method, headers, signal: context.signal }));
  // Polling and canceling are free. Their responses prove nothing about a paid request.
  const question = readOptions(context, "GET");
  if (!response.ok) {
    const error = await toHttpError(response, question, classify);
    throw isGone(error) ? lostJob(error) : error;
  }
  const body = await readJson(response, question);
  if (isRecord(body)) return body;
  throw new ProviderError("provider_protocol", "yes", {
    message: sentences.runs.unknownAnswer,
  });
}

/**
 * Returns the handle from a submit's response.
 * @throws `outcome_unknown` without one
 */
export function toHandle(
  kind: "videos" | "responses",
  body: unknown,
  httpStatus: number,
): JobHandle {
  if (isRecord(body) && typeof body.id === "string" && body.id)
    return { id: body.id, urls: { kind } };
  throw new ProviderError("outcome_unknown", "unknown", { httpStatus });
}

/** The states of responses and videos (https://platform.openai.com/docs/api-reference/responses/object). */
const states: Readonly<Record<string, JobStatus["state"]>> = {
  queued: "queued",
  in_progress: "running",
  completed: "done",
  incomplete: "done",
  failed: "done",
  cancelled: "done",
};

/** @throws ProviderError for any other object, which says nothing about the job */
export function stateOf({ status: state }: Record<string, unknown>): JobStatus["state"] {
  const known = states[String(state)];
  if (known) return known;
  throw new ProviderError("provider_protocol", "yes", {
    message: sentences.runs.unknownStatus,
  });
}
