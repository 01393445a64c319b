import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { services } from "../../../test/simulators/presets.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { toAdapter } from "./adapter.ts";
import { presets } from "./index.ts";

const body = (error: object) => ({ error: { message: "Simulated.", param: null, code: null, type: null, ...error } });
const models: Readonly<Record<string, string>> = { openrouter: "sim/chat", perplexity: "sonar" };

for (const adapter of presets.map(toAdapter)) {
  const { kind } = adapter;
  const service = services[kind]!;
  keepsTheChatContract({
    adapter,
    async start() {
      const simulator = await startOpenAiCompatible(service);
      const connection = { kind, addresses: { api: simulator.url }, options: {}, secret: simulator.key || null };
      return { simulator, origin: new URL(simulator.url).origin, connection };
    },
    model: models[kind] ?? "sim-chat",
    reasons: true,
    usesTools: kind !== "perplexity",
    shapesAnswers: true,
    ...(service.key !== null && { wrongKey: "sk-wrong-key-of-somebody" }),
    refusals: [
      {
        when: "a rate limit is waited for",
        status: 429,
        body: body({ type: "requests", code: "rate_limit_exceeded" }),
        headers: { "retry-after": "7" },
        error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 7_000 },
      },
      {
        when: "an empty purse",
        status: 402,
        body: body({ message: "Insufficient Balance" }),
        error: { code: "provider_quota", accepted: "no" },
      },
      {
        when: "a prompt that is too long",
        status: 400,
        body: body({ message: "This model's maximum context length is 100 tokens." }),
        error: { code: "provider_context_too_long", accepted: "no" },
      },
      { when: "an overload", status: 503, body: body({}), error: { code: "provider_overloaded", accepted: "unknown" } },
    ],
    lateErrors: [{ when: "an error of the server", error: { message: "It broke.", code: 502 }, code: "provider_interrupted" }],
  });
}
