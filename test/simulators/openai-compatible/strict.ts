/**
 * The fields of each endpoint according to the public reference, limited to those that Bottega
 * uses.
 */
export type Check = (value: unknown) => boolean;
/** Differences of a service's requests from OpenAI's own. */
export type OtherFields = Record<
  string,
  { more?: Record<string, Check>; without?: readonly string[]; needs?: readonly string[] }
>;
const isString: Check = (value) => typeof value === "string";
const isFilled: Check = (value) => typeof value === "string" && value !== "";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isWhole: Check = (value) => Number.isInteger(value) && (value as number) > 0;
const isBoolean: Check = (value) => typeof value === "boolean";
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    values.includes(value as string);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isStringOrStrings: Check = (value) =>
  isFilled(value) || (Array.isArray(value) && value.length > 0 && value.every(isString));

const areTokens: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
/**
 * Texts or tokens, at most 2,048
 * (https://platform.openai.com/docs/api-reference/embeddings/create).
 */
const areEmbeddingInputs: Check = (value) =>
  isFilled(value) ||
  areTokens(value) ||
  (Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 2_048 &&
    (value.every(isFilled) || value.every(areTokens)));

export const requestFields: Record<
  string,
  { required: Record<string, Check>; optional: Record<string, Check> }
> = {
  "/chat/completions": {
    required: { model: isFilled, messages: areMessages },
    optional: {
      stream: isBoolean,
      stream_options: (value) => JSON.stringify(value) === '{"include_usage":true}',
      max_tokens: isWhole,
      max_completion_tokens: isWhole,
      temperature: isNumber,
      top_p: isNumber,
      seed: Number.isInteger,
      stop: isStringOrStrings,
      reasoning_effort: isFilled,
      frequency_penalty: isNumber,
      presence_penalty: isNumber,
      parallel_tool_calls: isBoolean,
      logit_bias: isObject,
      logprobs: isBoolean,
      top_logprobs: isWhole,
      prompt_cache_retention: oneOf("in_memory", "24h"),
      // vLLM and llama.cpp (docs.vllm.ai, "Extra parameters")
      top_k: Number.isInteger,
      min_p: isNumber,
      repetition_penalty: isNumber,
      tools: areTools,
      tool_choice: isToolChoice,
      response_format: isResponseFormat,
    },
  },
  "/images/generations": {
    required: { model: isFilled, prompt: isFilled },
    optional: {
      n: isWhole,
      size: (value) => value === "auto" || /^\d+x\d+$/.test(String(value)),
      quality: isString,
      background: isString,
      output_format: oneOf("png", "jpeg", "webp"),
      response_format: oneOf("url", "b64_json"),
      style: isString,
      moderation: oneOf("auto", "low"),
      output_compression: (value) =>
        Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100,
      stream: isBoolean,
      partial_images: (value) =>
        Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 3,
    },
  },
  "/audio/speech": {
    required: { model: isFilled, input: isFilled, voice: isFilled },
    optional: {
      response_format: oneOf("mp3", "opus", "aac", "flac", "wav", "pcm"),
      speed: isNumber,
      instructions: isString,
    },
  },
  "/embeddings": {
    required: { model: isFilled, input: areEmbeddingInputs },
    optional: { dimensions: isWhole, encoding_format: oneOf("float", "base64") },
  },
};

export const formFields: Record<
  string,
  { required: string[]; optional: string[]; files: string[] }
> = {
  "/audio/transcriptions": {
    required: ["model", "file"],
    optional: [
      ...["language", "prompt", "response_format", "temperature", "stream"],
      ...["timestamp_granularities[]", "chunking_strategy"],
    ],
    files: ["file"],
  },
  "/images/edits": {
    required: ["model", "prompt"],
    optional: [
      ...["image", "image[]", "mask", "n", "size", "quality", "background", "output_format"],
      ...["output_compression", "moderation", "stream", "partial_images"],
    ],
    files: ["image", "image[]", "mask"],
  },
};

