import type { Task } from "#contract/tasks.ts";
import { comfyui } from "#providers/services/comfyui/adapter.ts";
import { textToImage } from "../../simulators/comfyui/workflows.ts";
import { startComfy } from "../../simulators/comfyui.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, task: Task): TornWay => ({
  name,
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
  request: toMedia(task, "w", { prompt: "a harbour" }),
  workflow: comfyui.workflows!.parse(JSON.stringify(textToImage())),
  ownError: (_status, message) => ({
    body: { error: { type: "simulated", message, details: "", extra_info: {} }, node_errors: {} },
  }),
  isPaid: ({ method, path }) => method === "POST" && /\/prompt$/.test(path),
  isFree: true,
});

/** A workflow is sent and read the same way, whatever it makes. */
const others: readonly Task[] = [
  "edit",
  "upscale",
  "background-removal",
  "video",
  "music",
  "speech",
  "3d",
  "other",
];

survivesTheTornWorld([
  way("a workflow", "image"),
  ...others.map((task) => ({ ...way(`a workflow for ${task}`, task), isTwin: true as const })),
]);
