import type { JsonObject } from "#contract/json.ts";
import { google } from "#providers/services/google/adapter.ts";
import { startGoogle } from "../../simulators/google.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, goes: TornWay["goes"], request: TornWay["request"]): TornWay => ({
  name,
  adapter: google,
  goes,
  async start() {
    const simulator = await startGoogle();
    return {
      simulator,
      connection: {
        kind: "google",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (status, message) => ({
    body: {
      error: { code: status, message, status: status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT" },
    },
  }),
});

const drawing = {
  ...toMedia("image", "imagen-4.0-generate-001", { prompt: "a fox", sampleCount: 2 }),
};
const imagen = {
  ...drawing,
  model: { ...drawing.model, capabilities: { countField: { name: "sampleCount", most: 4 } } },
};
const chat = (input: JsonObject, capabilities = {}) =>
  buildRequest({ input, model: { id: "gemini-3.5-flash", inputSchema: null, capabilities } });

survivesTheTornWorld([
  way("an answer", "words", chat({})),
  {
    ...way("an answer that searches the web", "words", chat({ webSearch: true })),
    cuts: 2,
    ceilingMicros: 60_000,
  },
  {
    ...way("an answer that runs code", "words", chat({ codeInterpreter: true })),
    cuts: 2,
    ceilingMicros: 60_000,
    fileFrame: /"inlineData"/,
  },
  way("pictures of Imagen's", "file", imagen),
  {
    ...way(
      "a picture of Gemini's",
      "file",
      toMedia("image", "gemini-3.1-flash-image-preview", { prompt: "a fox" }),
    ),
    fileFrame: /"inlineData"/,
  },
  {
    ...way("an answer with a picture", "words", chat({}, { imageOutput: true })),
    cuts: 2,
    fileFrame: /"inlineData"/,
  },
  way(
    "speech",
    "file",
    toMedia("speech", "gemini-2.5-flash-preview-tts", { text: "Good morning", voice: "Kore" }),
  ),
  way("a vector", "words", toMedia("embedding", "gemini-embedding-001", { input: "a fox" })),
  way("a film", "job", toMedia("video", "veo-3.1-generate-preview", { prompt: "a fox runs" })),
]);
