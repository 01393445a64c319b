/** Parameters of OpenAI's chats that most services take; each list is one service's documentation. */
export const commonParameters = [
  "frequency_penalty",
  "presence_penalty",
  "parallel_tool_calls",
] as const;

/** What services with open models take as well. */
export const samplingParameters = [
  ...commonParameters,
  "logit_bias",
  "top_k",
  "min_p",
  "repetition_penalty",
] as const;

/** What a service says of each token. */
export const logprobParameters = ["logprobs", "top_logprobs"] as const;

/** Of a server that one runs: also what its chat template reads. Unknown names are ignored there. */
export const serverParameters = [
  ...samplingParameters,
  ...logprobParameters,
  "typical_p",
  "repeat_penalty",
  "chat_template_kwargs",
  "enable_thinking",
] as const;

/**
 * Samplers and others of llama.cpp's own, which its chat completions take as well
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

/** The same at OpenAI alone (https://platform.openai.com/docs/api-reference/responses/create). */
export const openaiParameters = [...responsesParameters, "prompt_cache_retention"] as const;
