/**
 * Parameters of OpenAI's chats that most services accept. Each list follows one service's
 * documentation.
 */
export const commonParameters = [
  "frequency_penalty",
  "presence_penalty",
  "parallel_tool_calls",
] as const;

/** Parameters that services with open models accept as well. */
export const samplingParameters = [
  ...commonParameters,
  "logit_bias",
  "top_k",
  "min_p",
  "repetition_penalty",
] as const;

/**
 * Filters of Perplexity's search. `web_search_options` isn't among them, because its
 * `search_context_size` raises the price of a request
 * (https://docs.perplexity.ai/api-reference/chat-completions-post).
 */
export const searchParameters = [
  "search_mode",
  "search_domain_filter",
  "search_language_filter",
  "search_recency_filter",
  "search_after_date_filter",
  "search_before_date_filter",
  "last_updated_after_filter",
  "last_updated_before_filter",
  "disable_search",
  "enable_search_classifier",
] as const;

/** Parameters for log probabilities. */
export const logprobParameters = ["logprobs", "top_logprobs"] as const;

/**
 * For self-hosted servers: also parameters that the chat template reads. These servers ignore
 * unknown names.
 */
export const serverParameters = [
  ...samplingParameters,
  ...logprobParameters,
  "typical_p",
  "repeat_penalty",
  "chat_template_kwargs",
  "enable_thinking",
] as const;

/**
 * Samplers and other parameters of llama.cpp, which its chat completions accept too
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md, "POST /completion").
 */
export const llamaParameters = [
  "grammar",
  "cache_prompt",
  "dry_allowed_length",
  "dry_base",
  "dry_multiplier",
  "dry_penalty_last_n",
  "dry_sequence_breakers",
  "dynatemp_exponent",
  "dynatemp_range",
  "id_slot",
  "ignore_eos",
  "min_keep",
  "mirostat",
  "mirostat_eta",
  "mirostat_tau",
  "n_keep",
  "repeat_last_n",
  "samplers",
  "top_n_sigma",
  "xtc_probability",
  "xtc_threshold",
] as const;

/** Parameters of the Responses API, at OpenAI and at Azure. */
export const responsesParameters = [
  ...logprobParameters,
  "parallel_tool_calls",
  "verbosity",
  "truncation",
  "prompt_cache_key",
  "safety_identifier",
] as const;

/**
 * Parameters of the Responses API at OpenAI only
 * (https://platform.openai.com/docs/api-reference/responses/create).
 */
export const openaiParameters = [...responsesParameters, "prompt_cache_retention"] as const;
