import type { CallContext, JobAdapter, JobHandle, ProducedFile } from "../../adapter.ts";
import { ProviderError } from "../../adapter.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { recordsOf } from "../../wire/values.ts";
import { askObject } from "../google/access.ts";
import { nameOf, readOperation, statusOf, submitVideo, toResult } from "../google/videos.ts";
import { signIn, storageAddress } from "./access.ts";

/**
 * Videos of Veo
 * (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation):
 * bytes in the response, or files in a bucket.
 */
export const job: JobAdapter = {
  async submit(request, context) {
    const { google } = await signIn(context);
    const { storageUri } = context.connection.options;
    const more = typeof storageUri === "string" && storageUri ? { storageUri } : {};
    const name = await submitVideo(request, google, more);
    if (modelOf(name)) return { id: String(name), urls: {} };
    throw new ProviderError("outcome_unknown", "unknown");
  },
  status: async (handle, context) => statusOf(await ask(handle, context)),
  async result(handle, context) {
    const made = readOperation(await ask(handle, context), context);
    const videos = recordsOf(made.videos);
    return toResult(
      videos.flatMap((video, index) => toFile(video, nameOf(index, videos.length), context)),
      made,
    );
  },
  // The API can't cancel an operation.
  cancel: async () => false,
  handleOf: (id) => (modelOf(id) ? { id, urls: {} } : undefined),
  idField: "name",
};

/**
 * Returns the model in an operation's name, which is needed to poll it; undefined for any other
 * name.
 */
const modelOf = (name: unknown): string | undefined =>
  typeof name === "string"
    ? /^projects\/[\w.:-]+\/locations\/[\w-]+\/publishers\/google\/models\/(\w[\w.-]*)\/operations\/[\w-]+$/.exec(
        name,
      )?.[1]
    : undefined;

async function ask({ id }: JobHandle, context: CallContext): Promise<Record<string, unknown>> {
  const { google } = await signIn(context);
  try {
    return await askObject(google, `/models/${modelOf(id)}:fetchPredictOperation`, {
      operationName: id,
    });
  } catch (error) {
    throw isGone(error) ? lostJob(error) : error;
  }
}

function toFile(
  video: Record<string, unknown>,
  name: string,
  context: CallContext,
): ProducedFile[] {
  const mime = typeof video.mimeType === "string" ? video.mimeType : "video/mp4";
  if (typeof video.bytesBase64Encoded === "string")
    return [{ name, mime, bytes: Buffer.from(video.bytesBase64Encoded, "base64") }];
  const url = typeof video.gcsUri === "string" ? storageAddress(video.gcsUri, context) : undefined;
  return url ? [{ name, mime, url, needsKey: true }] : [];
}
