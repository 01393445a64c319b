import { named } from "./aws.ts";
import { openAiError } from "./openai.ts";
import type { Column, Further } from "./table.ts";

const invalid = (
  message: string,
  fields: { type?: string; code?: string | null; param?: string } = {},
) => openAiError(message, { type: "invalid_request_error", ...fields });
const routed = (message: string, metadata?: object) => ({
  error: { message, code: 400, ...(metadata && { metadata }) },
  user_id: "user_1",
});
const google = (code: number, status: string, message: string) => ({
  error: { code, message, status },
});
const anthropic = (message: string) => ({
  type: "error",
  error: { type: "invalid_request_error", message },
  request_id: "req_1",
});
const llama = (message: string) => ({ error: { code: 500, message, type: "server_error" } });
const bare = (message: string) => ({ error: { message, type: "invalid_request_error" } });

/**
 * Further statuses, codes and shapes of the same refusals, in addition to a service's primary
 * reference. The sentences are ours.
 */
const further: Further = {
  openai: [
    [
      "missing right",
      { status: 401, body: invalid("You have insufficient permissions for this.") },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: invalid("The output limit of max_tokens was reached before the message began."),
      },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: invalid("No image_url for this model.", {
          code: "invalid_value",
          param: "messages[0].content",
        }),
        field: "messages[0].content",
      },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: invalid("'temperature' is too small.", {
          code: "decimal_below_min_value",
          param: "temperature",
        }),
        field: "temperature",
      },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: invalid("Send a PDF in place of this file.", {
          code: "unsupported_file",
          param: "input",
        }),
        field: "input",
      },
    ],
    ["model gone", { status: 400, body: invalid("invalid model ID") }],
    [
      "model gone",
      {
        status: 400,
        body: invalid("There is no model 'gpt-0'.", { code: "model_not_found", param: "model" }),
        field: "model",
      },
    ],
    [
      "model gone",
      {
        status: 400,
        body: openAiError("The model 'gpt-0' does not exist.", {
          type: "image_generation_user_error",
          code: "invalid_value",
          param: "model",
        }),
        field: "model",
      },
    ],
    [
      "model gone",
      {
        status: 404,
        body: invalid("No `gpt-0`, or no access to it.", { code: "model_not_found" }),
      },
    ],
  ],
  anthropic: [
    [
      "wrong setting",
      {
        status: 400,
        body: anthropic("output_config.format.schema: close this object."),
        headers: { "x-should-retry": "false" },
      },
    ],
    [
      "wrong setting",
      { status: 400, body: anthropic("Effort 'xhigh' is not among this model's levels.") },
    ],
  ],
  bedrock: [
    [
      "wrong setting",
      named(
        400,
        "ValidationException",
        "Malformed input request: #/messages/2/content/0: a key too many.",
      ),
    ],
    ["wrong setting", named(400, "ValidationException", "No video block for this model, please.")],
    ["model gone", named(400, "ValidationException", "The provided model identifier is invalid.")],
  ],
  google: [
    [
      "wrong setting",
      { status: 400, body: google(400, "INVALID_ARGUMENT", "This model gives no logprobs.") },
    ],
    // An error, even though it has a stream's content type.
    [
      "wrong setting",
      {
        status: 400,
        headers: { "content-type": "text/event-stream" },
        body: google(400, "INVALID_ARGUMENT", "Streams give no logprobs."),
      },
    ],
    [
      "model gone",
      {
        status: 400,
        body: google(
          400,
          "INVALID_ARGUMENT",
          "* GenerateContentRequest.model: unexpected model name format",
        ),
      },
    ],
    [
      "model gone",
      {
        status: 404,
        body: google(404, "NOT_FOUND", "models/gemini-0 is not found for this version."),
      },
    ],
  ],
  vertex: [
    [
      "wrong setting",
      {
        status: 400,
        body: google(400, "INVALID_ARGUMENT", "The file at this URL could not be fetched."),
      },
    ],
  ],
  openrouter: [
    [
      "wrong key",
      { status: 401, body: { error: { message: "No header for authentication", code: 401 } } },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: routed("Provider returned error", {
          raw: '{"code":400,"msg":"one parameter is wrong","request_id":"1"}',
          provider_name: "One",
          is_byok: false,
        }),
      },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: routed("Provider returned error", {
          raw: '{"detail":"A schema is required for this response format."}',
          provider_name: "Two",
          is_byok: false,
        }),
      },
    ],
    [
      "rate limit",
      {
        status: 429,
        body: {
          error: {
            code: 429,
            message: "Provider returned error",
            metadata: {
              provider_name: "Three",
              raw: "vendor/model-0 is rate-limited upstream for now.",
            },
          },
          user_id: "user_1",
        },
      },
    ],
    ["model gone", { status: 400, body: routed("vendor/model-0 is not a valid model ID") }],
  ],
  mistral: [
    [
      "wrong setting",
      {
        status: 422,
        body: {
          detail: [
            {
              type: "enum",
              loc: ["body", "tools", "list[Tool]", 0, "type"],
              msg: "Only 'function' goes here",
              input: "search",
            },
          ],
        },
        field: "tools.list[Tool].0.type",
      },
    ],
  ],
  deepseek: [
    [
      "wrong key",
      {
        status: 401,
        body: openAiError("The api key ****1234 is not valid", {
          type: "authentication_error",
          code: "invalid_request_error",
        }),
      },
    ],
    [
      "wrong setting",
      {
        status: 400,
        headers: { "content-type": "application/octet-stream" },
        body: invalid("No tool_choice while it thinks", { code: "invalid_request_error" }),
      },
    ],
    [
      "model gone",
      {
        status: 400,
        body: invalid(
          "The supported API model names are deepseek-a or deepseek-b; sim-0 is none.",
          { code: "invalid_request_error" },
        ),
      },
    ],
  ],
  groq: [
    [
      "wrong setting",
      {
        status: 400,
        body: {
          error: bare("code=400, message=tools[0].type is wrong, type=invalid_request_error").error,
        },
      },
    ],
    [
      "wrong setting",
      {
        status: 400,
        body: {
          error: {
            ...invalid("A tool had to be called, and none was", { code: "tool_use_failed" }).error,
            failed_generation: "so",
          },
        },
      },
    ],
    [
      "model gone",
      {
        status: 404,
        body: invalid("No `llama-0`, or no access to it.", { code: "model_not_found" }),
      },
    ],
  ],
  cerebras: [
    [
      "missing right",
      {
        status: 403,
        body: {
          message: "Pictures are not enabled for your organization",
          type: "invalid_request_error",
          param: "model",
          code: "multimodal_not_enabled",
        },
      },
    ],
  ],
  together: [
    ["wrong key", { status: 401, body: { error: { message: "Unauthorized" } }, isSilent: true }],
    [
      "wrong key",
      {
        status: 401,
        body: { id: "o1", ...invalid("This API key is not known.", { code: "invalid_api_key" }) },
      },
    ],
  ],
  perplexity: [
    [
      "model gone",
      {
        status: 400,
        body: { error: { message: "Invalid model 'sonar-0'.", type: "invalid_model", code: 400 } },
      },
    ],
  ],
  cohere: [
    [
      "wrong setting",
      { status: 400, body: { id: "1", message: "invalid request: no pictures for this model" } },
    ],
    ["model gone", { status: 404, body: { id: "1", message: "model 'command-0' not found" } }],
  ],
  llamacpp: [
    ["too long", { status: 500, body: llama("Context size has been exceeded.") }],
    ["too long", { status: 500, body: llama("input (600 tokens) is too large to process.") }],
    ["wrong setting", { status: 500, body: llama("image input is not supported") }],
    ["wrong setting", { status: 500, body: llama("audio input is not supported") }],
  ],
  ollama: [["model gone", { status: 404, body: { error: "model 'sim-0' not found" } }]],
};

/** Adds the service's further answers to a column. */
export function withFurther(column: Column): Column {
  const before = { ...column.before };
  for (const [row, refusal] of further[column.name] ?? []) {
    const previous = before[row];
    before[row] = typeof previous === "string" ? refusal : [previous, refusal].flat();
  }
  return { ...column, before };
}
