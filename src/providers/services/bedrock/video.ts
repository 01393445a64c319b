import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobAdapter,
  type JobHandle,
  type JobResult,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { numberOf, readInput } from "../../ai-sdk/media.ts";
import { openObject, parseS3Uri, toS3Uri } from "../../aws/s3.ts";
import { isRecord, redact } from "../../wire/error-fields.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { fileOf } from "../../wire/media-input.ts";
import { textOf } from "../../wire/values.ts";
import { addressOf, getObject, postJson, signInToBedrock } from "./access.ts";
import { baseOf, videoShapeOf } from "./catalogue.ts";
import { codeOfFailure } from "./errors.ts";

/**
 * Makes videos through POST /async-invoke, which writes its output to a bucket of the account. It
 * has no cancel.
 */
export const video: JobAdapter = {
  submit,
  status,
  result,
  cancel: async () => false,
  handleOf,
  takesToken: true,
  find,
};

const arnPattern = /^arn:aws[a-z-]*:bedrock:[a-z0-9-]+:\d{12}:async-invoke\/[a-z0-9]{12}$/;
/** Pages of the list that are searched for a lost job; the newest come first. */
const maxPages = 20;

/**
 * A repeated submit with the same token returns the same job.
 * @throws ProviderError
 */
async function submit(request: RunRequest, unsigned: RunContext): Promise<JobHandle> {
  const place = parseS3Uri(unsigned.connection.options.outputBucket);
  if (!place) {
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.cloud.videoBucketNeeded,
    });
  }
  const modelInput = await toModelInput(request);
  const { context, credentials } = await signInToBedrock(unsigned);
  if ("apiKey" in credentials) {
    const message = sentences.cloud.videoBucketNeedsAccessKey;
    throw new ProviderError("provider_auth", "no", { message });
  }
  const { answer } = await postJson(context, `${addressOf(context, "api")}/async-invoke`, {
    clientRequestToken: context.clientToken,
    modelId: request.model.id,
    modelInput,
    outputDataConfig: { s3OutputDataConfig: { s3Uri: toS3Uri(place) } },
  });
  const id = isRecord(answer) ? textOf(answer.invocationArn) : undefined;
  if (!id) throw new ProviderError("outcome_unknown", "unknown");
  return { id, urls: {} };
}

async function toModelInput(request: RunRequest): Promise<JsonObject> {
  const shape = videoShapeOf(request.model.id);
  return shape === "nova-reel"
    ? toNovaReel(request)
    : shape === "luma-ray"
      ? toLumaRay(request)
      : request.input;
}

/**
 * Nova Reel (nova userguide: video-gen-access): one shot of 6 seconds, or several generated from
 * the prompt.
 */
async function toNovaReel(request: RunRequest): Promise<JsonObject> {
  const { input } = request;
  const durationSeconds = numberOf(input.durationSeconds) ?? 6;
  const seed = numberOf(input.seed);
  const videoGenerationConfig = {
    durationSeconds,
    fps: 24,
    dimension: "1280x720",
    ...(seed !== undefined && { seed }),
  };
  const text = textOf(input.prompt) ?? "";
  if (durationSeconds > 6 && input.image) {
    throw new ProviderError("provider_invalid_input", "no", {
      field: "image",
      message: sentences.cloud.firstFrameNeedsSixSeconds,
    });
  }
  if (durationSeconds > 6)
    return {
      taskType: "MULTI_SHOT_AUTOMATED",
      multiShotAutomatedParams: { text },
      videoGenerationConfig,
    };
  const images = input.image
    ? [await pictureOf(request, "image")].map(({ format, bytes }) => ({
        format,
        source: { bytes },
      }))
    : [];
  return {
    taskType: "TEXT_VIDEO",
    textToVideoParams: { text, ...(images.length > 0 && { images }) },
    videoGenerationConfig,
  };
}

/** Luma Ray 2 (userguide: model-parameters-luma). */
async function toLumaRay(request: RunRequest): Promise<JsonObject> {
  const { input } = request;
  const frame = async (field: string) => {
    const { format, bytes } = await pictureOf(request, field);
    return {
      type: "image",
      source: { type: "base64", media_type: `image/${format}`, data: bytes },
    };
  };
  const keyframes = {
    ...(input.firstFrame && { frame0: await frame("firstFrame") }),
    ...(input.lastFrame && { frame1: await frame("lastFrame") }),
  };
  return {
    prompt: textOf(input.prompt) ?? "",
    ...(textOf(input.aspectRatio) && { aspect_ratio: String(input.aspectRatio) }),
    ...(textOf(input.duration) && { duration: String(input.duration) }),
    ...(textOf(input.resolution) && { resolution: String(input.resolution) }),
    ...(typeof input.loop === "boolean" && { loop: input.loop }),
    ...(Object.keys(keyframes).length > 0 && { keyframes }),
  };
}

async function pictureOf(
  request: RunRequest,
  field: string,
): Promise<{ format: string; bytes: string }> {
  const { mediaType, data } = await readInput(fileOf(request, request.input[field], field));
  if (mediaType !== "image/png" && mediaType !== "image/jpeg") {
    throw new ProviderError("provider_invalid_input", "no", {
      field,
      message: sentences.media.pngOrJpeg,
    });
  }
  return { format: mediaType.slice("image/".length), bytes: Buffer.from(data).toString("base64") };
}

