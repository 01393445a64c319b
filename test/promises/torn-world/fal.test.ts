import type { JsonObject } from "#contract/json.ts";
import { fal } from "#providers/services/fal/adapter.ts";
import { startFal } from "../../simulators/fal.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";
import { survivesItsWebhooks } from "../../support/torn-world/webhooks.ts";

const picture = toMedia("image", "sim/flux/dev", {
  prompt: "a fox [sim:webhook-hold]",
  image_size: { width: 64, height: 64 },
});

const way = (
  name: string,
  goes: TornWay["goes"],
  options: JsonObject,
  request: TornWay["request"] = picture,
): TornWay => ({
  name,
  adapter: fal,
  goes,
  async start(now, reach) {
    const simulator = await startFal({
      pace: { by: "time", stepMs: 5 },
      now,
      ...(reach && { reach }),
    });
    return {
      simulator: { posts: simulator.ledger.posts, stop: simulator.stop },
      connection: { kind: "fal", addresses: simulator.addresses, options, secret: simulator.key },
      // It makes and bills everything that it accepts.
      ledger: () =>
        simulator.ledger.posts.map(({ outcome }) => ({
          isTaken: outcome === "accepted",
          isBilled: outcome === "accepted",
        })),
      tell: async (wish) => (await simulator.deliver("a fox", wish)).map(({ status }) => status),
    };
  },
  request,
  ownError: (status, message) => ({
    body: { detail: message, ...(status >= 500 && { error_type: "internal_error" }) },
  }),
  // If a file must not be signed, fal answers that the file isn't one of its own.
  isResult: ({ path }) => /\/requests\/[\w-]+$|\/files\/sign\b/.test(path),
  isPaid: ({ method, path }) => method === "POST" && /^\/(queue|run)\//.test(path),
});

const queue = way("a job of the queue", "job", { runs: "queue" });
/** A job is sent and read the same way, whatever its model makes. */
const address = "https://example.org/a-fox";
const others: readonly TornWay["request"][] = [
  toMedia("edit", "sim/flux/dev/image-to-image", { prompt: "a fox", image_url: address }),
  toMedia("upscale", "sim/clarity-upscaler", { image_url: address }),
  toMedia("background-removal", "sim/birefnet/v2", { image_url: address }),
  toMedia("video", "acme/sync-lipsync/v2", { video_url: address, audio_url: address }),
  toMedia("speech", "sim/elevenlabs/tts/eleven-v3", { text: "a fox" }),
  toMedia("music", "sim/minimax-music/v2", { prompt: "a fox" }),
  toMedia("transcription", "sim/whisper", { audio_url: address }),
  toMedia("3d", "sim/trellis", { image_url: address }),
  toMedia("other", "sim/flux-lora-fast-training", { images_data_url: address }),
];

survivesTheTornWorld([
  queue,
  { ...way("a direct run", "file", { runs: "direct" }), namesInHead: true },
  way("a streamed run", "file", { streamModels: "sim/flux/dev" }),
  ...others.map((request) => ({
    ...way(`a job for ${request.task}`, "job", { runs: "queue" }, request),
    isTwin: true as const,
    ...(["background-removal", "transcription"].includes(request.task) && {
      unit: "compute second" as const,
      ceilingMicros: 60_000,
    }),
  })),
]);
survivesItsWebhooks(queue);
