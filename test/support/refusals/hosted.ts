import {
  endsWithoutAWord,
  gatewayTimeout,
  keyComesFirst,
  openAiError,
  requestComesFirst,
} from "./openai.ts";
import { presetColumn } from "./presets.ts";
import type { Column, LateRefusal } from "./table.ts";

/** `{error: {code, message, metadata}}`, in which `code` is the status. */
const router = (status: number, message: string, metadata?: object) => ({
  status,
  body: { error: { code: status, message, ...(metadata && { metadata }) }, user_id: "user_1" },
});
/**
 * A regular chunk, with the error next to an empty choice
 * (https://openrouter.ai/docs/api/reference/streaming).
 */
const routed = (code: number | string, message: string): LateRefusal => ({
  error: {
    chunk: {
      error: { code, message },
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
    },
  },
});

const groqError = (message: string, code: string | null, type = "invalid_request_error") =>
  openAiError(message, { type, code });
/** Groq has a separate field for the reason that a stream ends early. */
const ofGroq = (error: string): LateRefusal => ({
  error: { chunk: { x_groq: { id: "req_1", error }, choices: [] } },
});

/** `{code: "a name in words", error: "a sentence"}`. */
const xaiError = (code: string, error: string) => ({ code, error });
const invalid = "Client specified an invalid argument";

/** Flat: `{message, type, param, code}`; inside a stream, next to its status. */
const cerebrasError = (
  message: string,
  type: string,
  code: string,
  param: string | null = null,
) => ({ message, type, param, code });
const ofCerebras = (
  status: number,
  message: string,
  type: string,
  code: string | null,
): LateRefusal => ({
  error: { chunk: { error: { message, type, param: null, code }, status_code: status } },
});

