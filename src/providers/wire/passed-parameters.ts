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

/** Of a server that one runs: also what its chat template reads. Unknown names are ignored there. */
export const serverParameters = [
  ...samplingParameters,
  "typical_p",
  "repeat_penalty",
  "chat_template_kwargs",
  "enable_thinking",
] as const;

/** What OpenAI's Responses take. */
export const responsesParameters = [
  "parallel_tool_calls",
  "verbosity",
  "prompt_cache_key",
  "safety_identifier",
] as const;
