import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { GivenFile } from "#engine/keep-given.ts";
import type { ServerDeps } from "../deps.ts";
import type { Asking } from "./follow.ts";

const assetReference = /^asset:([0-9a-f-]{36})$/;

/**
 * A file that a request names: as a `data:` address, at a public address, or as `asset:<id>` of the project.
 * @returns the id of its asset @throws Problem invalid_input, and what keeping a file throws
 */
export async function keepNamed(deps: ServerDeps, asking: Asking, source: string, field: string, name = "file"): Promise<string> {
  const known = assetReference.exec(source)?.[1];
  if (known) return known;
  const sent = asking.files.find(source);
  if (sent) return keep(deps, asking, { name, ...sent });
  const bytes = await bytesOf(deps, asking, source, field);
  return keepBytes(deps, asking, bytes, name);
}

async function keepBytes(deps: ServerDeps, asking: Asking, bytes: Uint8Array, name: string): Promise<string> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return keep(deps, asking, { name, sha256, read: () => once(bytes) });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function keep(deps: ServerDeps, { actor, projectId }: Asking, file: Omit<GivenFile, "projectId" | "userId">): Promise<string> {
  return (await deps.engine.keepGiven({ projectId, userId: actor.userId, ...file })).id;
}

async function bytesOf(deps: ServerDeps, { gone }: Asking, source: string, field: string): Promise<Uint8Array> {
  if (source.startsWith("data:")) {
    const comma = source.indexOf(",");
    if (comma < 0 || !/;base64$/i.test(source.slice(0, comma)))
      throw new Problem("invalid_input", { field, message: "A data address has to be base64: data:image/png;base64,…" });
    return Buffer.from(source.slice(comma + 1), "base64");
  }
  if (!/^https?:\/\//i.test(source))
    throw new Problem("invalid_input", { field, message: "Name a file as a data address, an https address, or asset:<id>." });
  try {
    return await deps.engine.readAddress(source, limits.apiBodyBytes, gone);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_input") throw new Problem("invalid_input", { ...error.detail, field });
    throw error;
  }
}

/** A form with files, held in memory. @throws Problem unsupported_media, too_large, invalid_input */
export async function readForm({ c }: Asking): Promise<FormData> {
  const type = c.req.header("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type)) throw new Problem("unsupported_media", { message: "Send a form (multipart/form-data)." });
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const countParts = createPartCount(`--${boundary?.[1] ?? boundary?.[2] ?? ""}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.length;
    countParts(chunk);
    if (bytes > limits.apiBodyBytes)
      throw new Problem("too_large", { message: `A form has at most ${limits.apiBodyBytes / 1024 ** 2} MB.` });
    chunks.push(chunk);
  }
  try {
    return await new Response(Buffer.concat(chunks), { headers: { "content-type": type } }).formData();
  } catch (cause) {
    throw new Problem("invalid_input", { message: "This form can't be read." }, { cause });
  }
}

/** Counts a form's parts as they arrive: reading each of them costs more than its bytes. @throws Problem too_large */
function createPartCount(boundary: string): (chunk: Uint8Array) => void {
  let parts = 0;
  /** The end of what came, in which a boundary may begin. */
  let tail = Buffer.alloc(0);
  return (chunk) => {
    const given = Buffer.concat([tail, chunk]);
    for (let at = given.indexOf(boundary); at >= 0; at = given.indexOf(boundary, at + boundary.length)) {
      parts += 1;
      // The last boundary ends the form.
      if (parts > limits.formParts + 1)
        throw new Problem("too_large", { message: `A form has at most ${limits.formParts} fields and files.` });
    }
    tail = given.subarray(Math.max(0, given.length - boundary.length + 1));
  };
}

export async function keepFile(deps: ServerDeps, asking: Asking, file: File): Promise<string> {
  return keepBytes(deps, asking, new Uint8Array(await file.arrayBuffer()), file.name || "file");
}