export const hostedColumns: readonly Column[] = [
  presetColumn("openrouter", "sim/chat", {
    reference: "https://openrouter.ai/docs/api/reference/errors-and-debugging",
    before: {
      "rate limit": [
        {
          ...router(429, "Rate limit exceeded: free-models-per-min. "),
          headers: { "retry-after": "12" },
          waitMs: 12_000,
        },
        router(429, "Provider returned error", {
          raw: "sim/chat is temporarily rate-limited upstream.",
          provider_name: "Sim",
        }),
      ],
      "used up": [
        router(
          402,
          "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 222.",
        ),
        router(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits", {
          limit_source: "openrouter_credits",
        }),
      ],
      "wrong key": router(401, "User not found."),
      "missing right": router(403, "This API key is not allowed to use this model."),
      "too long": router(
        400,
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.",
      ),
      filter: router(403, "Your chosen model requires moderation and your input was flagged", {
        reasons: ["violence"],
        model_slug: "sim/chat",
      }),
      "wrong setting": router(400, 'Input required: specify "prompt" or "messages"'),
      "model gone": [
        router(404, "No endpoints found for sim/chat."),
        router(400, "sim/chat is not a valid model ID"),
      ],
      overload: router(
        503,
        "There is no available model provider that meets your routing requirements",
      ),
      timeout: router(408, "Your request timed out"),
      "broken server": router(502, "Provider returned error", {
        raw: "upstream error",
        provider_name: "Sim",
      }),
    },
    after: {
      "rate limit": routed(429, "Rate limit exceeded at the provider."),
      "used up": routed(402, "Your credits ran out while this was generated."),
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": routed(400, "This endpoint's maximum context length is 131072 tokens."),
      filter: { finish: "content_filter" },
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: routed(503, "The provider is overloaded at this moment."),
      timeout: routed(408, "The provider timed out while generating."),
      "broken server": [
        routed("server_error", "Provider disconnected unexpectedly"),
        routed(502, "Provider returned error"),
      ],
    },
  }),
  presetColumn("groq", "sim-chat", {
    reference: "https://console.groq.com/docs/errors",
    before: {
      "rate limit": {
        status: 429,
        body: groqError(
          "Rate limit reached for model `sim-chat` on tokens per minute (TPM): Limit 6000, Used 5900. Please try again in 7.66s.",
          "rate_limit_exceeded",
          "tokens",
        ),
        headers: { "retry-after": "8" },
        waitMs: 8_000,
      },
      "used up": {
        status: 400,
        body: groqError(
          "API access has been blocked because your organization reached its monthly spend limit.",
          "blocked_api_access",
        ),
      },
      "wrong key": { status: 401, body: groqError("Invalid API Key", "invalid_api_key") },
      "missing right": {
        status: 403,
        body: groqError(
          "The model `sim-chat` is blocked at the project level.",
          "model_permission_blocked_project",
          "permissions_error",
        ),
      },
      "too long": [
        {
          status: 400,
          body: groqError(
            "Please reduce the length of the messages or completion.",
            "context_length_exceeded",
          ),
        },
        {
          status: 413,
          body: groqError(
            "Request too large for model `sim-chat` on tokens per minute (TPM): Limit 6000, Requested 12000, please reduce your message size and try again.",
            "rate_limit_exceeded",
            "tokens",
          ),
        },
      ],
      filter: "Groq filters nothing by itself: its guard models are asked like any other.",
      "wrong setting": {
        status: 400,
        body: groqError("'temperature' : number must be at most 2", null),
      },
      "model gone": [
        {
          status: 404,
          body: groqError(
            "The model `sim-0` does not exist or you do not have access to it.",
            "model_not_found",
          ),
        },
        {
          status: 400,
          body: groqError(
            "The model `sim-0` has been decommissioned and is no longer supported.",
            "model_decommissioned",
          ),
        },
      ],
      overload: {
        status: 503,
        body: groqError(
          "sim-chat is currently over capacity. Please try again and back off exponentially.",
          null,
          "internal_server_error",
        ),
      },
      timeout: gatewayTimeout,
      "broken server": {
        status: 500,
        body: groqError("Internal Server Error", null, "internal_server_error"),
      },
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: { finish: "content_filter" },
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: ofGroq("over capacity: the stream was stopped early"),
      timeout: endsWithoutAWord,
      "broken server": [
        ofGroq("an internal error stopped the stream"),
        { error: { message: "Internal Server Error", type: "internal_server_error" } },
      ],
    },
  }),
  presetColumn("xai", "sim-chat", {
    reference: "https://docs.x.ai/docs/key-information/debugging",
    before: {
      "rate limit": {
        status: 429,
        body: xaiError(
          "Some resource has been exhausted",
          "Too many requests for team 1 and model sim-chat. Your team's rate limit is: requests per minute (actual/limit): 61/60.",
        ),
      },
      // Both appear in public reports about the same account.
      "used up": [
        {
          status: 429,
          body: xaiError(
            "Some resource has been exhausted",
            "Your team 1 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.",
          ),
        },
        {
          status: 403,
          body: xaiError(
            "permission-denied",
            "Your team 1 has either used all available credits or reached its monthly spending limit.",
          ),
        },
      ],
      "wrong key": [
        {
          status: 400,
          body: xaiError(
            invalid,
            "Incorrect API key provided: {key}. You can obtain an API key from https://console.x.ai.",
          ),
        },
        {
          status: 401,
          body: xaiError(
            "Unauthenticated:Bad-Credentials",
            "The OAuth2 access token could not be validated.",
          ),
        },
      ],
      "missing right": {
        status: 403,
        body: xaiError(
          "The caller does not have permission to execute the specified operation",
          "Team is not authorized to perform this action.",
        ),
      },
      "too long": {
        status: 400,
        body: xaiError(
          invalid,
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        ),
      },
      filter: {
        status: 403,
        body: xaiError(
          "The caller does not have permission to execute the specified operation",
          "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
        ),
      },
      "wrong setting": {
        status: 400,
        body: xaiError(invalid, "Model sim-chat does not support parameter presencePenalty."),
      },
      "model gone": {
        status: 404,
        body: xaiError(
          "Some requested entity was not found",
          "The model sim-0 does not exist or your team 1 does not have access to it.",
        ),
      },
      overload: {
        status: 503,
        body: xaiError(
          "The service is currently unavailable",
          "Service temporarily unavailable. The model is at capacity.",
        ),
      },
      timeout: {
        status: 504,
        body: xaiError(
          "Deadline expired before operation could complete",
          "The operation took too long.",
        ),
      },
      "broken server": {
        status: 500,
        body: xaiError(
          "The service encountered an internal error",
          "Internal error, please try again.",
        ),
      },
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: { finish: "content_filter" },
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: { error: { message: "The model is at capacity.", code: "503" } },
      timeout: endsWithoutAWord,
      "broken server": { error: "Internal error while generating." },
    },
  }),
  presetColumn("cerebras", "sim-chat", {
    reference: "https://inference-docs.cerebras.ai/support/error",
    before: {
      "rate limit": {
        status: 429,
        body: cerebrasError(
          "Tokens per minute limit exceeded - too many tokens processed.",
          "too_many_tokens_error",
          "token_quota_exceeded",
          "quota",
        ),
        headers: { "retry-after": "6" },
        waitMs: 6_000,
      },
      "used up": {
        status: 402,
        body: cerebrasError(
          "Payment required to access this resource.",
          "payment_required_error",
          "payment_required",
        ),
      },
      "wrong key": {
        status: 401,
        body: cerebrasError("Wrong API Key", "invalid_request_error", "wrong_api_key", "api_key"),
      },
      "missing right": {
        status: 403,
        body: cerebrasError(
          "Permission to this model was denied.",
          "permission_denied_error",
          "permission_denied",
        ),
      },
      "too long": {
        status: 400,
        body: cerebrasError(
          "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
          "invalid_request_error",
          "context_length_exceeded",
          "messages",
        ),
      },
      filter: "Cerebras refuses no content by itself: its models answer with words.",
      "wrong setting": {
        status: 422,
        body: cerebrasError(
          "body.temperature: Input should be less than or equal to 1.5",
          "invalid_request_error",
          "wrong_api_format",
          "validation_error",
        ),
      },
      "model gone": {
        status: 404,
        body: cerebrasError(
          "Model sim-0 does not exist or you do not have access to it.",
          "not_found_error",
          "model_not_found",
          "model",
        ),
      },
      overload: [
        {
          status: 429,
          body: cerebrasError(
            "We're experiencing high traffic right now! Please try again soon.",
            "too_many_requests_error",
            "queue_exceeded",
            "queue",
          ),
          accepted: "no",
        },
        {
          status: 503,
          body: cerebrasError(
            "The service is unavailable now.",
            "server_error",
            "service_unavailable",
          ),
        },
      ],
      timeout: {
        status: 408,
        body: cerebrasError("The request timed out.", "request_timeout_error", "request_timeout"),
      },
      "broken server": {
        status: 500,
        body: cerebrasError("Encountered a server error, please try again.", "server_error", ""),
      },
    },
    after: {
      "rate limit": ofCerebras(
        429,
        "Tokens per minute limit exceeded - too many tokens processed.",
        "too_many_tokens_error",
        "token_quota_exceeded",
      ),
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": ofCerebras(
        400,
        "Please reduce the length of the messages or completion.",
        "invalid_request_error",
        "context_length_exceeded",
      ),
      filter: "Cerebras refuses no content by itself: its models answer with words.",
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: ofCerebras(503, "The service is unavailable now.", "server_error", null),
      timeout: ofCerebras(408, "The request timed out.", "request_timeout_error", null),
      "broken server": ofCerebras(
        500,
        "Encountered a server error, please try again.",
        "server_error",
        null,
      ),
    },
  }),
];
