import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ClientFile } from "#engine/ingest/client-file.ts";
import { readAddress, saveClientFile } from "#engine/ingest/client-file.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "./follow.ts";
import { type Form, type FormFile, readMultipart } from "./form.ts";

const assetReference = /^asset:([0-9a-f-]{36})$/;

/**
 * Saves a file that a request refers to: as a `data:` URL, at a public URL, or as `asset:<id>` of
 * the project.
 * @returns the id of its asset
 * @throws Problem invalid_input, and the errors of saving a file
 */
export async function saveReferencedFile(
  deps: ServerDeps,
  asking: Asking,
  source: string,
  field: string,
  name = "file",
): Promise<string> {
  const known = assetReference.exec(source)?.[1];
  if (known) return known;
  const sent = asking.files.find(source);
  if (sent) return saveFile(deps, asking, { name, ...sent });
  const bytes = await bytesOf(deps, asking, source, field);
  return saveBytes(deps, asking, bytes, name);
}

async function saveBytes(
  deps: ServerDeps,
  asking: Asking,
  bytes: Uint8Array,
  name: string,
): Promise<string> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return saveFile(deps, asking, { name, sha256, read: () => once(bytes) });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function saveFile(
  deps: ServerDeps,
  { actor, projectId, beforeFiles }: Asking,
  file: Omit<ClientFile, "projectId" | "userId">,
): Promise<string> {
  await beforeFiles?.();
  return (await saveClientFile(deps, { projectId, userId: actor.userId, ...file })).id;
}

async function bytesOf(
  deps: ServerDeps,
  { gone }: Asking,
  source: string,
  field: string,
): Promise<Uint8Array> {
  if (source.startsWith("data:")) {
    const comma = source.indexOf(",");
    if (comma < 0 || !/;base64$/i.test(source.slice(0, comma)))
      throw new Problem("invalid_input", {
        field,
        message: "A data address has to be base64: data:image/png;base64,…",
      });
    return Buffer.from(source.slice(comma + 1), "base64");
  }
  if (!/^https?:\/\//i.test(source))
    throw new Problem("invalid_input", {
      field,
      message: sentences.api.fileForm,
    });
  try {
    return await readAddress(deps, source, limits.apiBodyBytes, gone);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_input")
      throw new Problem("invalid_input", { ...error.detail, field });
    throw error;
  }
}

/**
 * Reads a form whose files exist until `use` has ended.
 * @throws Problem unsupported_media, too_large, invalid_input; the error of `use`
 */
export async function withForm<T>(
  deps: ServerDeps,
  { c }: Asking,
  use: (fields: Form["fields"]) => Promise<T>,
): Promise<T> {
  const { body } = c.req.raw;
  const form = await readMultipart(
    c.req.header("content-type") ?? "",
    body ?? nothing(),
    deps.scratchFolder,
  );
  try {
    return await use(form.fields);
  } finally {
    await form.remove();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

export const saveFormFile = (
  deps: ServerDeps,
  asking: Asking,
  { name, ...file }: FormFile,
): Promise<string> => saveFile(deps, asking, { ...file, name: name || "file" });
