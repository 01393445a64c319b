import { ollama } from "#providers/services/ollama/adapter.ts";
import { startOllama } from "../../simulators/ollama.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, request: TornWay["request"]): TornWay => ({
  name,
  adapter: ollama,
  goes: "words",
  async start() {
    const simulator = await startOllama();
    return {
      simulator,
      connection: { kind: "ollama", addresses: simulator.addresses, options: {}, secret: null },
    };
  },
  request,
  ownError: (_status, message) => ({ body: { error: message } }),
  isPaid: ({ path }) => /^\/api\/(chat|embed)$/.test(path),
  isFree: true,
});

survivesTheTornWorld([
  way(
    "an answer",
    buildRequest({ input: {}, model: { id: "qwen3-vl:8b", inputSchema: null, capabilities: {} } }),
  ),
  way("a vector", toMedia("embedding", "nomic-embed-text:latest", { input: "a fox" })),
]);
