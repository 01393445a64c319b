import { startOpenAi } from "../../../test/simulators/openai.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { openai } from "./adapter.ts";

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
});
