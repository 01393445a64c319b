import { open } from "node:fs/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { refused, type S3Client } from "./s3-client.ts";
import { tagText } from "./s3-xml.ts";
import { onDisk } from "./storage-problem.ts";

/** S3 takes parts of 5 MiB to 5 GiB, at most 10,000 of them: this allows 80 GiB. One is in memory at a time. */
export const partBytes = 8 * 1024 ** 2;

export type SpooledFile = { path: string; bytes: number };

/** For people who browse the bucket. Bottega serves the type it sniffed, not the provider's. */
export function typeHeader(mime: string | undefined): Record<string, string> {
  return mime !== undefined && /^[\x21-\x7e ]{1,200}$/.test(mime) ? { "content-type": mime } : {};
}

/**
 * Uploads a file in parts; the object appears whole or not at all. A failed upload is aborted, so that no parts stay and
 * cost. The caller must check what is stored afterwards: an answer may be lost although the object is there.
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html)
 */
export async function uploadInParts(
  client: S3Client,
  key: string,
  file: SpooledFile,
  options: { mime?: string; signal?: AbortSignal },
): Promise<void> {
  const { signal } = options;
  const headers = typeHeader(options.mime);
  // Not idempotent: a repeat after a lost answer would leave an open upload.
  const created = await client.call({
    method: "POST",
    key,
    query: { uploads: "" },
    headers,
    idempotent: false,
    expect: [200],
    signal,
  });
  const uploadId = tagText(await created.text(), "UploadId");
  if (!uploadId) throw new Problem("unavailable", { message: sentences.storage.noUploadId });
  try {
    const etags = await uploadParts(client, key, file, { uploadId, signal });
    await complete(client, key, { uploadId, etags, signal });
  } catch (error) {
    await abort(client, key, uploadId);
    throw error;
  }
}

async function uploadParts(
  client: S3Client,
  key: string,
  file: SpooledFile,
  upload: { uploadId: string; signal?: AbortSignal },
): Promise<string[]> {
  const handle = await onDisk(open(file.path, "r"));
  try {
    const etags: string[] = [];
    for (let offset = 0; offset < file.bytes; offset += partBytes) {
      const body = new Uint8Array(Math.min(partBytes, file.bytes - offset));
      const { bytesRead } = await onDisk(handle.read(body, 0, body.byteLength, offset));
      if (bytesRead !== body.byteLength)
        throw new Problem("unavailable", {
          message: sentences.storage.tempFileCut,
        });
      const query = { partNumber: String(etags.length + 1), uploadId: upload.uploadId };
      const sent = await client.call({
        method: "PUT",
        key,
        query,
        body,
        idempotent: true,
        expect: [200],
        signal: upload.signal,
      });
      await sent.body?.cancel();
      etags.push(sent.headers.get("etag") ?? "");
    }
    return etags;
  } finally {
    await handle.close();
  }
}

async function complete(
  client: S3Client,
  key: string,
  upload: { uploadId: string; etags: string[]; signal?: AbortSignal },
): Promise<void> {
  const parts = upload.etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const body = new TextEncoder().encode(
    `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`,
  );
  const query = { uploadId: upload.uploadId };
  // Completing again gives the same object. If it is complete already, S3 answers 404 and the caller checks the object.
  const answer = await client.call({
    method: "POST",
    key,
    query,
    body,
    idempotent: true,
    expect: [200],
    signal: upload.signal,
  });
  // S3 sends 200 at once and keeps the connection open while it joins the parts. A failure is then in the body.
  const text = await answer.text();
  if (!text.includes("<CompleteMultipartUploadResult"))
    throw await refused(new Response(text, { status: 500 }));
}

/** Best effort, and never with the caller's signal: that may be what ended the upload. A bucket's lifecycle rule does the rest. */
async function abort(client: S3Client, key: string, uploadId: string): Promise<void> {
  const call = client.call({
    method: "DELETE",
    key,
    query: { uploadId },
    idempotent: true,
    expect: [204, 404],
  });
  await call.then((answer) => answer.body?.cancel()).catch(() => {});
}
