import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, InputFile, RunRequest, Usage } from "../adapter.ts";
import { ProviderError } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

/** The file that a field of the form names as `asset:<id>`. Throws ProviderError when the run carries no such file. */
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

/** Settings that were given, by their own names: nothing is sent that nobody chose. */
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

/** Token counts under both of the names in use, and seconds of sound where those are what is counted. */
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

/** An embedding as a JSON file {model, dimensions, embedding}. */
export const toEmbeddingFile = (model: string, embedding: readonly number[]): AnswerPart => ({
  type: "file",
  output: {
    name: "embedding.json",
    mime: "application/json",
    bytes: Buffer.from(JSON.stringify({ model, dimensions: embedding.length, embedding })),
  },
});
