import { z } from "zod";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type InputFile, ProviderError, type RunRequest } from "../adapter.ts";

/**
 * The most bytes of a picture read into memory: 100 megapixels of uncompressed 8-bit RGB are 300
 * MB.
 */
const maxPictureBytes = 320 * 1024 ** 2;

/** A setting for a picture of the library; the form offers upload, paste and selection. */
export const pictureField = (title: string, description: string) =>
  z
    .string()
    .regex(/^asset:.+$/, sentences.media.choosePicture)
    .meta({ title, description, format: "uri", "x-file": "image" });

/** Returns the JSON Schema (2020-12) that a form is generated from. The fields keep their order. */
export function toInputSchema(schema: z.ZodObject, title: string): JsonSchema {
  const { $schema: _dialect, ...body } = z.toJSONSchema(schema, { io: "input" });
  return { title, ...body, "x-fal-order-properties": Object.keys(schema.shape) };
}

/**
 * Returns the settings with defaults.
 * @throws ProviderError("provider_invalid_input") naming the first invalid field
 */
export function readInput<S extends z.ZodObject>(schema: S, input: JsonObject): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const field = issue.path.join(".") || (issue.code === "unrecognized_keys" ? issue.keys[0]! : "");
  throw invalidInput(field, field ? `${field}: ${issue.message}` : issue.message);
}

export const invalidInput = (field: string, message: string, cause?: unknown): ProviderError =>
  new ProviderError("provider_invalid_input", "no", field ? { field, message } : { message }, {
    cause,
  });

/**
 * Returns the file of `asset:<id>`.
 * @throws if the run has no such file, or if it isn't a picture
 */
export function findPicture(request: RunRequest, field: string, reference: string): InputFile {
  const file = request.files.get(reference.slice("asset:".length));
  if (!file) throw invalidInput(field, sentences.media.pictureGone);
  if (!file.mime.startsWith("image/"))
    throw invalidInput(field, sentences.media.notPicture({ file: file.name, type: file.mime }));
  if (file.mime === "image/svg+xml")
    throw invalidInput(field, sentences.media.isSvg({ file: file.name }));
  return file;
}

/**
 * Reads a whole picture.
 * @throws ProviderError("provider_invalid_input") for an empty or too large file
 */
export async function readPicture(
  request: RunRequest,
  field: string,
  reference: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = findPicture(request, field, reference);
  if (file.bytes === 0) throw invalidInput(field, sentences.files.isEmpty({ file: file.name }));
  if (file.bytes > maxPictureBytes)
    throw invalidInput(
      field,
      sentences.files.isLarger({ file: file.name, megabytes: maxPictureBytes / 1024 ** 2 }),
    );
  const bytes = new Uint8Array(file.bytes);
  let filled = 0;
  for await (const chunk of await file.open()) {
    signal.throwIfAborted();
    if (filled + chunk.byteLength > bytes.byteLength)
      throw invalidInput(field, sentences.files.changed({ file: file.name }));
    bytes.set(chunk, filled);
    filled += chunk.byteLength;
  }
  if (filled < bytes.byteLength)
    throw invalidInput(field, sentences.files.incomplete({ file: file.name }));
  return bytes;
}
