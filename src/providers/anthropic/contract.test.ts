import { startAnthropic } from "../../../test/simulators/anthropic.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { anthropic } from "./adapter.ts";

const body = (type: string, message = "Simulated.") => ({ type: "error", error: { type, message }, request_id: "req_1" });

keepsTheChatContract({
  adapter: anthropic,
  async start() {
    const simulator = await startAnthropic();
    const connection = { kind: "anthropic", addresses: { api: simulator.url }, options: {}, secret: simulator.key };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  },
  model: "claude-sim-1",
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "sk-ant-wrong-key-of-somebody",
  refusals: [
    {
      when: "a rate limit is waited for",
      status: 429,
      body: body("rate_limit_error"),
      headers: { "retry-after": "7" },
      error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 7_000 },
    },
    { when: "a bill that is not paid", status: 402, body: body("billing_error"), error: { code: "provider_quota", accepted: "no" } },
    {
      when: "an empty purse",
      status: 400,
      body: body("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
      error: { code: "provider_quota", accepted: "no" },
    },
    { when: "a key without the right", status: 403, body: body("permission_error"), error: { code: "provider_auth", accepted: "no" } },
    {
      when: "a prompt that is too long",
      status: 400,
      body: body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a request that is too large",
      status: 413,
      body: body("request_too_large"),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a model that is gone",
      status: 404,
      body: body("not_found_error", "model: claude-0"),
      error: { code: "model_gone", accepted: "no" },
    },
    { when: "an overload", status: 529, body: body("overloaded_error"), error: { code: "provider_overloaded", accepted: "unknown" } },
  ],
  lateErrors: [
    { when: "an overload", error: { type: "overloaded_error", message: "Overloaded" }, code: "provider_overloaded" },
    { when: "an error of the server", error: { type: "api_error", message: "Internal server error" }, code: "provider_interrupted" },
  ],
});
