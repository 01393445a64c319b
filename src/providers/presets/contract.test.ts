import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { services } from "../../../test/simulators/presets.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { toAdapter } from "./adapter.ts";
import { presets } from "./index.ts";

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
  });
}
