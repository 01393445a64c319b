import { azure } from "#providers/services/azure/adapter.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { startAzure } from "../../simulators/azure.ts";
import { startOpenAi } from "../../simulators/openai.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { buildRequest } from "../contracts/attempt.ts";
import type { Cells, Column, LateRefusal, Refusal } from "./table.ts";

/** `{error: {message, type, param, code}}`, as used by OpenAI and compatible services. */
export const openAiError = (
  message: string,
  fields: { type?: string | null; code?: string | number | null; param?: string } = {},
) => ({
  error: { message, type: null, param: null, code: null, ...fields },
});
/** From a gateway in front of a service, which knows nothing about it. */
export const gatewayTimeout: Refusal = {
  status: 524,
  headers: { "content-type": "text/html; charset=UTF-8" },
  body: "<!DOCTYPE html><html><head><title>A timeout occurred</title></head><body>Error code 524</body></html>",
  isSilent: true,
};
export const keyComesFirst = "The key is looked at before the answer begins.";
export const requestComesFirst = "The request is read whole before the answer begins.";
export const endsWithoutAWord =
  "The connection ends without a word, which the contract of all adapters tries.";

export const chatOf = (id: string, capabilities = {}) =>
  buildRequest({ model: { id, inputSchema: null, capabilities } });

export const openAiRefusals: Cells<Refusal> = {
  "rate limit": [
    {
      status: 429,
      body: openAiError(
        "Rate limit reached for gpt-5.5 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1.5s.",
        { type: "tokens", code: "rate_limit_exceeded" },
      ),
      headers: { "retry-after-ms": "1500", "retry-after": "2" },
      waitMs: 1_500,
    },
    {
      status: 429,
      body: openAiError("Rate limit reached for requests. Please try again in 6m0s.", {
        type: "requests",
        code: "rate_limit_exceeded",
      }),
      waitMs: 360_000,
    },
  ],
  "used up": [
    {
      status: 429,
      body: openAiError(
        "You exceeded your current quota, please check your plan and billing details.",
        {
          type: "insufficient_quota",
          code: "insufficient_quota",
        },
      ),
    },
    {
      status: 429,
      body: openAiError(
        "Your account is not active, please check your billing details on our website.",
        {
          type: "billing_not_active",
          code: "billing_not_active",
        },
      ),
    },
    {
      status: 400,
      body: openAiError("Billing hard limit has been reached.", {
        type: "billing_limit_user_error",
        code: "billing_hard_limit_reached",
      }),
    },
  ],
  "wrong key": {
    status: 401,
    body: openAiError(
      "Incorrect API key provided: {key}. You can find your API key at https://platform.openai.com/account/api-keys.",
      {
        type: "invalid_request_error",
        code: "invalid_api_key",
      },
    ),
  },
  "missing right": [
    {
      status: 401,
      body: openAiError(
        "You have insufficient permissions for this operation. Missing scopes: model.request.",
        {
          type: "invalid_request_error",
          code: "missing_scope",
        },
      ),
    },
    {
      status: 403,
      body: openAiError("Country, region, or territory not supported", {
        type: "request_forbidden",
        code: "unsupported_country_region_territory",
      }),
    },
  ],
  "too long": [
    {
      status: 400,
      body: openAiError(
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        {
          type: "invalid_request_error",
          code: "context_length_exceeded",
          param: "input",
        },
      ),
    },
    {
      // Reported as a rate limit, but waiting doesn't make the request smaller.
      status: 429,
      body: openAiError(
        "Request too large for gpt-5.5 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced in order to run successfully.",
        { type: "tokens", code: "rate_limit_exceeded" },
      ),
    },
  ],
  filter: [
    {
      status: 400,
      body: openAiError(
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        {
          type: "invalid_request_error",
          code: "invalid_prompt",
        },
      ),
    },
    {
      status: 400,
      body: openAiError("Your request was rejected as a result of our safety system.", {
        type: "image_generation_user_error",
        code: "moderation_blocked",
      }),
    },
    {
      status: 400,
      body: openAiError("Your request was rejected as a result of our safety system.", {
        type: "invalid_request_error",
        code: "content_policy_violation",
      }),
    },
  ],
  "wrong setting": {
    status: 400,
    body: openAiError("Unsupported parameter: 'temperature' is not supported with this model.", {
      type: "invalid_request_error",
      code: "unsupported_parameter",
      param: "temperature",
    }),
    field: "temperature",
  },
  "model gone": [
    {
      status: 404,
      body: openAiError("The model `gpt-0` does not exist or you do not have access to it.", {
        type: "invalid_request_error",
        code: "model_not_found",
      }),
    },
    {
      status: 404,
      body: openAiError(
        "The model `gpt-0` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations",
        {
          type: "invalid_request_error",
          code: "model_not_found",
        },
      ),
    },
  ],
  overload: {
    status: 503,
    body: openAiError("The engine is currently overloaded, please try again later.", {
      type: "service_unavailable_error",
    }),
  },
  timeout: gatewayTimeout,
  "broken server": {
    status: 500,
    body: openAiError("The server had an error while processing your request. Sorry about that!", {
      type: "server_error",
    }),
  },
};

