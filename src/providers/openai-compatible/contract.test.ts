import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { openaiCompatible } from "./adapter.ts";

const body = (error: object) => ({ error: { message: "Simulated.", param: null, code: null, type: null, ...error } });

keepsTheChatContract({
  adapter: openaiCompatible,
  async start() {
    const simulator = await startOpenAiCompatible();
    const connection = { kind: "openai-compatible", addresses: { api: simulator.url }, options: {}, secret: simulator.key };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  },
  model: "sim-chat",
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "sk-wrong-key-of-somebody",
  refusals: [
    {
      when: "a rate limit is waited for",
      status: 429,
      body: body({ type: "requests", code: "rate_limit_exceeded" }),
      headers: { "retry-after": "7" },
      error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 7_000 },
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
      body: body({ code: "context_length_exceeded" }),
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
  ],
  lateErrors: [
    { when: "an error of the server", error: { message: "The server had an error.", type: "server_error" }, code: "provider_interrupted" },
    { when: "an overload", error: { message: "Overloaded.", code: "server_overloaded" }, code: "provider_overloaded" },
  ],
});
