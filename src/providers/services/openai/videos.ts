import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobHandle,
  type JobResult,
  type JobStatus,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord, toErrorFields } from "../../wire/error-fields.ts";
import { readJson, readOptions, toWordedError } from "../../wire/http-errors.ts";
import { isGone } from "../../wire/job-errors.ts";
import { fileOf } from "../../wire/media-input.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { call, endpoint } from "../openai-compatible/access.ts";
import { classify } from "../openai-compatible/errors.ts";
import { askAbout, type OneJob, stateOf, toHandle } from "./one-job.ts";

/** Videos (https://platform.openai.com/docs/api-reference/videos). */
export const videoJob: OneJob = { submit, status, result, cancel };

async function submit(
  { input, model, files, ...request }: RunRequest,
  context: RunContext,
): Promise<JobHandle> {
  const given = (name: string, value: unknown) =>
    typeof value === "string" && value !== "" ? [[name, value] as const] : [];
  const form = createMultipart([
    ["model", model.id],
    ["prompt", String(input.prompt ?? "")],
    ...given("seconds", input.duration),
    ...given("size", input.size),
    ...(input.image
      ? [
          [
            "input_reference",
            fileOf({ ...request, input, model, files }, input.image, "image"),
          ] as const,
        ]
      : []),
  ]);
  const response = await call(context, "/videos", { method: "POST", ...form });
  return toHandle(
    "videos",
    await readJson(response, readOptions(context, "POST")),
    response.status,
  );
}

async function status(handle: JobHandle, context: CallContext): Promise<JobStatus> {
  const video = await askAbout(context, handle);
  const state = stateOf(video);
  const done = typeof video.progress === "number" ? video.progress : 0;
  return { state, ...(state === "running" && done > 0 && { progress: { done, total: 100 } }) };
}

async function result(handle: JobHandle, context: CallContext): Promise<JobResult> {
  const video = await askAbout(context, handle);
  if (stateOf(video) !== "done")
    throw new ProviderError("provider_protocol", "yes", { message: sentences.runs.videoNotReady });
  if (video.status !== "completed") throw toFailure(video, context);
  const expiresAt = typeof video.expires_at === "number" ? video.expires_at * 1_000 : undefined;
  const url = endpoint(context, `/videos/${encodeURIComponent(handle.id)}/content`);
  const { seconds, size } = video;
  return {
    files: [
      {
        name: "video",
        mime: "video/mp4",
        url,
        needsKey: true,
        ...(expiresAt !== undefined && { expiresAt }),
      },
    ],
    result: {
      ...(typeof size === "string" && { size }),
      ...(typeof seconds === "string" && { seconds }),
    },
    usage: typeof seconds === "string" && /^\d+$/.test(seconds) ? { units: { seconds } } : {},
  };
}

/** Builds the error of a failed video, which isn't billed. */
function toFailure(video: Record<string, unknown>, context: CallContext): ProviderError {
  const errorFields = toErrorFields(isRecord(video.error) ? video.error : video);
  const error = toWordedError(
    classify(errorFields, Number.NaN) ?? "provider_interrupted",
    "yes",
    errorFields,
    answerer(context),
  );
  return new ProviderError(error.code, "yes", { ...error.detail, final: true });
}

/**
 * There is no cancel: deleting ends a video in progress. True when the provider confirms the
 * deletion.
 */
async function cancel(handle: JobHandle, context: CallContext): Promise<boolean> {
  const { status: before } = await askAbout(context, handle);
  if (before !== "queued" && before !== "in_progress") return false;
  try {
    return (await askAbout(context, handle, "", "DELETE")).deleted === true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
