import type { JsonObject } from "#contract/json.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import { tinyMp3 } from "../../simulators/kit/paid.ts";
import { startOpenAi } from "../../simulators/openai.ts";
import { buildFile, buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const recording = buildFile("1", "audio/mpeg", tinyMp3);
const chat = (id: string, input: JsonObject = {}) =>
  buildRequest({ input, model: { id, inputSchema: null, capabilities: { reasoning: true } } });

const way = (
  name: string,
  goes: TornWay["goes"],
  request: TornWay["request"],
  options: JsonObject = {},
): TornWay => ({
  name,
  adapter: openai,
  goes,
  async start() {
    const simulator = await startOpenAi({ defaults: { searches: 9 } });
    return {
      simulator,
      connection: {
        kind: "openai",
        addresses: { api: simulator.url },
        options,
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (_status, message) => ({
    body: { error: { message, type: "simulated", param: null, code: null } },
  }),
});

survivesTheTornWorld([
  way("an answer over Responses", "words", chat("gpt-5.5")),
  way("an answer over Chat Completions", "words", chat("gpt-4.1"), { chatApi: "chat completions" }),
  way("an answer in the background", "job", chat("gpt-5.5", { background: true })),
  {
    ...way("an answer that searches the web", "words", chat("gpt-5.5", { webSearch: true })),
    contextTokens: 100_000,
    cuts: 2,
  },
  {
    ...way("an answer that runs code", "words", chat("gpt-5.5", { codeInterpreter: true })),
    cuts: 2,
    ceilingMicros: 60_000,
  },
  {
    ...way("an answer with a picture of a tool", "words", chat("gpt-5.5", { imageTool: true })),
    cuts: 2,
    ceilingMicros: 60_000,
  },
  {
    ...way(
      "an answer in the background that searches the web",
      "job",
      chat("gpt-5.5", { background: true, webSearch: true }),
    ),
    contextTokens: 100_000,
    isTwin: true,
  },
  way("a picture", "file", toMedia("image", "gpt-image-2", { prompt: "a fox" })),
  {
    ...way(
      "a changed picture",
      "file",
      toMedia(
        "image",
        "gpt-image-2",
        { prompt: "blue", images: ["asset:1"] },
        buildFile("1", "image/png", "png"),
      ),
    ),
    cuts: 2,
  },
  {
    ...way(
      "speech",
      "file",
      toMedia("speech", "gpt-4o-mini-tts", { input: "Good morning", voice: "alloy" }),
    ),
    cuts: 2,
  },
  {
    ...way(
      "a transcript",
      "file",
      toMedia("transcription", "gpt-4o-transcribe", { file: "asset:1" }, recording),
    ),
    cuts: 2,
  },
  {
    ...way("a vector", "words", toMedia("embedding", "text-embedding-3-small", { input: "a fox" })),
    cuts: 2,
  },
  way("a film", "job", toMedia("video", "sora-2", { prompt: "a fox runs" })),
]);
