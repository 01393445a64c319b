import { createHash, createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, replyBytes, replyHtml, replyJson, write } from "../http-reply.ts";
import type { FalFaults } from "./faults.ts";

export const outputFaults = [
  "output-404",
  "output-403",
  "output-503",
  "output-html",
  "output-cut",
  "output-torn",
  "output-torn-whole",
  "output-slow",
  "output-silent",
  "output-truncated",
  "output-text",
] as const;
type OutputFault = (typeof outputFaults)[number];

export type StoredFile = {
  id: string;
  name: string;
  mime: string;
  /**
   * Null until it is uploaded, and for files too large to store, of which only size and hashes are
   * kept.
   */
  bytes: Uint8Array | null;
  size: number;
  complete: boolean;
  isPrivate: boolean;
  lifetimeSeconds: number | null;
  /** The SHA-256 of each piece as received. */
  pieces: Map<number, { sha256: string; size: number }>;
  fault?: OutputFault;
  /** How often its bytes were requested. */
  asked: number;
};

const keptBytes = 16 * 1024 * 1024;
/** S3's limits: the minimum size of each part but the last, and the maximum number of parts. */
const minPartBytes = 5 * 1024 * 1024;
const maxParts = 10_000;

/**
 * fal's CDN and storage: tickets, uploads in one or many pieces, private files, signed addresses,
 * ranges.
 */
export function createStorage(base: () => string, secret: string, faults: FalFaults) {
  const files = new Map<string, StoredFile>();
  const address = (file: StoredFile) =>
    `${base()}/cdn/files/b/${file.id}/${encodeURIComponent(file.name)}`;
  const sign = (text: string) =>
    createHmac("sha256", secret).update(text).digest("hex").slice(0, 32);
  const cdnToken = `cdn_${sign("token")}`;

  function add(
    name: string,
    mime: string,
    lifecycle: string | undefined,
    bytes: Uint8Array | null = null,
  ): StoredFile {
    const wish = readLifecycle(lifecycle);
    const file: StoredFile = {
      id: randomUUID(),
      name,
      mime,
      bytes,
      size: bytes?.length ?? 0,
      complete: bytes !== null,
      pieces: new Map(),
      asked: 0,
      ...wish,
    };
    files.set(file.id, file);
    return file;
  }

  function find(url: string): StoredFile | undefined {
    const { pathname } = new URL(url);
    return files.get(/^\/cdn\/files\/b\/([^/]+)\//.exec(pathname)?.[1] ?? "");
  }

  const mayRead = (file: StoredFile, identity: string | null, authorization: string | undefined) =>
    !file.isPrivate || identity === sign(file.id) || authorization === `Bearer ${cdnToken}`;

  /**
   * Null if a model can open this address, otherwise its message. Foreign addresses aren't
   * requested.
   */
  function whyUnreadable(url: string): string | null {
    if (!url.startsWith(`${base()}/cdn/`)) return null;
    const file = find(url);
    if (!file?.complete) return "Failed to download the file: 404";
    return mayRead(file, new URL(url).searchParams.get("identity"), undefined)
      ? null
      : "Failed to download the file: 403";
  }

  function initiate(
    response: ServerResponse,
    body: Record<string, unknown>,
    lifecycle: string | undefined,
    many: boolean,
  ) {
    const { content_type: mime, file_name: name, ...unknown } = body;
    if (typeof mime !== "string" || typeof name !== "string" || Object.keys(unknown).length > 0)
      return replyJson(response, 422, {
        detail: [{ loc: ["body"], msg: "Field required", type: "missing" }],
      });
    const file = add(name, mime, lifecycle);
    replyJson(response, 200, {
      upload_url: `${base()}/cdn/${many ? "multipart" : "upload"}/${file.id}?signature=${sign(`put ${file.id}`)}`,
      file_url: address(file),
    });
  }

  async function put(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, , kind = "", id = "", piece = ""] = url.pathname.split("/");
    const file = files.get(id);
    if (!file || url.searchParams.get("signature") !== sign(`put ${id}`))
      return replyJson(response, 403, { detail: "Invalid signature" });
    if (request.method === "PUT" && request.headers["content-length"] === undefined)
      return replyJson(response, 411, { detail: "Length required" });
    const has = (fault: Parameters<FalFaults["take"]>[1]) =>
      kind === "multipart" && faults.take(file.name, fault);
    if (piece !== "complete" && has("part-hold")) return void request.resume();
    const body = await readBody(request);
    if (piece === "complete") {
      if (has("complete-503")) return replyJson(response, 503, { detail: "Slow down" });
      const isJson =
        request.method === "POST" && request.headers["content-type"] === "application/json";
      return isJson
        ? completeParts(file, response, JSON.parse(body.toString()))
        : replyJson(response, 415, { detail: "Expected JSON" });
    }
    if (has("part-reset")) return void response.destroy();
    if (has("part-503")) return replyJson(response, 503, { detail: "Slow down" });
    if (has("part-403")) return replyJson(response, 403, { detail: "Signature mismatch" });
    if (Number(request.headers["content-length"]) !== body.length)
      return replyJson(response, 400, { detail: "Incomplete body" });
    const isPart =
      /^[1-9]\d*$/.test(piece) &&
      Number(piece) <= maxParts &&
      request.headers["content-type"] === undefined;
    if (kind === "multipart" && !isPart)
      return replyJson(response, 403, { detail: "Signature mismatch" });
    if (
      request.method !== "PUT" ||
      (kind === "upload" && request.headers["content-type"] !== file.mime)
    )
      return replyJson(response, 403, { detail: "Signature mismatch" });
    const sha256 = createHash("sha256").update(body).digest("hex");
    const number = kind === "upload" ? 1 : Number(piece);
    file.pieces.set(number, { sha256, size: body.length });
    if (kind === "upload") {
      file.size = body.length;
      file.bytes = body.length <= keptBytes ? body : null;
      file.complete = true;
      return replyJson(response, 200, {});
    }
    replyJson(response, 200, { partNumber: number, etag: sha256 });
  }

  function completeParts(
    file: StoredFile,
    response: ServerResponse,
    wish: { parts: { partNumber: number; etag: string }[] },
  ) {
    const known = wish.parts.every(({ partNumber, etag, ...unknown }, index) => {
      const piece = file.pieces.get(partNumber);
      const isLarge = index === wish.parts.length - 1 || (piece?.size ?? 0) >= minPartBytes;
      return (
        partNumber === index + 1 &&
        piece?.sha256 === etag &&
        isLarge &&
        Object.keys(unknown).length === 0
      );
    });
    if (!known || Object.keys(wish).length !== 1 || wish.parts.length !== file.pieces.size)
      return replyJson(response, 400, { detail: "Invalid part" });
    file.size = [...file.pieces.values()].reduce((sum, { size }) => sum + size, 0);
    file.complete = true;
    replyJson(response, 200, {});
  }

  function serve(request: IncomingMessage, response: ServerResponse, url: URL) {
    const file = find(url.href);
    if (!file?.bytes || file.fault === "output-404") {
      if (file) file.asked++;
      return replyJson(response, 404, { detail: "Not found" });
    }
    if (!mayRead(file, url.searchParams.get("identity"), request.headers.authorization))
      return replyJson(response, 403, { detail: "Forbidden" });
    file.asked++;
    if (file.fault)
      return serveBadly(request, response, { ...file, bytes: file.bytes, fault: file.fault });
    replyBytes(request, response, file.bytes, { "content-type": file.mime, etag: `"${file.id}"` });
  }

  function signAddress(response: ServerResponse, url: string, seconds: unknown) {
    const file = URL.canParse(url) ? find(url) : undefined;
    if (!file)
      return replyJson(response, 404, { error: { type: "not_found", message: "File not found" } });
    if (typeof seconds !== "number" || seconds < 1 || seconds > 604_800)
      return replyJson(response, 400, {
        error: { type: "validation_error", message: "expiration_seconds" },
      });
    replyJson(response, 200, { signed_url: `${address(file)}?identity=${sign(file.id)}` });
  }

  const grantToken = (response: ServerResponse) =>
    replyJson(response, 200, { token: cdnToken, token_type: "Bearer", base_url: `${base()}/cdn` });

  return {
    files,
    add,
    address,
    find,
    whyUnreadable,
    initiate,
    put,
    serve,
    signAddress,
    grantToken,
  };
}
export type FalStorage = ReturnType<typeof createStorage>;

