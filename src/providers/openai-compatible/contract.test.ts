import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { openaiCompatible } from "./adapter.ts";

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
});
