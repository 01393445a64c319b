import { luma } from "#providers/services/luma/adapter.ts";
import { startLuma } from "../../simulators/luma.ts";
import { tinyMp4 } from "../../simulators/openai/jobs.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, request: TornWay["request"]): TornWay => ({
  name,
  adapter: luma,
  goes: "job",
  async start() {
    const simulator = await startLuma();
    return {
      simulator,
      connection: {
        kind: "luma",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (_status, message) => ({ body: { detail: message } }),
  files: { at: "https://storage.cdn-luma.com", mime: "video/mp4", bytes: tinyMp4 },
});

survivesTheTornWorld([
  way(
    "a film",
    toMedia("video", "ray-2", {
      prompt: "a fox in snow",
      aspect_ratio: "16:9",
      resolution: "720p",
      duration: "5s",
      loop: false,
    }),
  ),
  {
    ...way(
      "a picture",
      toMedia("image", "photon-1", { prompt: "a fox in snow", aspect_ratio: "16:9" }),
    ),
    cuts: 2,
  },
]);