function serveBadly(
  request: IncomingMessage,
  response: ServerResponse,
  file: StoredFile & { bytes: Uint8Array; fault: OutputFault },
): void {
  const { bytes, fault, mime } = file;
  const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const head = { "content-type": mime, "accept-ranges": "bytes", etag: `"${file.id}"` };
  const begin = (start: number) => {
    const range = start > 0 && {
      "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
    };
    response.writeHead(start > 0 ? 206 : 200, {
      ...head,
      "content-length": String(bytes.length - start),
      ...range,
    });
  };
  const breakAfter = (start: number, count: number) => {
    begin(start);
    if (start + count >= bytes.length) response.end(bytes.subarray(start));
    else response.write(bytes.subarray(start, start + count), () => response.destroy());
  };
  switch (fault) {
    case "output-html":
      replyHtml(response);
      return;
    case "output-403":
      replyJson(response, 403, { detail: "Forbidden" });
      return;
    case "output-503":
      replyJson(response, 503, { detail: "Try later" });
      return;
    case "output-cut":
      if (from > 0) break;
      breakAfter(0, Math.floor(bytes.length / 2));
      return;
    case "output-torn":
      breakAfter(from, Math.ceil(bytes.length / 3));
      return;
    case "output-torn-whole":
      if (file.asked === 1) breakAfter(0, Math.ceil(bytes.length / 3));
      else replyBytes({ ...request, headers: {} } as IncomingMessage, response, bytes, head);
      return;
    case "output-silent":
      if (file.asked === 1) return;
      if (file.asked > 2) break;
      begin(from);
      response.write(bytes.subarray(from, Math.floor(bytes.length / 2)));
      return;
    case "output-slow":
      begin(from);
      void drip(response, bytes.subarray(from));
      return;
    case "output-truncated":
      response.writeHead(200, {
        "content-type": mime,
        "content-length": String(Math.floor(bytes.length / 2)),
      });
      response.end(bytes.subarray(0, Math.floor(bytes.length / 2)));
      return;
    case "output-text":
      response.writeHead(200, { "content-type": mime });
      response.end('{"message": "The file is being moved"}');
      return;
  }
  replyBytes(request, response, bytes, head);
}

async function drip(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  const piece = Math.max(1, Math.ceil(bytes.length / 40));
  for (let at = 0; at < bytes.length; at += piece) {
    await write(response, bytes.subarray(at, at + piece));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end();
}

function readLifecycle(header: string | undefined): {
  isPrivate: boolean;
  lifetimeSeconds: number | null;
} {
  const wish = JSON.parse(header ?? "{}") as {
    expiration_duration_seconds?: number;
    initial_acl?: { default?: string };
  };
  return {
    isPrivate: wish.initial_acl?.default === "forbid",
    lifetimeSeconds: wish.expiration_duration_seconds ?? null,
  };
}
