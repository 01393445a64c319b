import { startOllama } from "../../../../test/simulators/ollama.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { ollama } from "./adapter.ts";

async function start() {
  // The server is behind a proxy that requires a key.
  const sim = await startOllama({ key: "proxy-key-of-somebody" });
  const simulator = { ...sim, script: sim.meet };
  return {
    simulator,
    origin: sim.url,
    connection: {
      kind: "ollama",
      addresses: sim.addresses,
      options: {},
      secret: "proxy-key-of-somebody",
    },
  };
}

keepsTheChatContract({
  adapter: ollama,
  start,
  model: "qwen3-vl:8b",
  capabilities: { imageInput: true, reasoning: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "wrong-key-of-somebody",
});

keepsTheMediaContract({
  adapter: ollama,
  start,
  isKeyless: true,
  isFree: true,
  requests: [["a vector", toMedia("embedding", "nomic-embed-text:latest", { input: "a fox" })]],
});
