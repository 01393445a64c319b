import { endsWithoutAWord, keyComesFirst, openAiError, requestComesFirst } from "./openai.ts";
import { presetColumn } from "./presets.ts";
import type { Column, LateRefusal } from "./table.ts";

const costsNothing = "It runs on one's own machine: there is nothing to be used up.";
const noRights = "Its key, where it has one, opens everything.";
const filtersNothing = "It refuses no content: its models answer with words.";
const waitsInLine = "Requests wait in line: nobody is told to slow down.";

/** `code` is the status. */
const llamaError = (code: number, type: string, message: string, more: object = {}) => ({
  error: { code, message, type, ...more },
});
const vllmError = (code: number, type: string, message: string, param: string | null = null) => ({
  error: { message, type, param, code },
});
/** The flat shape of versions before 0.10. */
const oldVllmError = (code: number, type: string, message: string) => ({
  object: "error",
  message,
  type,
  param: null,
  code,
});
/** Strings where others have numbers, with the name of the gateway's exception in front. */
const gatewayError = (status: number, message: string, type: string | null) => ({
  status,
  body: { error: { message, type, param: null, code: String(status) } },
});
const chunk = (chunk: object): LateRefusal => ({ error: { chunk } });

export const localColumns: readonly Column[] = [
  presetColumn("litellm", "sim-chat", {
    reference: "https://docs.litellm.ai/docs/exception_mapping",
    before: {
      "rate limit": gatewayError(
        429,
        "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached for gpt-5.5",
        "throttling_error",
      ),
      "used up": [
        gatewayError(
          400,
          "Budget has been exceeded! Current cost: 0.0021, Max budget: 0.002",
          "budget_exceeded",
        ),
        gatewayError(
          429,
          "Budget has been exceeded! Team=1 Current cost: 10.1, Max budget: 10.0",
          "budget_exceeded",
        ),
      ],
      "wrong key": gatewayError(
        401,
        "Authentication Error, Invalid proxy server token passed. Received API Key = {key}, Unable to find token in cache",
        "auth_error",
      ),
      "missing right": gatewayError(
        403,
        "key not allowed to access model. This key can only access models=['a']. Tried to access sim-chat",
        "key_model_access_denied",
      ),
      "too long": gatewayError(
        400,
        "litellm.ContextWindowExceededError: This model's maximum context length is 8192 tokens.",
        null,
      ),
      filter: gatewayError(
        400,
        "litellm.ContentPolicyViolationError: The prompt violates the content policy",
        null,
      ),
      "wrong setting": gatewayError(
        400,
        "litellm.UnsupportedParamsError: sim does not support parameters: ['seed']",
        "None",
      ),
      "model gone": [
        gatewayError(
          400,
          "/chat/completions: Invalid model name passed in model=sim-0. Call `/v1/models` to view available models.",
          "invalid_request_error",
        ),
        gatewayError(
          404,
          "litellm.NotFoundError: OpenAIException - The model `gpt-0` does not exist",
          null,
        ),
      ],
      overload: gatewayError(
        503,
        "litellm.ServiceUnavailableError: AnthropicException - Overloaded",
        null,
      ),
      timeout: gatewayError(
        408,
        "litellm.Timeout: APITimeoutError - Request timed out.",
        "timeout_error",
      ),
      "broken server": gatewayError(
        500,
        "litellm.InternalServerError: OpenAIException - The server had an error",
        null,
      ),
    },
    after: {
      "rate limit": {
        error: {
          message: "litellm.RateLimitError: Rate limit reached in mid-stream",
          type: "throttling_error",
          param: null,
          code: "429",
        },
      },
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: { finish: "content_filter" },
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: {
        error: {
          message: "litellm.MidStreamFallbackError: ServiceUnavailable",
          type: null,
          param: null,
          code: "503",
        },
      },
      timeout: {
        error: {
          message: "litellm.Timeout: the stream timed out",
          type: null,
          param: null,
          code: "408",
        },
      },
      "broken server": {
        error: {
          message: "litellm.APIConnectionError: the stream broke",
          type: null,
          param: null,
          code: "500",
        },
      },
    },
  }),
  presetColumn("lmstudio", "sim-chat", {
    reference: "https://lmstudio.ai/docs/developer/openai-compat",
    before: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": {
        status: 401,
        body: openAiError("Malformed LM Studio API token provided: {key}.", {
          type: "invalid_request_error",
          code: "invalid_api_key",
        }),
      },
      "missing right": noRights,
      "too long": {
        status: 400,
        body: {
          error:
            "Trying to keep the first 6547 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
        },
      },
      filter: filtersNothing,
      "wrong setting": {
        status: 400,
        body: { error: "'response_format.type' must be 'json_schema' or 'text'" },
      },
      "model gone": [
        {
          status: 404,
          body: openAiError('Model "sim-0" not found. Load it first.', {
            type: "invalid_request_error",
            code: "model_not_found",
            param: "model",
          }),
        },
        {
          status: 400,
          body: openAiError("No models loaded. Please load a model in the developer page.", {
            type: "invalid_request_error",
            code: "model_not_found",
          }),
        },
      ],
      overload: waitsInLine,
      timeout: endsWithoutAWord,
      "broken server": {
        status: 500,
        body: { error: "The model has crashed without additional information." },
        isForeign: true,
      },
    },
    after: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": keyComesFirst,
      "missing right": noRights,
      // It answers 200 before it checks the length.
      "too long": {
        error: {
          message:
            "The number of tokens to keep from the initial prompt is greater than the context length.",
        },
      },
      filter: filtersNothing,
      "wrong setting": requestComesFirst,
      "model gone": { error: { message: "Model was not found: it was unloaded in the middle." } },
      overload: waitsInLine,
      timeout: endsWithoutAWord,
      "broken server": {
        error: { message: "The model has crashed without additional information." },
      },
    },
  }),
  presetColumn("llamacpp", "sim-chat", {
    reference: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    before: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": {
        status: 401,
        body: llamaError(401, "authentication_error", "Invalid API Key"),
      },
      "missing right": {
        status: 403,
        body: llamaError(403, "permission_error", "This server does not allow it."),
      },
      "too long": {
        status: 400,
        body: llamaError(
          400,
          "exceed_context_size_error",
          "request (9012 tokens) exceeds the available context size (8192 tokens), try increasing it",
          {
            n_prompt_tokens: 9_012,
            n_ctx: 8_192,
          },
        ),
      },
      filter: filtersNothing,
      "wrong setting": [
        { status: 400, body: llamaError(400, "invalid_request_error", "Failed to parse grammar") },
        {
          status: 501,
          body: llamaError(501, "not_supported_error", "This server does not support embeddings."),
          code: "provider_invalid_input",
        },
      ],
      "model gone": "It serves one model, whatever the name.",
      overload: [
        { status: 503, body: llamaError(503, "unavailable_error", "Loading model, please wait") },
        { status: 503, body: llamaError(503, "unavailable_error", "no slot available") },
      ],
      timeout: endsWithoutAWord,
      "broken server": {
        status: 500,
        body: llamaError(500, "server_error", "Failed to decode the batch."),
      },
    },
    after: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": {
        error: llamaError(400, "exceed_context_size_error", "the context is full", { n_ctx: 8_192 })
          .error,
      },
      filter: filtersNothing,
      "wrong setting": requestComesFirst,
      "model gone": "It serves one model, whatever the name.",
      overload: requestComesFirst,
      timeout: endsWithoutAWord,
      "broken server": {
        error: llamaError(500, "server_error", "Failed to decode the batch.").error,
      },
    },
  }),
  presetColumn("vllm", "sim-chat", {
    reference: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    before: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": { status: 401, body: { error: "Unauthorized" }, isSilent: true },
      "missing right": noRights,
      "too long": [
        {
          status: 400,
          body: vllmError(
            400,
            "BadRequestError",
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
          ),
        },
        {
          status: 400,
          body: oldVllmError(
            400,
            "BadRequestError",
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
          ),
        },
      ],
      filter: filtersNothing,
      "wrong setting": {
        status: 400,
        body: vllmError(
          400,
          "BadRequestError",
          "temperature must be non-negative, got -1.0.",
          "temperature",
        ),
        field: "temperature",
      },
      "model gone": [
        { status: 404, body: vllmError(404, "NotFoundError", "The model `sim-0` does not exist.") },
        {
          status: 404,
          body: oldVllmError(404, "NotFoundError", "The model `sim-0` does not exist."),
        },
      ],
      overload: {
        status: 503,
        body: vllmError(
          503,
          "ServiceUnavailableError",
          "The server is shutting down or overloaded.",
        ),
      },
      timeout: endsWithoutAWord,
      "broken server": {
        status: 500,
        body: vllmError(500, "InternalServerError", "EngineCore encountered an issue."),
      },
    },
    after: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": keyComesFirst,
      "missing right": noRights,
      "too long": requestComesFirst,
      filter: filtersNothing,
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: {
        error: vllmError(503, "ServiceUnavailableError", "The server is shutting down.").error,
      },
      timeout: endsWithoutAWord,
      "broken server": [
        { error: vllmError(500, "InternalServerError", "EngineCore encountered an issue.").error },
        chunk(oldVllmError(500, "InternalServerError", "EngineCore encountered an issue.")),
      ],
    },
  }),
  presetColumn("localai", "sim-chat", {
    reference: "https://localai.io/reference/api-errors/",
    before: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": {
        status: 401,
        body: llamaError(401, "invalid_request_error", "An authentication key is required"),
      },
      "missing right": noRights,
      "too long": {
        status: 500,
        body: llamaError(500, "", "rpc error: the request exceeds the available context size"),
      },
      filter: filtersNothing,
      "wrong setting": {
        status: 400,
        body: llamaError(
          400,
          "invalid_request_error",
          "failed reading parameters from request: unexpected EOF",
        ),
      },
      "model gone": [
        {
          status: 404,
          body: llamaError(
            404,
            "",
            'model "sim-0" not found. To see available models, call GET /v1/models',
          ),
        },
        {
          status: 500,
          body: llamaError(500, "", "could not load model: rpc error: code = Unknown"),
        },
      ],
      overload: { status: 503, body: llamaError(503, "", "the server is busy, try again later") },
      timeout: endsWithoutAWord,
      "broken server": {
        status: 500,
        body: llamaError(500, "", "rpc error: the backend has ended"),
      },
    },
    after: {
      "rate limit": waitsInLine,
      "used up": costsNothing,
      "wrong key": keyComesFirst,
      "missing right": noRights,
      "too long": {
        error: {
          code: 500,
          message: "the request exceeds the available context size",
          type: "server_error",
        },
      },
      filter: filtersNothing,
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: requestComesFirst,
      timeout: endsWithoutAWord,
      "broken server": {
        error: { code: 500, message: "rpc error: the backend has ended", type: "server_error" },
      },
    },
  }),
];