/** The error of a JSON body, or null. */
export function refuseBody(
  path: string,
  body: unknown,
  others: OtherFields = {},
): { message: string; param: string | null } | null {
  const fields = requestFields[path]!;
  const { more = {}, without = [], needs = [] } = others[path] ?? {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { message: "The body is not an object.", param: null };
  for (const name of [...Object.keys(fields.required), ...needs]) {
    if (!(name in body)) return { message: `Missing required parameter: '${name}'.`, param: name };
  }
  for (const [name, value] of Object.entries(body)) {
    const check = more[name] ?? fields.required[name] ?? fields.optional[name];
    if (!check || without.includes(name))
      return { message: `Unrecognized request argument supplied: ${name}`, param: name };
    if (!check(value)) return { message: `Invalid value for '${name}'.`, param: name };
  }
  return null;
}

/** The error of a form, or null. */
export function refuseForm(
  path: string,
  form: FormData,
): { message: string; param: string | null } | null {
  const fields = formFields[path]!;
  for (const name of fields.required)
    if (!form.has(name)) return { message: `Missing required parameter: '${name}'.`, param: name };
  for (const [name, value] of form) {
    if (!fields.required.includes(name) && !fields.optional.includes(name))
      return { message: `Unrecognized request argument supplied: ${name}`, param: name };
    if (fields.files.includes(name) !== value instanceof File)
      return { message: `Invalid value for '${name}'.`, param: name };
    if (name === "timestamp_granularities[]" && form.get("response_format") !== "verbose_json")
      return { message: `'${name}' needs response_format 'verbose_json'.`, param: name };
    if (value instanceof File && (value.size === 0 || value.name === ""))
      return { message: `'${name}' is empty or has no name.`, param: name };
  }
  return null;
}

const partFields: Record<string, Check> = {
  // Mistral
  document_url: (part) =>
    /^data:application\/pdf;base64,/.test((part as { document_url?: string }).document_url ?? ""),
  text: (part) => isFilled((part as { text?: unknown }).text),
  image_url: (part) =>
    /^(data:image\/[a-z+]+;base64,[A-Za-z0-9+/=]+|https?:)/.test(
      (part as { image_url?: { url?: string } }).image_url?.url ?? "",
    ),
  file: (part) =>
    /^data:application\/pdf;base64,[A-Za-z0-9+/=]+$/.test(
      (part as { file?: { file_data?: string } }).file?.file_data ?? "",
    ),
  input_audio: (part) => isFilled((part as { input_audio?: { data?: unknown } }).input_audio?.data),
};

const isToolName: Check = (value) => typeof value === "string" && /^[\w-]{1,64}$/.test(value);

function areTools(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((tool) => {
      const told =
        isObject(tool) && tool.type === "function" && isObject(tool.function)
          ? tool.function
          : null;
      return (
        told !== null &&
        isToolName(told.name) &&
        isObject(told.parameters) &&
        told.parameters.type === "object"
      );
    })
  );
}

function isToolChoice(value: unknown): boolean {
  return (
    oneOf("auto", "none", "required")(value) ||
    (isObject(value) &&
      value.type === "function" &&
      isObject(value.function) &&
      isToolName(value.function.name))
  );
}

function areToolCalls(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (call) =>
        isObject(call) &&
        isFilled(call.id) &&
        call.type === "function" &&
        isObject(call.function) &&
        isToolName(call.function.name) &&
        isString(call.function.arguments),
    )
  );
}

function isResponseFormat(value: unknown): boolean {
  return (
    isObject(value) &&
    (value.type === "json_object" ||
      (value.type === "json_schema" &&
        isObject(value.json_schema) &&
        isToolName(value.json_schema.name) &&
        isObject(value.json_schema.schema)))
  );
}

/**
 * Answers may be sent back with their reasoning, in either field (api-docs.deepseek.com, "Thinking
 * Mode"; OpenRouter, "Reasoning").
 */
const reasoningFields = ["reasoning_content", "reasoning"];

function areMessages(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((message: { role?: unknown; content?: unknown; [other: string]: unknown }) => {
    if (
      Object.keys(message).some(
        (name) =>
          !["role", "content", "tool_calls", "tool_call_id"].includes(name) &&
          !(message.role === "assistant" && reasoningFields.includes(name)),
      )
    )
      return false;
    if (message.role === "tool") return isFilled(message.tool_call_id) && isString(message.content);
    if (message.role === "assistant" && message.tool_calls) return areToolCalls(message.tool_calls);
    if (message.role === "system" || message.role === "assistant") return isString(message.content);
    if (message.role !== "user") return false;
    if (isFilled(message.content)) return true;
    return (
      Array.isArray(message.content) &&
      message.content.length > 0 &&
      message.content.every(
        (part: { type?: string }) => partFields[part.type ?? ""]?.(part) === true,
      )
    );
  });
}
