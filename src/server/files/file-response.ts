import { Readable } from "node:stream";
import type { Context } from "hono";
import type { BlobStore } from "#blobs/blob-store.ts";
import type { Asset } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { safeFileHeaders } from "#domain/files/file-headers.ts";
import type { Env } from "../env.ts";
import { parseRange } from "./byte-range.ts";

/** Browsers revalidate every use of a cached file: its bytes never change, but rights can. */
const caching = "private, no-cache";

const toWebStream = (source: AsyncIterable<Uint8Array>): ReadableStream =>
  Readable.toWeb(Readable.from(source)) as ReadableStream;

/** Responds with an asset's file: ETag by hash, a single range, safe headers. */
export async function answerFile(
  c: Context<Env>,
  blobs: BlobStore,
  asset: Asset,
  download: boolean,
): Promise<Response> {
  const etag = `"${asset.sha256}"`;
  const headers = {
    ...safeFileHeaders({ mime: asset.mime, name: asset.title, download }),
    etag,
    "cache-control": caching,
    "accept-ranges": "bytes",
  };
  if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
  const wanted =
    c.req.header("if-range") && c.req.header("if-range") !== etag
      ? undefined
      : c.req.header("range");
  let range: ReturnType<typeof parseRange>;
  try {
    range = parseRange(wanted, asset.bytes);
  } catch {
    return c.body(null, 416, { "content-range": `bytes */${asset.bytes}` });
  }
  const length = range ? range.end - range.start + 1 : asset.bytes;
  const part = {
    ...headers,
    "content-length": String(length),
    ...(range && { "content-range": `bytes ${range.start}-${range.end}/${asset.bytes}` }),
  };
  if (c.req.method === "HEAD" || length === 0) return c.body(null, 200, part);
  return c.body(toWebStream(await blobs.get(asset.sha256, range)), range ? 206 : 200, part);
}

/**
 * Responds with a thumbnail, poster or waveform. This program made it, so its name determines its
 * type.
 */
export async function answerVariant(
  c: Context<Env>,
  blobs: BlobStore,
  asset: Asset,
  variant: string,
): Promise<Response> {
  if (!asset.variants.includes(variant)) throw new Problem("not_found");
  const etag = `"${asset.sha256}-${variant}"`;
  const mime = variant.endsWith(".json") ? "application/json" : "image/webp";
  const headers = {
    etag,
    "cache-control": caching,
    "content-type": mime,
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
  };
  if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
  const bytes = await blobs.getVariant(asset.sha256, variant);
  if (!bytes) throw new Problem("not_found");
  return c.body(Buffer.from(bytes), 200, headers);
}
