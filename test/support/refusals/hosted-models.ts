import {
  endsWithoutAWord,
  gatewayTimeout,
  keyComesFirst,
  openAiError,
  requestComesFirst,
} from "./openai.ts";
import { presetColumn } from "./presets.ts";
import type { Column, LateRefusal } from "./table.ts";

/** Flat, with `object: "error"` and the service's own error number in `code`. */
const mistralError = (message: unknown, type: string, code: string | null = null) => ({
  object: "error",
  message,
  type,
  param: null,
  code,
});
const ofMistral = (message: string, type: string, code: string): LateRefusal => ({
  error: { chunk: mistralError(message, type, code) },
});

const deepseekError = (message: string, type = "invalid_request_error") =>
  openAiError(message, { type, code: "invalid_request_error" });
const togetherError = (message: string, type: string, code: string | null = null) => ({
  id: "o1-1",
  ...openAiError(message, { type, code }),
});
const fireworksError = (message: string, code: string, type = "error") => ({
  error: { object: "error", type, code, message },
  request_id: "r1",
});
const fireworksSuspended =
  "Account bottega is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information.";
const perplexityError = (message: string, type: string, code: number) => ({
  error: { message, type, code },
});

export const furtherColumns: readonly Column[] = [
  presetColumn("mistral", "sim-chat", {
    reference: "https://docs.mistral.ai/api",
    before: {
      "rate limit": {
        status: 429,
        body: mistralError("Rate limit exceeded", "rate_limited", "1300"),
      },
      "used up": {
        status: 402,
        body: { detail: "You have no active subscription. Please check your billing." },
      },
      "wrong key": { status: 401, body: { detail: "Unauthorized" }, isSilent: true },
      "missing right": {
        status: 403,
        body: mistralError("You do not have access to this model.", "forbidden", "1403"),
      },
      "too long": {
        status: 400,
        body: mistralError(
          "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
          "invalid_request_prompt",
          "3051",
        ),
      },
      filter: "Mistral's moderation is a model of its own, which is asked like any other.",
      "wrong setting": {
        status: 422,
        body: mistralError(
          {
            detail: [
              {
                type: "extra_forbidden",
                loc: ["body", "seed"],
                msg: "Extra inputs are not permitted",
                input: 7,
              },
            ],
          },
          "invalid_request_error",
        ),
        field: "seed",
      },
      "model gone": {
        status: 400,
        body: mistralError("Invalid model: sim-0", "invalid_model", "1500"),
      },
      overload: [
        {
          status: 429,
          body: mistralError(
            "Service tier capacity exceeded for this model.",
            "service_tier_capacity_exceeded",
            "3505",
          ),
          accepted: "no",
        },
        { status: 503, body: mistralError("Service unavailable.", "unreachable_backend", "1100") },
      ],
      timeout: {
        status: 504,
        body: { message: "The upstream server is timing out" },
        isForeign: true,
      },
      "broken server": {
        status: 500,
        body: mistralError("Internal server error", "internal_server_error", "3000"),
      },
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: "Mistral's moderation is a model of its own, which is asked like any other.",
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: ofMistral(
        "Service tier capacity exceeded for this model.",
        "service_tier_capacity_exceeded",
        "3505",
      ),
      timeout: endsWithoutAWord,
      "broken server": [
        ofMistral("Internal server error", "internal_server_error", "3000"),
        { finish: "error" },
      ],
    },
  }),
  presetColumn("deepseek", "sim-chat", {
    reference: "https://api-docs.deepseek.com/quick_start/error_codes",
    before: {
      "rate limit": {
        status: 429,
        body: deepseekError(
          "Rate Limit Reached: you are sending requests too quickly.",
          "rate_limit_error",
        ),
      },
      "used up": { status: 402, body: deepseekError("Insufficient Balance", "unknown_error") },
      "wrong key": {
        status: 401,
        body: deepseekError(
          "Authentication Fails, Your api key: {key} is invalid",
          "authentication_error",
        ),
      },
      "missing right": "A key of DeepSeek's has all rights of its account.",
      "too long": {
        status: 400,
        body: deepseekError(
          "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens. Please reduce the length.",
        ),
      },
      filter: { status: 400, body: deepseekError("Content Exists Risk") },
      "wrong setting": [
        {
          status: 422,
          body: deepseekError(
            "Failed to deserialize the JSON body into the target type: temperature: invalid type",
          ),
        },
        {
          status: 400,
          body: deepseekError(
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
          ),
        },
      ],
      "model gone": { status: 400, body: deepseekError("Model Not Exist") },
      overload: {
        status: 503,
        body: deepseekError(
          "Service is too busy. Please retry your request after a brief wait.",
          "service_unavailable_error",
        ),
      },
      timeout: gatewayTimeout,
      "broken server": {
        status: 500,
        body: deepseekError("Our server encounters an issue.", "internal_server_error"),
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
      overload: { finish: "insufficient_system_resource" },
      timeout: endsWithoutAWord,
      "broken server": {
        error: { message: "Our server encounters an issue.", type: "internal_server_error" },
      },
    },
  }),
  presetColumn("together", "sim-chat", {
    reference: "https://docs.together.ai/docs/error-codes",
    before: {
      "rate limit": {
        status: 429,
        body: togetherError(
          "You have reached the rate limit specific to this model sim-chat. The maximum rate limit for this model is 6.0 queries per minute.",
          "model_rate_limit",
        ),
        headers: { "retry-after": "10" },
        waitMs: 10_000,
      },
      "used up": {
        status: 402,
        body: togetherError(
          "Credit limit exceeded. Please navigate to https://api.together.xyz/settings/billing to add credit.",
          "credit_limit",
        ),
      },
      "wrong key": {
        status: 401,
        body: togetherError(
          "Invalid API key provided. You can find your API key at https://api.together.xyz/settings/api-keys.",
          "invalid_request_error",
          "invalid_api_key",
        ),
      },
      "missing right": {
        status: 403,
        body: togetherError("Your account tier does not allow this model.", "forbidden"),
      },
      "too long": {
        status: 422,
        body: togetherError(
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
          "invalid_request_error",
        ),
      },
      filter: {
        status: 400,
        body: togetherError("The prompt was flagged by the safety model.", "invalid_request_error"),
      },
      "wrong setting": {
        status: 400,
        body: togetherError("temperature must be at most 2", "invalid_request_error"),
      },
      "model gone": {
        status: 404,
        body: togetherError(
          "Unable to access model sim-0. Please visit https://api.together.ai/models to view the list of supported models.",
          "invalid_request_error",
          "model_not_available",
        ),
      },
      overload: {
        status: 503,
        body: togetherError("The server is overloaded or not ready yet.", "service_unavailable"),
      },
      timeout: {
        status: 504,
        body: togetherError("The request took too long to complete.", "timeout"),
      },
      "broken server": {
        status: 500,
        body: togetherError("Internal server error", "server_error"),
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
      overload: {
        error: {
          message: "The server is overloaded or not ready yet.",
          type: "service_unavailable",
          code: null,
        },
      },
      timeout: endsWithoutAWord,
      "broken server": {
        error: { message: "Internal server error", type: "server_error", code: null },
      },
    },
  }),
  presetColumn("fireworks", "sim-chat", {
    reference: "https://docs.fireworks.ai/guides/inference-error-codes",
    before: {
      "rate limit": {
        status: 429,
        body: fireworksError("Rate limit exceeded, please try again later.", "RATE_LIMIT_EXCEEDED"),
      },
      "used up": [
        {
          status: 402,
          body: fireworksError(
            "Your account is not on a paid plan or has exceeded its usage limits.",
            "PAYMENT_REQUIRED",
          ),
        },
        // The status alone doesn't show that nothing was accepted, and `code` isn't always present.
        ...[
          fireworksError(fireworksSuspended, "PRECONDITION_FAILED"),
          { error: { message: fireworksSuspended } },
          { error: fireworksSuspended },
        ].map((body) => ({ status: 412, body, accepted: "unknown" as const })),
      ],
      "wrong key": {
        status: 401,
        body: fireworksError("The API key you provided is invalid.", "UNAUTHORIZED"),
      },
      "missing right": {
        status: 403,
        body: fireworksError("You do not have permission to access this model.", "FORBIDDEN"),
      },
      "too long": {
        status: 400,
        body: fireworksError(
          "The prompt is too long: 140000, model maximum context length: 131071",
          "invalid_request_error",
          "invalid_request_error",
        ),
      },
      filter: "Fireworks refuses no content by itself: its models answer with words.",
      "wrong setting": {
        status: 400,
        body: fireworksError(
          "temperature must be between 0 and 2",
          "invalid_request_error",
          "invalid_request_error",
        ),
      },
      "model gone": [
        {
          status: 404,
          body: fireworksError(
            "Model not found, inaccessible, and/or not deployed",
            "NOT_FOUND",
            "invalid_request_error",
          ),
        },
        {
          status: 412,
          body: fireworksError("The LoRA model failed to load.", "PRECONDITION_FAILED"),
          accepted: "unknown",
        },
      ],
      overload: {
        status: 503,
        body: fireworksError(
          "The service is overloaded, please try again later.",
          "SERVICE_UNAVAILABLE",
        ),
      },
      timeout: {
        status: 408,
        body: fireworksError(
          "The request timed out while waiting for the model.",
          "REQUEST_TIMEOUT",
        ),
      },
      "broken server": {
        status: 500,
        body: fireworksError("Internal server error", "INTERNAL_SERVER_ERROR"),
      },
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: "Fireworks refuses no content by itself: its models answer with words.",
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: {
        error: {
          object: "error",
          type: "error",
          code: "503",
          message: "The service is overloaded, please try again later.",
        },
      },
      timeout: endsWithoutAWord,
      "broken server": {
        error: { object: "error", type: "internal_server_error", message: "Internal server error" },
      },
    },
  }),
  presetColumn("perplexity", "sonar", {
    reference: "https://docs.perplexity.ai/guides/perplexity-sdk-error-handling",
    before: {
      "rate limit": {
        status: 429,
        body: perplexityError(
          "Request rate limit exceeded, please try again later.",
          "request_rate_limit_exceeded",
          429,
        ),
      },
      // The same status as for a wrong key.
      "used up": {
        status: 401,
        body: perplexityError(
          "You exceeded your current quota, please check your plan and billing details.",
          "insufficient_quota",
          401,
        ),
      },
      "wrong key": [
        {
          status: 401,
          body: perplexityError(
            "Invalid API key provided. You can find your API key in your account settings.",
            "invalid_api_key",
            401,
          ),
        },
        {
          status: 401,
          headers: { "content-type": "text/html" },
          body: "<html><head><title>401 Authorization Required</title></head><body>openresty</body></html>",
          isSilent: true,
        },
      ],
      "missing right": {
        status: 403,
        body: perplexityError("You do not have access to this feature.", "forbidden", 403),
      },
      "too long": {
        status: 400,
        body: perplexityError(
          "The prompt is too long: it has more tokens than the context length.",
          "bad_request",
          400,
        ),
      },
      filter: "Perplexity refuses no content by itself: its models answer with words.",
      "wrong setting": {
        status: 400,
        body: perplexityError(
          "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
          "invalid_message",
          400,
        ),
      },
      "model gone": {
        status: 400,
        body: perplexityError(
          "Invalid model 'sonar-small-online'. Permitted models can be found in the documentation.",
          "invalid_model",
          400,
        ),
      },
      overload: {
        status: 503,
        body: perplexityError(
          "The service is temporarily unavailable.",
          "service_unavailable",
          503,
        ),
      },
      timeout: gatewayTimeout,
      "broken server": {
        status: 500,
        body: perplexityError("Internal server error", "internal_server_error", 500),
      },
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: "Perplexity refuses no content by itself: its models answer with words.",
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: {
        error: {
          message: "The service is temporarily unavailable.",
          type: "service_unavailable",
          code: 503,
        },
      },
      timeout: endsWithoutAWord,
      "broken server": {
        error: { message: "Internal server error", type: "internal_server_error", code: 500 },
      },
    },
  }),
];
