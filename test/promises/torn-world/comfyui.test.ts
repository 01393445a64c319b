import { comfyui } from "#providers/services/comfyui/adapter.ts";
import { textToImage } from "../../simulators/comfyui/workflows.ts";
import { startComfy } from "../../simulators/comfyui.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";

survivesTheTornWorld([
  {
    name: "a workflow",
    adapter: comfyui,
    goes: "job",
    async start() {
      const simulator = await startComfy();
      return {
        simulator: { posts: simulator.ledger.posts, stop: simulator.stop },
        connection: { kind: "comfyui", addresses: simulator.addresses, options: {}, secret: null },
        ledger: () => simulator.ledger.posts.map(() => ({ isTaken: true, isBilled: true })),
      };
    },
    request: toMedia("image", "w", { prompt: "a harbour" }),
    workflow: comfyui.workflows!.parse(JSON.stringify(textToImage())),
    ownError: (_status, message) => ({
      body: { error: { type: "simulated", message, details: "", extra_info: {} }, node_errors: {} },
    }),
    isPaid: ({ method, path }) => method === "POST" && /\/prompt$/.test(path),
    isFree: true,
  },
]);
