import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type InputFile,
  type JobAdapter,
  type JobHandle,
  type JobResult,
  type JobStatus,
  type ProducedFile,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { baseUrl } from "../../wire/connection.ts";
import { isRecord, toErrorFields } from "../../wire/error-fields.ts";
import { toWordedError } from "../../wire/http-errors.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { fileOf, given } from "../../wire/media-input.ts";
import { getObject, postObject } from "./access.ts";
import { codeOfOperation } from "./errors.ts";

type Fields = Record<string, unknown>;

/**
 * Videos of Veo (https://ai.google.dev/gemini-api/docs/video): an operation that is polled until it
 * is done.
 */
export const job: JobAdapter = {
  async submit(request, context) {
    const operation = await submitVideo(request, context);
    if (isOperation(operation)) return { id: operation, urls: {} };
    throw new ProviderError("outcome_unknown", "unknown");
  },
  status: async (handle, context) => statusOf(await ask(handle, context)),
  async result(handle, context): Promise<JobResult> {
    const answer = readOperation(await ask(handle, context), context);
    const made = isRecord(answer.generateVideoResponse) ? answer.generateVideoResponse : {};
    const samples: unknown[] = Array.isArray(made.generatedSamples) ? made.generatedSamples : [];
    const films = samples.flatMap((sample) =>
      isRecord(sample) && isRecord(sample.video) ? [sample.video] : [],
    );
    const files = films.flatMap(({ uri, encodedVideo }, index): ProducedFile[] => {
      const film = { name: nameOf(index, films.length), mime: "video/mp4" };
      // Opened with the key in a header, so that no URL with a key in it is ever stored.
      if (typeof uri === "string") return [{ ...film, url: uri, needsKey: true }];
      return typeof encodedVideo === "string"
        ? [{ ...film, bytes: Buffer.from(encodedVideo, "base64") }]
        : [];
    });
    return toResult(files, made);
  },
  // The API can't cancel an operation.
  cancel: async () => false,
  handleOf: (id) => (isOperation(id) ? { id, urls: {} } : undefined),
  idField: "name",
};

const isOperation = (name: unknown): name is string =>
  typeof name === "string" && /^models\/\w[\w.-]*\/operations\/[\w-]+$/.test(name);

async function ask({ id }: JobHandle, context: CallContext): Promise<Fields> {
  try {
    return await getObject(context, `/${id}`);
  } catch (error) {
    throw isGone(error) ? lostJob(error) : error;
  }
}

/**
 * Makes the one POST that starts a video: `predictLongRunning`, with the fields of both of Google's
 * APIs. Returns the operation's name.
 */
export async function submitVideo(
  request: RunRequest,
  context: RunContext,
  more: Fields = {},
): Promise<unknown> {
  const { input } = request;
  const picture = async (field: "image" | "lastFrame") =>
    input[field] ? { [field]: await toInlinePicture(fileOf(request, input[field], field)) } : {};
  const references = await Promise.all(
    (Array.isArray(input.images) ? input.images : []).map(async (one) => ({
      image: await toInlinePicture(fileOf(request, one, "images")),
      referenceType: "asset",
    })),
  );
  const instance = {
    prompt: String(input.prompt ?? ""),
    ...(await picture("image")),
    ...(await picture("lastFrame")),
    ...(references.length > 0 && { referenceImages: references }),
  };
  const chosen = given(request, [
    "aspectRatio",
    "resolution",
    "durationSeconds",
    "negativePrompt",
    "personGeneration",
    "seed",
  ]);
  // A choice in the form is text, but the API expects a number.
  const seconds =
    chosen.durationSeconds === undefined ? {} : { durationSeconds: Number(chosen.durationSeconds) };
  // The number is always sent: otherwise the model decides, and each video is billed.
  const body = {
    instances: [instance],
    parameters: { sampleCount: 1, ...chosen, ...seconds, ...more },
  };
  const { name } = await postObject(
    context,
    `/models/${encodeURIComponent(request.model.id)}:predictLongRunning`,
    body,
  );
  return name;
}

async function toInlinePicture(
  file: InputFile,
): Promise<{ bytesBase64Encoded: string; mimeType: string }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.open()) chunks.push(chunk);
  return { bytesBase64Encoded: Buffer.concat(chunks).toString("base64"), mimeType: file.mime };
}

export const statusOf = (operation: Fields): JobStatus => ({
  state: operation.done === true ? "done" : "running",
});

/**
 * Returns the result of a finished operation.
 * @throws ProviderError with Google's message for a failed one
 */
export function readOperation(operation: Fields, context: CallContext): Fields {
  if (isRecord(operation.error)) {
    const errorFields = toErrorFields(operation.error);
    const facts = { secret: context.connection.secret, host: new URL(baseUrl(context)).host };
    const { code, detail } = toWordedError(codeOfOperation(errorFields), "yes", errorFields, facts);
    throw new ProviderError(code, "yes", { ...detail, final: true });
  }
  if (operation.done === true && isRecord(operation.response)) return operation.response;
  throw new ProviderError("provider_protocol", "yes", {
    message: sentences.runs.unknownAnswer,
  });
}

/**
 * Returns the finished videos. If Google's filter left none, throws a refusal, which isn't billed;
 * without a stated reason they may be billed.
 */
export function toResult(files: ProducedFile[], made: Fields): JobResult {
  const stated: unknown[] = Array.isArray(made.raiMediaFilteredReasons)
    ? made.raiMediaFilteredReasons
    : [];
  const reasons = stated.filter((reason) => typeof reason === "string");
  if (files.length === 0 && (reasons.length > 0 || Number(made.raiMediaFilteredCount ?? 0) > 0)) {
    const message = reasons[0] ?? sentences.answers.googleVideosFiltered;
    throw new ProviderError("provider_rejected", "yes", { message, final: true });
  }
  if (files.length === 0)
    throw new ProviderError("output_unavailable", "yes", {
      message: sentences.answers.googleNoVideo,
      final: true,
      billed: true,
    });
  return {
    files,
    result: reasons.length > 0 ? { filtered: reasons } : {},
    usage: { units: { videos: String(files.length) } },
  };
}

export const nameOf = (index: number, count: number): string =>
  count === 1 ? "video" : `video-${index + 1}`;
