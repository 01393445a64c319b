import type { ErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "../../adapter.ts";
import { type ErrorFields, isRecord, toErrorFields } from "../../wire/error-fields.ts";
import { toWordedError } from "../../wire/http-errors.ts";

/** Error names of OpenAI and similar servers; for an unknown name, the status decides. */
const codes: Readonly<Record<string, ErrorCode>> = {
  invalid_api_key: "provider_auth",
  authentication_error: "provider_auth",
  permission_error: "provider_forbidden",
  // OpenAI and Azure: 401
  missing_scope: "provider_forbidden",
  PermissionDenied: "provider_forbidden",
  // 429 as well as rate limits, but waiting does not help.
  insufficient_quota: "provider_quota",
  billing_hard_limit_reached: "provider_quota",
  billing_not_active: "provider_quota",
  // llama.cpp: 501
  not_supported_error: "provider_invalid_input",
  // LiteLLM: 400, a key's own limit. Together, Groq.
  budget_exceeded: "provider_quota",
  credit_limit: "provider_quota",
  blocked_api_access: "provider_quota",
  rate_limit_exceeded: "provider_rate_limited",
  rate_limit_error: "provider_rate_limited",
  context_length_exceeded: "provider_context_too_long",
  // llama.cpp
  exceed_context_size_error: "provider_context_too_long",
  string_above_max_length: "provider_context_too_long",
  content_policy_violation: "provider_rejected",
  image_content_policy_violation: "provider_rejected",
  content_filter: "provider_rejected",
  moderation_blocked: "provider_rejected",
  bio_policy: "provider_rejected",
  invalid_prompt: "provider_rejected",
  model_not_found: "model_gone",
  // Mistral and Perplexity, Together, Groq
  invalid_model: "model_gone",
  model_not_available: "model_gone",
  model_decommissioned: "model_gone",
  // Azure
  DeploymentNotFound: "model_gone",
  ResponsibleAIPolicyViolation: "provider_rejected",
  contentFilter: "provider_rejected",
  overloaded_error: "provider_overloaded",
  server_overloaded: "provider_overloaded",
  server_is_overloaded: "provider_overloaded",
  slow_down: "provider_overloaded",
  engine_overloaded: "provider_overloaded",
  service_unavailable: "provider_overloaded",
  // llama.cpp: 503, while it loads its model
  unavailable_error: "provider_overloaded",
  vector_store_timeout: "provider_timeout",
  // Mistral, Cerebras: 429 as well, but not caused by us.
  service_tier_capacity_exceeded: "provider_overloaded",
  queue_exceeded: "provider_overloaded",
};

/**
 * An unreadable picture is reported after the answer has started
 * (https://platform.openai.com/docs/api-reference/responses/object).
 */
const isOfPicture = (code: string) =>
  /^(invalid|unsupported|empty|failed_to_download)_(base64_)?image|^image_/.test(code);

/**
 * OpenAI (429) and Groq (413) report this as a rate limit, but no wait makes the request small
 * enough.
 */
const isTooLarge = ({ message = "" }: ErrorFields) => /request too large for/i.test(message);

/**
 * Messages of servers that send no code of their own. They decide only about an error, never about
 * a model.
 */
const wordings: readonly [pattern: RegExp, statuses: readonly number[], code: ErrorCode][] = [
  // vLLM, LM Studio, OpenRouter; xAI; Together (from Text Generation Inference); LocalAI,
  // llama.cpp: 500, the last one for embeddings
  [
    /maximum (context|prompt) length|context (length|window|size)|prompt is too long|`inputs` tokens \+|too large to process/i,
    [400, 413, 422, 500],
    "provider_context_too_long",
  ],
  // Ollama, vLLM; DeepSeek; LiteLLM, OpenAI; OpenRouter; LocalAI
  [
    /\bmodel\b.*(not found|not exist|not a valid model)|supported API model names|not a valid model|invalid model (name|id)|no endpoints found|could not load model/i,
    [400, 404, 500],
    "model_gone",
  ],
  // OpenRouter; DeepSeek; xAI
  [
    /moderation|flagged|content policy|content exists risk|violates usage guidelines/i,
    [400, 403],
    "provider_rejected",
  ],
  // OpenRouter, DeepSeek; Azure; xAI; Fireworks: 412
  [
    /insufficient (credits|balance|funds)|exceeded your current quota|out of call volume quota|used all available credits|spending limit/i,
    [402, 403, 412, 429],
    "provider_quota",
  ],
  // Fireworks, for a LoRA that it could not load
  [/\bLoRA\b/i, [412], "model_gone"],
  // llama.cpp, for a model without vision or audio
  [/(image|audio) input is not supported/i, [500], "provider_invalid_input"],
  // Groq, within a stream
  [/over capacity/i, [], "provider_overloaded"],
  // OpenAI, for a key without the scope
  [/insufficient permissions/i, [401], "provider_forbidden"],
  // xAI: 400
  [/(incorrect|invalid) api key/i, [400], "provider_auth"],
];

export function classify(fields: ErrorFields, status: number): ErrorCode | undefined {
  if (isTooLarge(fields)) return "provider_context_too_long";
  const named = codes[fields.code ?? ""] ?? codes[fields.type ?? ""];
  if (named) return named;
  if (isOfPicture(fields.code ?? "")) return "provider_invalid_input";
  const code = wordings.find(
    ([pattern, statuses]) =>
      (Number.isNaN(status) || statuses.includes(status)) && pattern.test(fields.message ?? ""),
  )?.[2];
  // Gemini says "You exceeded your current quota" for a per-minute limit as well, with the time
  // until the next.
  return code === "provider_quota" && status === 429 && fields.retryAfterMs !== undefined
    ? "provider_rate_limited"
    : code;
}

/** Local servers' messages that are too short, with replacements that name the remedy. */
const shortSayings: readonly [pattern: RegExp, words: (facts: { host: string }) => string][] = [
  // llama.cpp: 503, then that of its router: 400
  [/^loading model$/i, sentences.answers.modelLoading],
  [/^model is not (loaded|running)$/i, sentences.answers.modelNotLoaded],
  // LM Studio, for a model that was unloaded meanwhile
  [/^model (is )?unloaded\b|^model .* is not loaded/i, sentences.answers.modelNotLoaded],
];

/** Returns the error with a full sentence if the server's message is too short. */
export function inWords(error: ProviderError, host: string): ProviderError {
  const providerMessage = error.detail.providerMessage;
  const words =
    providerMessage && shortSayings.find(([pattern]) => pattern.test(providerMessage.trim()))?.[1];
  if (!words) return error;
  const detail = { ...error.detail, message: words({ host }) };
  return new ProviderError(error.code, error.accepted, detail, { cause: error });
}

/** The codes of statuses in place of a code; any other status is an interrupted provider. */
const byStatus: Readonly<Record<number, ErrorCode>> = {
  402: "provider_quota",
  408: "provider_timeout",
  429: "provider_rate_limited",
  503: "provider_overloaded",
  504: "provider_timeout",
};

/**
 * Builds the error from within a 200 response, as an event or a whole body. The provider had
 * started, so the request is never repeated automatically. A code that is a status ("code": 429,
 * OpenRouter) is read as one.
 */
export function toAnswerError(
  body: unknown,
  facts: { secret: string | null; host: string },
): ProviderError {
  const fields = toErrorFields(body);
  const reportedStatus = Number(fields.code ?? Number.NaN);
  // Cerebras puts it next to the error.
  const status =
    Number.isNaN(reportedStatus) && isRecord(body)
      ? Number(body.status_code ?? Number.NaN)
      : reportedStatus;
  const code = classify(fields, status) ?? byStatus[status] ?? "provider_interrupted";
  return inWords(toWordedError(code, "yes", fields, facts), facts.host);
}

/**
 * Builds the error of a 200 body that isn't the endpoint's: the provider's own error, or another
 * kind of service.
 */
export function unexpectedBody(
  body: unknown,
  facts: { secret: string | null; host: string },
): ProviderError {
  if (isRecord(body) && body.error) return toAnswerError(body, facts);
  const message = sentences.answers.resultMissing({ host: facts.host });
  return new ProviderError("provider_protocol", "unknown", { message });
}
