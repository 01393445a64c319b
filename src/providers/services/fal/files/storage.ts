import { setTimeout as sleep } from "node:timers/promises";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type InputFile, ProviderError } from "../../../adapter.ts";
import { unpaid } from "../../../outbound/outbound.ts";
import { toByteStream } from "../../../wire/byte-stream.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson, send } from "../call.ts";
import { readFalFailure } from "../errors.ts";
import { isPrivate, lifecycle, signFile } from "./file-access.ts";

/** Both numbers are those of fal's own client 1.10.1. */
const multipartAboveBytes = 90 * 1024 * 1024;
const partBytes = 10 * 1024 * 1024;

type Ticket = { uploadUrl: URL; fileUrl: string };

/**
 * Uploads a file to fal's storage as a stream, and returns the URL that a model reads: a signed one
 * when files are private.
 * @throws ProviderError, always "no": nothing paid has been requested yet
 */
export async function uploadFile(context: CallContext, file: InputFile): Promise<string> {
  try {
    const { uploadUrl, fileUrl } = await initiate(context, file);
    if (file.bytes > multipartAboveBytes) await putParts(context, file, uploadUrl);
    else await put(context, uploadUrl, await file.open(), file.bytes, file.mime);
    if (!isPrivate(context)) return fileUrl;
    const signed = await signFile(context, fileUrl);
    return "url" in signed ? signed.url : fileUrl;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.accepted === "no") throw error;
    // A failed upload differs from a failed job: at worst, the file exists twice.
    const code = error.code === "outcome_unknown" ? "provider_unreachable" : error.code;
    throw new ProviderError(code, "no", error.detail, { cause: error });
  }
}

async function initiate(context: CallContext, file: InputFile): Promise<Ticket> {
  const path = file.bytes > multipartAboveBytes ? "initiate-multipart" : "initiate";
  const answer = await readJson(
    await callFal(
      context,
      falUrl(context, "rest", `storage/upload/${path}?storage_type=fal-cdn-v3`),
      {
        phase: "upload",
        method: "POST",
        json: { content_type: file.mime, file_name: uploadName(file) },
        // The name that the client sends, and the documented one.
        headers: {
          "x-fal-object-lifecycle": lifecycle(context),
          "x-fal-object-lifecycle-preference": lifecycle(context),
        },
      },
    ),
    "upload",
  );
  if (
    !isRecord(answer) ||
    typeof answer.upload_url !== "string" ||
    typeof answer.file_url !== "string" ||
    !URL.canParse(answer.upload_url)
  ) {
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.fal.noUploadAddress,
    });
  }
  return { uploadUrl: new URL(answer.upload_url), fileUrl: answer.file_url };
}

/**
 * `{upload}/{part}?signature`, one after another, then `{upload}/complete?signature` with every
 * part's ETag.
 */
async function putParts(context: CallContext, file: InputFile, uploadUrl: URL): Promise<void> {
  const parts: { partNumber: number; etag: string }[] = [];
  for (let start = 0; start < file.bytes; start += partBytes) {
    const end = Math.min(start + partBytes, file.bytes) - 1;
    const partNumber = parts.length + 1;
    const etag = await retryTransient(context, () =>
      putPart(context, file, below(uploadUrl, String(partNumber)), { start, end }),
    );
    parts.push({ partNumber, etag });
  }
  const headers = { "content-type": "application/json" };
  const init: RequestInit = {
    method: "POST",
    headers,
    body: JSON.stringify({ parts }),
    signal: context.signal,
  };
  await retryTransient(context, async () =>
    expectOk(context, await send(context, below(uploadUrl, "complete"), unpaid(init))),
  );
}

/** Reads its piece again on each try. `complete` needs the ETag of the response. */
async function putPart(
  context: CallContext,
  file: InputFile,
  url: URL,
  range: { start: number; end: number },
): Promise<string> {
  const response = await put(
    context,
    url,
    await file.open(range),
    range.end - range.start + 1,
    null,
  );
  const answer = await response.json().catch(() => null);
  const etag =
    isRecord(answer) && typeof answer.etag === "string"
      ? answer.etag
      : response.headers.get("etag");
  if (!etag)
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.fal.partNotConfirmed,
    });
  return etag;
}

/**
 * Uploading a part twice is harmless, so it is tried as often as in fal's own client, with waits.
 */
const partTries = 3;
const partWaitMs = 500;
const passing: readonly string[] = [
  "provider_unreachable",
  "provider_timeout",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_interrupted",
  "outcome_unknown",
];

/**
 * @throws ProviderError after the last try, or at once when a retry would change nothing; the
 *   signal's reason
 */
async function retryTransient<T>(context: CallContext, attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      context.signal.throwIfAborted();
      if (tried >= partTries || !(error instanceof ProviderError) || !passing.includes(error.code))
        throw error;
      await sleep(
        Math.min(error.detail.retryAfterMs ?? partWaitMs * tried, maxPartWaitMs),
        undefined,
        { signal: context.signal },
      );
    }
  }
}
const maxPartWaitMs = 10_000;

/** @param mime null for a part, whose signed URL specifies no type */
async function put(
  context: CallContext,
  url: URL,
  bytes: AsyncIterable<Uint8Array>,
  size: number,
  mime: string | null,
): Promise<Response> {
  // A stream has no length of its own, and a signed URL accepts no chunked body.
  const headers = {
    ...(mime !== null && { "content-type": mime }),
    "content-length": String(size),
  };
  const body = toByteStream(bytes);
  const init: RequestInit & { duplex: "half" } = {
    method: "PUT",
    headers,
    body,
    duplex: "half",
    signal: context.signal,
  };
  return expectOk(context, await send(context, url, init));
}

async function expectOk(context: CallContext, response: Response): Promise<Response> {
  if (!response.ok) throw await readFalFailure(response, "upload", context);
  return response;
}

const extensions: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "avif",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "model/gltf-binary": "glb",
  "application/zip": "zip",
  "application/pdf": "pdf",
};

/** Models judge a file by the end of its URL, and an asset's title has no extension. */
function uploadName(file: InputFile): string {
  const extension = extensions[file.mime];
  const name =
    file.name
      .replace(/[/\\?#%\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, 80) || "file";
  return !extension || name.toLowerCase().endsWith(`.${extension}`) ? name : `${name}.${extension}`;
}

function below(uploadUrl: URL, name: string): URL {
  const url = new URL(uploadUrl);
  url.pathname = `${url.pathname}/${name}`;
  return url;
}
