import { replicate } from "#providers/services/replicate/adapter.ts";
import { makePng } from "../../simulators/openai-compatible/media.ts";
import { startReplicate } from "../../simulators/replicate.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";

survivesTheTornWorld([
  {
    name: "a prediction",
    adapter: replicate,
    goes: "job",
    async start(now) {
      const simulator = await startReplicate(now);
      return {
        simulator,
        connection: {
          kind: "replicate",
          addresses: { api: simulator.url },
          options: {},
          secret: simulator.key,
        },
      };
    },
    request: toMedia("image", "forest/flux", { prompt: "a fox" }),
    ownError: (status, message) => ({ body: { title: "Simulated", detail: message, status } }),
    files: {
      at: "https://replicate.delivery",
      mime: "image/png",
      bytes: makePng("a fox", 0, 8, 8),
    },
  },
]);
