import { cohere } from "#providers/services/cohere/adapter.ts";
import { startCohere } from "../../simulators/cohere.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, request: TornWay["request"]): TornWay => ({
  name,
  adapter: cohere,
  goes: "words",
  async start() {
    const simulator = await startCohere();
    return {
      simulator,
      connection: {
        kind: "cohere",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (_status, message) => ({ body: { id: "e-1", message } }),
});

survivesTheTornWorld([
  way(
    "an answer",
    buildRequest({ input: {}, model: { id: "command-sim", inputSchema: null, capabilities: {} } }),
  ),
  way("a vector", toMedia("embedding", "embed-sim", { input: "a fox", inputType: "clustering" })),
]);
