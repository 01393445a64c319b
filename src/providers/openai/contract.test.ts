import { startOpenAi } from "../../../test/simulators/openai.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { openai } from "./adapter.ts";

const body = (error: object) => ({ error: { message: "Simulated.", param: null, code: null, type: null, ...error } });

keepsTheChatContract({
  adapter: openai,
  async start() {
    const simulator = await startOpenAi();
    const connection = { kind: "openai", addresses: { api: simulator.url }, options: {}, secret: simulator.key };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  },
  model: "gpt-5.5",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "sk-wrong-key-of-somebody",
  refusals: [
    {
      when: "a rate limit is waited for",
      status: 429,
      body: body({ type: "requests", code: "rate_limit_exceeded" }),
      headers: { "retry-after-ms": "1500" },
      error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 1_500 },
    },
    {
      when: "an empty purse is not",
      status: 429,
      body: body({ type: "insufficient_quota", code: "insufficient_quota" }),
      error: { code: "provider_quota", accepted: "no" },
    },
    {
      when: "a prompt that is too long",
      status: 400,
      body: body({ type: "invalid_request_error", code: "context_length_exceeded" }),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a prompt that is not wanted",
      status: 400,
      body: body({ code: "content_policy_violation" }),
      error: { code: "provider_rejected", accepted: "no" },
    },
    { when: "a model that is gone", status: 404, body: body({ code: "model_not_found" }), error: { code: "model_gone", accepted: "no" } },
    { when: "a service at its limit", status: 503, body: body({}), error: { code: "provider_overloaded", accepted: "unknown" } },
    {
      when: "an error of the server",
      status: 500,
      body: body({ type: "server_error" }),
      error: { code: "outcome_unknown", accepted: "unknown" },
    },
  ],
  lateErrors: [
    { when: "an error of the server", error: { code: "server_error", message: "The model had an error." }, code: "provider_interrupted" },
    { when: "a rate limit", error: { code: "rate_limit_exceeded", message: "Too fast." }, code: "provider_rate_limited" },
    { when: "an empty purse", error: { code: "insufficient_quota", message: "No money." }, code: "provider_quota" },
  ],
});