/**
 * GET /async-invoke/{arn}.
 * @throws ProviderError, `final` for a job of another model
 */
async function readJob(
  { id, urls }: JobHandle,
  unsigned: CallContext,
): Promise<Record<string, unknown>> {
  const { context } = await signInToBedrock(unsigned);
  const job = await getObject(
    context,
    `${addressOf(context, "api")}/async-invoke/${encodeURIComponent(id)}`,
  ).catch((error: unknown) => {
    throw isGone(error) ? lostJob(error) : error;
  });
  if (urls.model && baseOf(textOf(job.modelArn) ?? "") !== baseOf(urls.model)) {
    throw new ProviderError("provider_invalid_input", "yes", {
      final: true,
      message: sentences.runs.otherModel,
    });
  }
  return job;
}

async function status(handle: JobHandle, context: CallContext) {
  const { status: state } = await readJob(handle, context);
  if (state !== "InProgress" && !isEnd(state)) throw unknownStatus();
  return { state: isEnd(state) ? ("done" as const) : ("running" as const) };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GetAsyncInvoke.html */
const isEnd = (state: unknown): boolean => state === "Completed" || state === "Failed";

/** A 200 from an intermediary says nothing about the job. */
const unknownStatus = () =>
  new ProviderError("provider_protocol", "yes", {
    message: sentences.runs.unknownStatusOf({ provider: "Bedrock" }),
  });

async function result(handle: JobHandle, context: CallContext): Promise<JobResult> {
  const job = await readJob(handle, context);
  if (!isEnd(job.status)) throw unknownStatus();
  if (job.status === "Failed")
    throw toFailure(redact(textOf(job.failureMessage) ?? "", context.connection.secret));
  const config =
    isRecord(job.outputDataConfig) && isRecord(job.outputDataConfig.s3OutputDataConfig)
      ? job.outputDataConfig.s3OutputDataConfig
      : {};
  const place = parseS3Uri(config.s3Uri);
  if (!place)
    throw new ProviderError("output_unavailable", "yes", {
      message: sentences.cloud.videoPlaceMissing,
    });
  // Each job has a folder named by its id; the response names it, or the folder above.
  const folder = place.key.endsWith(jobOf(handle.id))
    ? place.key
    : [place.key, jobOf(handle.id)].filter(Boolean).join("/");
  const url = toS3Uri({ ...place, key: `${folder}/output.mp4` });
  return {
    files: [{ name: "video.mp4", mime: "video/mp4", url, needsKey: true }],
    result: { invocationArn: handle.id },
    usage: { units: { videos: "1" } },
  };
}

const jobOf = (arn: string): string => arn.slice(arn.lastIndexOf("/") + 1);

/** A failed job is over, and not billed. */
function toFailure(errorMessage: string): ProviderError {
  const message = errorMessage
    ? `The video was not made. Bedrock says: ${errorMessage}`
    : sentences.cloud.videoFailed;
  return new ProviderError(codeOfFailure(errorMessage), "yes", {
    final: true,
    message,
    ...(errorMessage && { providerMessage: errorMessage }),
  });
}

/** Accepts the id shown in the console; `status` checks whether the job is of this model. */
function handleOf(id: string, model: string): JobHandle | undefined {
  return arnPattern.test(id) ? { id, urls: { model } } : undefined;
}

/**
 * Finds the job that was started with our token, from GET /async-invoke, newest first; undefined
 * when the account has none.
 * @throws ProviderError
 */
async function find(
  { clientToken, since }: { clientToken: string; since: number },
  unsigned: CallContext,
): Promise<JobHandle | undefined> {
  const { context } = await signInToBedrock(unsigned);
  let next: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const url = new URL(`${addressOf(context, "api")}/async-invoke`);
    url.searchParams.set("maxResults", "100");
    url.searchParams.set("sortBy", "SubmissionTime");
    url.searchParams.set("sortOrder", "Descending");
    url.searchParams.set("submitTimeAfter", new Date(since).toISOString());
    if (next) url.searchParams.set("nextToken", next);
    const { asyncInvokeSummaries: rows, nextToken } = await getObject(context, url.href);
    const found = (Array.isArray(rows) ? rows : []).find(
      (row) => isRecord(row) && row.clientRequestToken === clientToken,
    );
    if (isRecord(found) && textOf(found.invocationArn))
      return { id: String(found.invocationArn), urls: {} };
    next = textOf(nextToken);
    if (!next) return undefined;
  }
  return undefined;
}

/** Reads an output by the s3:// URL of its job. */
export function openVideo(url: string, unsigned: CallContext): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      const place = parseS3Uri(url);
      if (!place)
        throw new ProviderError("output_unavailable", "yes", {
          message: sentences.cloud.notABucket,
        });
      const signedIn = await signInToBedrock(unsigned);
      const context = { ...unsigned, connection: signedIn.context.connection };
      yield* openObject(place, signedIn, context);
    },
  };
}
