import { anthropic } from "#providers/services/anthropic/adapter.ts";
import { startAnthropic } from "../../simulators/anthropic.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Cells, Column, LateRefusal, Refusal } from "./table.ts";

const body = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_1",
});
const late = (type: string, message: string): LateRefusal => ({ error: { type, message } });

/** Claude's own errors, wherever it is reached: https://docs.claude.com/en/api/errors */
export const claudeRefusals: Cells<Refusal> = {
  "rate limit": {
    status: 429,
    body: body(
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    ),
    headers: { "retry-after": "7" },
    waitMs: 7_000,
  },
  "used up": [
    {
      status: 402,
      body: body("billing_error", "There is an issue with your billing or payment information."),
    },
    {
      status: 400,
      body: body(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
      ),
    },
    {
      status: 400,
      body: body(
        "invalid_request_error",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      ),
    },
  ],
  "wrong key": { status: 401, body: body("authentication_error", "invalid x-api-key") },
  "missing right": {
    status: 403,
    body: body(
      "permission_error",
      "Your API key does not have permission to use the specified resource.",
    ),
  },
  "too long": [
    {
      status: 400,
      body: body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    },
    {
      status: 400,
      body: body(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length.",
      ),
    },
    { status: 413, body: body("request_too_large", "Request exceeds the maximum size") },
  ],
  filter: {
    status: 400,
    body: body("invalid_request_error", "Output blocked by content filtering policy"),
  },
  "wrong setting": { status: 400, body: body("invalid_request_error", "temperature: range: 0..1") },
  "model gone": { status: 404, body: body("not_found_error", "model: claude-0") },
  overload: { status: 529, body: body("overloaded_error", "The API is temporarily overloaded") },
  timeout: {
    status: 504,
    body: body(
      "timeout_error",
      "The request timed out while processing. Consider streaming long requests.",
    ),
  },
  "broken server": {
    status: 500,
    body: body("api_error", "An unexpected error has occurred internal to Anthropic's systems."),
  },
};

export const claudeLate: Cells<LateRefusal> = {
  "rate limit": late(
    "rate_limit_error",
    "This request would exceed your organization's rate limit.",
  ),
  "used up": late("billing_error", "There is an issue with your billing or payment information."),
  "wrong key": keyComesFirst,
  "missing right": keyComesFirst,
  "too long": requestComesFirst,
  filter: [
    { finish: "refusal" },
    late("invalid_request_error", "Output blocked by content filtering policy"),
  ],
  "wrong setting": requestComesFirst,
  "model gone": requestComesFirst,
  overload: late("overloaded_error", "The service is overloaded, try later"),
  timeout: late("timeout_error", "The request timed out while processing."),
  "broken server": late("api_error", "Internal server error, sorry"),
};

export const anthropicColumns: readonly Column[] = [
  {
    name: "anthropic",
    adapter: anthropic,
    reference: "https://docs.claude.com/en/api/errors",
    async start() {
      const simulator = await startAnthropic();
      const connection = {
        kind: "anthropic",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: new URL(simulator.url).origin, connection };
    },
    request: buildRequest({ model: { id: "claude-sim-1", inputSchema: null, capabilities: {} } }),
    before: claudeRefusals,
    after: claudeLate,
  },
];
