import { createHash, createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, replyBytes, replyHtml, replyJson } from "../http-reply.ts";

export type StoredFile = {
  id: string;
  name: string;
  mime: string;
  /** Null until it is uploaded, and for files too large to keep, of which size and hashes remain. */
  bytes: Uint8Array | null;
  size: number;
  complete: boolean;
  isPrivate: boolean;
  lifetimeSeconds: number | null;
  /** SHA-256 of each piece as it came. */
  pieces: Map<number, { sha256: string; size: number }>;
  fault?: "output-404" | "output-html" | "output-cut";
};

const keptBytes = 16 * 1024 * 1024;

/** fal's CDN and storage: tickets, uploads in one and in many pieces, private files, signed addresses, ranges. */
export function createStorage(base: () => string, secret: string) {
  const files = new Map<string, StoredFile>();
  const address = (file: StoredFile) => `${base()}/cdn/files/b/${file.id}/${encodeURIComponent(file.name)}`;
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex").slice(0, 32);
  const cdnToken = `cdn_${sign("token")}`;

  function add(name: string, mime: string, lifecycle: string | undefined, bytes: Uint8Array | null = null): StoredFile {
    const wish = readLifecycle(lifecycle);
    const file: StoredFile = {
      id: randomUUID(),
      name,
      mime,
      bytes,
      size: bytes?.length ?? 0,
      complete: bytes !== null,
      pieces: new Map(),
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

  /** Null when a model can open this address, else what it says of it. Foreign addresses are not asked for. */
  function whyUnreadable(url: string): string | null {
    if (!url.startsWith(`${base()}/cdn/`)) return null;
    const file = find(url);
    if (!file?.complete) return "Failed to download the file: 404";
    return mayRead(file, new URL(url).searchParams.get("identity"), undefined) ? null : "Failed to download the file: 403";
  }

  function initiate(response: ServerResponse, body: Record<string, unknown>, lifecycle: string | undefined, many: boolean) {
    const { content_type: mime, file_name: name } = body;
    if (typeof mime !== "string" || typeof name !== "string")
      return replyJson(response, 422, { detail: [{ loc: ["body"], msg: "Field required", type: "missing" }] });
    const file = add(name, mime, lifecycle);
    replyJson(response, 200, {
      upload_url: `${base()}/cdn/${many ? "multipart" : "upload"}/${file.id}?signature=${sign(`put ${file.id}`)}`,
      file_url: address(file),
    });
  }

  async function put(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, , kind = "", id = "", piece = ""] = url.pathname.split("/");
    const file = files.get(id);
    if (!file || url.searchParams.get("signature") !== sign(`put ${id}`)) return replyJson(response, 403, { detail: "Invalid signature" });
    if (request.method === "PUT" && request.headers["content-length"] === undefined)
      return replyJson(response, 411, { detail: "Length required" });
    const body = await readBody(request);
    if (piece === "complete")
      return completeParts(file, response, JSON.parse(body.toString()) as { parts: { partNumber: number; etag: string }[] });
    if (request.method !== "PUT" || (kind === "upload" && request.headers["content-type"] !== file.mime))
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

  function completeParts(file: StoredFile, response: ServerResponse, wish: { parts: { partNumber: number; etag: string }[] }) {
    const known = wish.parts.every(
      ({ partNumber, etag }, index) => partNumber === index + 1 && file.pieces.get(partNumber)?.sha256 === etag,
    );
    if (!known || wish.parts.length !== file.pieces.size) return replyJson(response, 400, { detail: "Invalid part" });
    file.size = [...file.pieces.values()].reduce((sum, { size }) => sum + size, 0);
    file.complete = true;
    replyJson(response, 200, {});
  }

  function serve(request: IncomingMessage, response: ServerResponse, url: URL) {
    const file = find(url.href);
    if (!file?.bytes || file.fault === "output-404") return replyJson(response, 404, { detail: "Not found" });
    if (!mayRead(file, url.searchParams.get("identity"), request.headers.authorization))
      return replyJson(response, 403, { detail: "Forbidden" });
    if (file.fault === "output-html") return replyHtml(response);
    if (file.fault === "output-cut" && request.headers.range === undefined) {
      const head = {
        "content-type": file.mime,
        "content-length": String(file.bytes.length),
        "accept-ranges": "bytes",
        etag: `"${file.id}"`,
      };
      response.writeHead(200, head);
      response.write(file.bytes.subarray(0, Math.floor(file.bytes.length / 2)), () => response.destroy());
      return;
    }
    replyBytes(request, response, file.bytes, { "content-type": file.mime, etag: `"${file.id}"` });
  }

  function signAddress(response: ServerResponse, url: string, seconds: unknown) {
    const file = URL.canParse(url) ? find(url) : undefined;
    if (!file) return replyJson(response, 404, { error: { type: "not_found", message: "File not found" } });
    if (typeof seconds !== "number" || seconds < 1 || seconds > 604_800)
      return replyJson(response, 400, { error: { type: "validation_error", message: "expiration_seconds" } });
    replyJson(response, 200, { signed_url: `${address(file)}?identity=${sign(file.id)}` });
  }

  const grantToken = (response: ServerResponse) =>
    replyJson(response, 200, { token: cdnToken, token_type: "Bearer", base_url: `${base()}/cdn` });

  return { files, add, address, find, whyUnreadable, initiate, put, serve, signAddress, grantToken };
}
export type FalStorage = ReturnType<typeof createStorage>;

function readLifecycle(header: string | undefined): { isPrivate: boolean; lifetimeSeconds: number | null } {
  const wish = JSON.parse(header ?? "{}") as { expiration_duration_seconds?: number; initial_acl?: { default?: string } };
  return { isPrivate: wish.initial_acl?.default === "forbid", lifetimeSeconds: wish.expiration_duration_seconds ?? null };
}
