import { startOllama } from "../../../test/simulators/ollama.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { ollama } from "./adapter.ts";

keepsTheChatContract({
  adapter: ollama,
  async start() {
    // As one stands behind a proxy that asks for a key.
    const sim = await startOllama({ key: "proxy-key-of-somebody" });
    const simulator = { ...sim, script: sim.meet };
    return {
      simulator,
      origin: sim.url,
      connection: { kind: "ollama", addresses: sim.addresses, options: {}, secret: "proxy-key-of-somebody" },
    };
  },
  model: "qwen3-vl:8b",
  capabilities: { imageInput: true, reasoning: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "wrong-key-of-somebody",
});
