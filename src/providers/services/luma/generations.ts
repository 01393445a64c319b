import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobAdapter,
  type JobHandle,
  type JobStatus,
  type ProducedFile,
  ProviderError,
  type RunRequest,
} from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { toWordedError } from "../../wire/http-errors.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { given } from "../../wire/media-input.ts";
import { jsonBody } from "../../wire/service-api.ts";
import { api, codeOfFailure, root } from "./access.ts";

type Generation = Record<string, unknown>;

const states: Readonly<Record<string, JobStatus["state"]>> = {
  queued: "queued",
  dreaming: "running",
  completed: "done",
  failed: "done",
};

/** Generations of the Dream Machine API (https://docs.lumalabs.ai/reference/creategeneration). */
export const job: JobAdapter = {
  async submit(request, context) {
    const [path, body] =
      request.task === "video"
        ? ["/generations", toVideo(request)]
        : ["/generations/image", toImage(request)];
    const { id } = await api.callObject(context, `${root}${path}`, {
      method: "POST",
      ...jsonBody(body),
    });
    if (isId(id)) return { id, urls: {} };
    throw new ProviderError("outcome_unknown", "unknown");
  },
  async status(handle, context) {
    const state = states[String((await ask(handle, context)).state)];
    if (!state)
      throw new ProviderError("provider_protocol", "yes", {
        message: sentences.runs.unknownStatusOf({ provider: "Luma" }),
      });
    return { state };
  },
  async result(handle, context) {
    const generation = await ask(handle, context);
    if (generation.state !== "completed") throw toFailure(generation, context);
    const files = filesOf(generation);
    if (files.length > 0) {
      const unit = files.some(({ name }) => name === "video") ? "videos" : "images";
      return { files, result: {}, usage: { units: { [unit]: String(files.length) } } };
    }
    throw new ProviderError("output_unavailable", "yes", {
      message: sentences.answers.lumaNoFile,
      final: true,
      billed: true,
    });
  },
  /**
   * There is no cancel: deleting removes a waiting generation, but one in progress may be billed.
   */
  async cancel(handle, context) {
    try {
      if ((await ask(handle, context)).state !== "queued") return false;
      const response = await api.call(context, `${root}/generations/${handle.id}`, {
        method: "DELETE",
      });
      await response.body?.cancel();
      return true;
    } catch (error) {
      if (
        error instanceof ProviderError &&
        (error.detail.final === true || error.detail.httpStatus === 404)
      )
        return false;
      throw error;
    }
  },
  handleOf: (id) => (isId(id) ? { id, urls: {} } : undefined),
  idField: "id",
};

const isId = (id: unknown): id is string =>
  typeof id === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

function toVideo(request: RunRequest): JsonObject {
  const { input, model } = request;
  const frame = (url: unknown) => ({ type: "image", url: String(url) });
  const keyframes = {
    ...(input.first_frame ? { frame0: frame(input.first_frame) } : {}),
    ...(input.last_frame ? { frame1: frame(input.last_frame) } : {}),
  };
  return {
    model: model.id,
    ...given(request, ["prompt", "aspect_ratio", "resolution", "duration"]),
    ...(typeof input.loop === "boolean" && { loop: input.loop }),
    ...(Object.keys(keyframes).length > 0 && { keyframes }),
  };
}

function toImage(request: RunRequest): JsonObject {
  const { input, model } = request;
  const address = (name: string) =>
    typeof input[name] === "string" && input[name] !== "" ? { url: input[name] } : undefined;
  const [guide, style, changed] = [
    address("image_ref"),
    address("style_ref"),
    address("modify_image_ref"),
  ];
  return {
    model: model.id,
    ...given(request, ["prompt", "aspect_ratio", "format"]),
    ...(guide && { image_ref: [guide] }),
    ...(style && { style_ref: [style] }),
    ...(changed && { modify_image_ref: changed }),
  };
}

/** A missing generation is final. */
async function ask({ id }: JobHandle, context: CallContext): Promise<Generation> {
  try {
    return await api.callObject(context, `${root}/generations/${id}`);
  } catch (error) {
    throw isGone(error) ? lostJob(error) : error;
  }
}

function filesOf({ assets }: Generation): ProducedFile[] {
  const { video, image } = isRecord(assets) ? assets : {};
  if (typeof video === "string") return [{ name: "video", url: video }];
  return typeof image === "string" ? [{ name: "picture", url: image }] : [];
}

function toFailure(
  { state, failure_reason: reason }: Generation,
  context: CallContext,
): ProviderError {
  if (state !== "failed")
    return new ProviderError("provider_protocol", "yes", {
      message: sentences.runs.generationNotReady,
    });
  const message = typeof reason === "string" ? reason : "";
  const { code, detail } = toWordedError(
    codeOfFailure(message),
    "yes",
    { message },
    answerer(context),
  );
  return new ProviderError(code, "yes", { ...detail, final: true });
}
