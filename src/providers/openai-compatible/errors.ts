import type { ErrorCode } from "#contract/errors.ts";
import { ProviderError } from "../adapter.ts";
import { type ErrorWords, isRecord, toErrorWords } from "../error-words.ts";
import { toWordedError } from "../http-errors.ts";

/** What the names of OpenAI and the servers that follow it mean; the status decides where none is known. */
const codes: Readonly<Record<string, ErrorCode>> = {
  invalid_api_key: "provider_auth",
  authentication_error: "provider_auth",
  permission_error: "provider_auth",
  // 429 as well as rate limits, but waiting does not help.
  insufficient_quota: "provider_quota",
  billing_hard_limit_reached: "provider_quota",
  billing_not_active: "provider_quota",
  rate_limit_exceeded: "provider_rate_limited",
  rate_limit_error: "provider_rate_limited",
  context_length_exceeded: "provider_context_too_long",
  // llama.cpp
  exceed_context_size_error: "provider_context_too_long",
  string_above_max_length: "provider_context_too_long",
  content_policy_violation: "provider_rejected",
  content_filter: "provider_rejected",
  moderation_blocked: "provider_rejected",
  model_not_found: "model_gone",
  // Azure
  DeploymentNotFound: "model_gone",
  ResponsibleAIPolicyViolation: "provider_rejected",
  contentFilter: "provider_rejected",
  overloaded_error: "provider_overloaded",
  server_overloaded: "provider_overloaded",
  engine_overloaded: "provider_overloaded",
  service_unavailable: "provider_overloaded",
};

/** Sentences of servers that send no code: vLLM, Ollama, OpenRouter, LM Studio. Never decides about a model, only about an error. */
const sentences: readonly [pattern: RegExp, statuses: readonly number[], code: ErrorCode][] = [
  [/maximum context length|context (length|window|size)|prompt is too long/i, [400, 413, 422], "provider_context_too_long"],
  [/\bmodel\b.*(not found|does not exist|not a valid model)|not a valid model/i, [400, 404], "model_gone"],
  [/moderation|flagged|content policy/i, [400, 403], "provider_rejected"],
  [/insufficient (credits|balance|funds)|exceeded your current quota/i, [402, 403, 429], "provider_quota"],
];

export function classify(words: ErrorWords, status: number): ErrorCode | undefined {
  const named = codes[words.code ?? ""] ?? codes[words.type ?? ""];
  if (named) return named;
  const code = sentences.find(([pattern, statuses]) => statuses.includes(status) && pattern.test(words.message ?? ""))?.[2];
  // Gemini says "You exceeded your current quota" of a minute's share as well, and then how soon there is another.
  return code === "provider_quota" && status === 429 && words.retryAfterMs !== undefined ? "provider_rate_limited" : code;
}

/**
 * An error that came inside an answer of 200, as an event or a whole body. The provider had begun, so it is never sent
 * again by itself; a code that is a status ("code": 429, OpenRouter) is read as one.
 */
export function toAnswerError(body: unknown, facts: { secret: string | null; host: string }): ProviderError {
  const words = toErrorWords(body);
  const status = Number(words.code ?? Number.NaN);
  const code = classify(words, status) ?? (status === 429 ? "provider_rate_limited" : status === 503 ? "provider_overloaded" : undefined);
  return toWordedError(code ?? "provider_interrupted", "yes", words, facts);
}

/** A body of 200 that isn't what the endpoint gives: the provider's own error, or another kind of service. */
export function unexpectedBody(body: unknown, facts: { secret: string | null; host: string }): ProviderError {
  if (isRecord(body) && body.error) return toAnswerError(body, facts);
  const message = `${facts.host} answered, but without what was asked for.`;
  return new ProviderError("provider_protocol", "unknown", { message });
}
