import type { ErrorCode } from "#contract/errors.ts";
import type { ProviderError } from "../../adapter.ts";
import type { ErrorFields } from "../../wire/error-fields.ts";
import { isRecord, toErrorFields } from "../../wire/error-fields.ts";
import { type ReadOptions, toHttpError, toWordedError } from "../../wire/http-errors.ts";

/**
 * Ollama reports an error as one sentence, `{"error": "…"}`, before the answer and within it
 * (docs/api/errors.mdx).
 */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [/model .*not found|try pulling/i, "model_gone"],
  [/server busy|maximum pending requests/i, "provider_overloaded"],
  [/more system memory|out of memory|insufficient memory/i, "provider_overloaded"],
  [/does not support/i, "provider_invalid_input"],
  [
    /context (length|window|size)|exceeds.*context|prompt (is )?too long/i,
    "provider_context_too_long",
  ],
  [/\bunauthorized\b|\bsign ?in\b/i, "provider_auth"],
  [/usage limit|subscription|quota/i, "provider_quota"],
];

function classify(fields: ErrorFields, status: number | null): ErrorCode | undefined {
  const named = wordings.find(([pattern]) => pattern.test(fields.message ?? ""))?.[1];
  if (named) return named;
  if (status === 404 && fields.message) return "model_gone";
  return status === 500 || status === 502 ? "provider_interrupted" : undefined;
}

/** Builds the error of a response outside of 2xx. */
export async function toOllamaError(
  response: Response,
  asked: ReadOptions,
): Promise<ProviderError> {
  return toHttpError(
    response,
    asked,
    classify,
    (body) => isRecord(body) && typeof body.error === "string",
  );
}

/** Builds the error of a line `{"error": "…"}` in a started answer. */
export function toLineError(
  line: unknown,
  facts: { secret: string | null; host: string },
): ProviderError {
  const fields = toErrorFields(line);
  return toWordedError(classify(fields, null) ?? "provider_interrupted", "yes", fields, facts);
}
