import { deepgram } from "#providers/services/deepgram/adapter.ts";
import { startDeepgram } from "../../simulators/deepgram.ts";
import { tinyMp3 } from "../../simulators/kit/paid.ts";
import { buildFile } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, request: TornWay["request"]): TornWay => ({
  name,
  adapter: deepgram,
  goes: "file",
  async start() {
    const simulator = await startDeepgram();
    return {
      simulator,
      connection: {
        kind: "deepgram",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (status, message) => ({
    body: { err_code: `SIMULATED_${status}`, err_msg: message, request_id: "r-1" },
  }),
});

survivesTheTornWorld([
  way(
    "a transcript",
    toMedia(
      "transcription",
      "nova-3-general",
      { file: "asset:1" },
      buildFile("1", "audio/mpeg", tinyMp3),
    ),
  ),
  way("speech", toMedia("speech", "aura-2-thalia-en", { text: "Good morning" })),
]);
