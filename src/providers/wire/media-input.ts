import { sentences } from "#contract/sentences/index.ts";
import type { JsonBounds } from "#domain/schemas/json-scan.ts";
import type { AnswerPart, InputFile, RunRequest, Usage } from "../adapter.ts";
import { ProviderError } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";
import { textOf } from "./values.ts";

/**
 * Returns the file that a field of the form refers to as `asset:<id>`.
 * @throws ProviderError when the run has no such file
 */
export function fileOf(request: RunRequest, reference: unknown, field: string): InputFile {
  const name = typeof reference === "string" ? reference : "";
  const file = request.files.get(name) ?? request.files.get(name.replace(/^asset:/, ""));
  if (!file)
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.files.settingEmpty,
      field,
    });
  return file;
}

/**
 * Returns the settings that were set, by their own names, so that nothing is sent that nobody
 * chose.
 */
export function given(
  request: RunRequest,
  names: readonly string[],
): { [name: string]: string | number } {
  const chosen: { [name: string]: string | number } = {};
  for (const name of names) {
    const value = request.input[name];
    if ((typeof value === "string" && value !== "") || typeof value === "number")
      chosen[name] = value;
  }
  return chosen;
}

/**
 * Reads token counts by either of the two names in use, and seconds of sound where those are
 * counted.
 */
export function readMediaUsage(usage: unknown): Usage {
  if (!isRecord(usage)) return {};
  const input = whole(usage.input_tokens) ?? whole(usage.prompt_tokens);
  const output = whole(usage.output_tokens) ?? whole(usage.completion_tokens);
  const details = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const pictures = whole(details.image_tokens);
  return {
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
    ...(pictures && { imageInputTokens: pictures }),
    ...(typeof usage.seconds === "number" && { units: { seconds: String(usage.seconds) } }),
  };
}

const whole = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/** Returns the inputs of an embedding request: several, or the one text of the form. */
export const embeddingInputs = ({ input }: RunRequest): (string | number[])[] =>
  Array.isArray(input.input)
    ? (input.input as (string | number[])[])
    : [textOf(input.input) ?? String(input.input ?? "")];

/** A vector as numbers, or packed: 32-bit floats, little-endian, in base64. */
export type Vector = readonly number[] | string;

export function isVector(value: unknown): value is Vector {
  if (typeof value === "string") return value !== "" && packedBytes(value) % 4 === 0;
  return Array.isArray(value) && value.every((one) => typeof one === "number");
}
const packedBytes = (text: string): number => Buffer.byteLength(text, "base64");

const numbersOf = (vector: Vector): readonly number[] => {
  if (typeof vector !== "string") return vector;
  const bytes = Buffer.from(vector, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
};
const pack = (vector: Vector): string =>
  typeof vector === "string"
    ? vector
    : Buffer.from(new Float32Array(vector).buffer).toString("base64");

/**
 * Writes the vectors of a request as a JSON file: {model, dimensions, embedding} for a single text,
 * and for several inputs {model, dimensions, encoding: "base64", embeddings}, packed because
 * thousands of vectors are long as text.
 */
export function toEmbeddingFile(
  model: string,
  { input }: RunRequest,
  vectors: readonly Vector[],
): AnswerPart {
  const [first = []] = vectors;
  const dimensions = typeof first === "string" ? packedBytes(first) / 4 : first.length;
  const content = Array.isArray(input.input)
    ? { encoding: "base64", embeddings: vectors.map(pack) }
    : { embedding: numbersOf(first) };
  return {
    type: "file",
    output: {
      name: "embedding.json",
      mime: "application/json",
      bytes: Buffer.from(JSON.stringify({ model, dimensions, ...content })),
    },
  };
}

/** For vectors of a few hundred inputs, with thousands of numbers each. */
export const embeddingBounds: JsonBounds = { depth: 16, values: 2_500_000 };