/** `error` is a separate event; `failed` is in the response that ends with it. */
const failed = (code: string, message: string) => ({ error: { failed: { code, message } } });
const event = (code: string, message: string) => ({ error: { code, message } });
const responsesLate: Cells<LateRefusal> = {
  "rate limit": [
    event("rate_limit_exceeded", "Rate limit reached for gpt-5.5. Please try again in 11.054s."),
    failed("rate_limit_exceeded", "Rate limit reached for gpt-5.5. Please try again in 11.054s."),
  ],
  "used up": failed(
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details.",
  ),
  "wrong key": keyComesFirst,
  "missing right": keyComesFirst,
  "too long": failed(
    "context_length_exceeded",
    "Your input exceeds the context window of this model.",
  ),
  filter: [
    { finish: "content_filter" },
    failed("invalid_prompt", "Invalid prompt: your prompt was flagged by our usage policy."),
  ],
  "wrong setting": failed(
    "invalid_image",
    "The image data you provided does not represent a valid image.",
  ),
  "model gone": requestComesFirst,
  overload: [
    failed("server_is_overloaded", "Our servers are currently overloaded. Please try again later."),
    failed("slow_down", "Please reduce your request rate and try again."),
  ],
  timeout: endsWithoutAWord,
  "broken server": [
    event("server_error", "The model had an error."),
    failed("server_error", "The server had an error processing your request."),
  ],
};

/** A `data: {"error": …}` event between the chunks of a chat. */
const chunk = (
  message: string,
  fields: { type?: string; code?: string | number } = {},
): LateRefusal => ({
  error: { message, ...fields },
});
const completionsLate: Cells<LateRefusal> = {
  "rate limit": chunk("Rate limit reached for gpt-5.5.", {
    type: "tokens",
    code: "rate_limit_exceeded",
  }),
  "used up": chunk("You exceeded your current quota.", {
    type: "insufficient_quota",
    code: "insufficient_quota",
  }),
  "wrong key": keyComesFirst,
  "missing right": keyComesFirst,
  "too long": requestComesFirst,
  filter: { finish: "content_filter" },
  "wrong setting": requestComesFirst,
  "model gone": requestComesFirst,
  overload: chunk("The engine is currently overloaded.", {
    type: "server_error",
    code: "server_overloaded",
  }),
  timeout: endsWithoutAWord,
  "broken server": chunk("The server had an error while processing your request.", {
    type: "server_error",
  }),
};

const azureError = (code: string, message: string, more: object = {}) => ({
  error: { code, message, ...more },
});
const filtered = {
  hate: { filtered: false, severity: "safe" },
  violence: { filtered: true, severity: "high" },
};

