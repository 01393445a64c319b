import type { Task } from "#contract/tasks.ts";
import { replicate } from "#providers/services/replicate/adapter.ts";
import { makePng } from "../../simulators/openai-compatible/media.ts";
import { startReplicate } from "../../simulators/replicate.ts";
import { buildFile } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const picture = makePng("a fox", 0, 8, 8);

const way = (name: string, request: TornWay["request"]): TornWay => ({
  name,
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
  request,
  ownError: (status, message) => ({ body: { title: "Simulated", detail: message, status } }),
  isPaid: ({ method, path }) => method === "POST" && path.endsWith("/predictions"),
  files: { at: "https://replicate.delivery", mime: "image/png", bytes: picture },
});

const ofVersion = toMedia("image", "lab/sketch", { prompt: "a fox", seed: 3 });
const inputSchema = {
  type: "object",
  "x-version": "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa",
};
/** A prediction is sent and read the same way, whatever its model makes. */
const others: readonly Task[] = [
  "upscale",
  "background-removal",
  "video",
  "speech",
  "music",
  "transcription",
  "3d",
  "other",
];

survivesTheTornWorld([
  way("a prediction", toMedia("image", "forest/flux", { prompt: "a fox" })),
  {
    ...way("a prediction by version", {
      ...ofVersion,
      model: { ...ofVersion.model, inputSchema },
    }),
    cuts: 4,
  },
  {
    ...way(
      "a prediction with a file",
      toMedia(
        "edit",
        "forest/flux",
        { prompt: "a fox", image: "asset:1" },
        buildFile("1", "image/png", picture),
      ),
    ),
    cuts: 2,
  },
  ...others.map((task) => ({
    ...way(`a prediction for ${task}`, toMedia(task, "forest/flux", { prompt: "a fox" })),
    isTwin: true as const,
  })),
]);
