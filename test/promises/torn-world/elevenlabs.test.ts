import { elevenlabs } from "#providers/services/elevenlabs/adapter.ts";
import { startElevenLabs } from "../../simulators/elevenlabs.ts";
import { tinyMp3 } from "../../simulators/kit/paid.ts";
import { buildFile } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, request: TornWay["request"]): TornWay => ({
  name,
  adapter: elevenlabs,
  goes: "file",
  async start() {
    const simulator = await startElevenLabs();
    return {
      simulator,
      connection: {
        kind: "elevenlabs",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (status, message) => ({ body: { detail: { status: `simulated_${status}`, message } } }),
});

survivesTheTornWorld([
  way("speech", toMedia("speech", "eleven_v3", { text: "Good morning", voice: "voice0" })),
  { ...way("music", toMedia("music", "music_v1", { prompt: "a waltz", seconds: 12.5 })), cuts: 2 },
  {
    ...way(
      "a sound",
      toMedia("music", "eleven_text_to_sound_v2", { text: "rain", duration_seconds: 3 }),
    ),
    cuts: 2,
  },
  way(
    "a transcript",
    toMedia(
      "transcription",
      "scribe_v2",
      { file: "asset:1" },
      buildFile("1", "audio/mpeg", tinyMp3),
    ),
  ),
]);