/** Shared by all deployments and APIs. */
export const azureRefusals: Cells<Refusal> = {
  "rate limit": {
    status: 429,
    body: azureError(
      "429",
      "Your requests to gpt-5.5 have exceeded the token rate limit of your current pricing tier. Please retry after 3 seconds.",
    ),
    headers: { "retry-after-ms": "2750", "retry-after": "3" },
    waitMs: 2_750,
  },
  "used up": [
    {
      status: 429,
      body: openAiError(
        "You exceeded your current quota, please check your plan and billing details.",
        { code: "insufficient_quota" },
      ),
    },
    // From the gateway in front, in a flat shape.
    {
      status: 403,
      body: {
        statusCode: 403,
        message: "Out of call volume quota. Quota will be replenished in 5.18:48:31.",
      },
    },
  ],
  "wrong key": {
    status: 401,
    body: azureError(
      "401",
      "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key.",
    ),
  },
  "missing right": [
    {
      status: 401,
      body: azureError("PermissionDenied", "The principal lacks the required data action."),
    },
    {
      status: 403,
      body: azureError(
        "AuthenticationTypeDisabled",
        "Key based authentication is disabled for this resource.",
      ),
    },
  ],
  "too long": {
    status: 400,
    body: openAiError(
      "This model's maximum context length is 272000 tokens. However, your messages resulted in 300000 tokens.",
      {
        type: "invalid_request_error",
        code: "context_length_exceeded",
        param: "messages",
      },
    ),
  },
  filter: {
    status: 400,
    body: azureError(
      "content_filter",
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      {
        param: "prompt",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: filtered },
      },
    ),
  },
  "wrong setting": {
    status: 400,
    body: openAiError("Unsupported parameter: 'temperature' is not supported with this model.", {
      type: "invalid_request_error",
      code: "unsupported_parameter",
      param: "temperature",
    }),
    field: "temperature",
  },
  "model gone": {
    status: 404,
    body: azureError(
      "DeploymentNotFound",
      "The API deployment for this resource does not exist. If you created it lately, please wait a moment.",
    ),
  },
  overload: {
    status: 503,
    body: azureError(
      "ServiceUnavailable",
      "The service is temporarily unable to process your request.",
    ),
  },
  timeout: { status: 408, body: azureError("Timeout", "The operation was timeout.") },
  "broken server": {
    status: 500,
    body: azureError(
      "InternalServerError",
      "The server had an error processing your request. Sorry about that!",
    ),
  },
};

export const openAiColumns: readonly Column[] = [
  {
    name: "openai",
    adapter: openai,
    reference: "https://platform.openai.com/docs/guides/error-codes",
    async start() {
      const simulator = await startOpenAi();
      const connection = {
        kind: "openai",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: new URL(simulator.url).origin, connection };
    },
    request: chatOf("gpt-5.5", { reasoning: true }),
    before: openAiRefusals,
    after: responsesLate,
  },
  {
    name: "openai-compatible",
    adapter: openaiCompatible,
    reference: "https://platform.openai.com/docs/api-reference/chat",
    async start() {
      const simulator = await startOpenAiCompatible();
      const connection = {
        kind: "openai-compatible",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: new URL(simulator.url).origin, connection };
    },
    request: chatOf("sim-chat"),
    before: openAiRefusals,
    after: completionsLate,
  },
  {
    name: "azure",
    adapter: azure,
    reference: "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/reference",
    async start() {
      const simulator = await startAzure();
      const options = { deployments: "gpt-5-house = gpt-5.5" };
      const connection = {
        kind: "azure",
        addresses: { api: simulator.url },
        options,
        secret: JSON.stringify({ key: simulator.key }),
      };
      return { simulator, origin: simulator.url, connection };
    },
    request: chatOf("gpt-5-house", { reasoning: true }),
    before: azureRefusals,
    after: {
      ...responsesLate,
      filter: [event("content_filter", "The response was filtered."), { finish: "content_filter" }],
    },
  },
];
