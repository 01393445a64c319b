import type { JsonObject } from "#contract/json.ts";
import { azure } from "#providers/services/azure/adapter.ts";
import { startAzure } from "../../simulators/azure.ts";
import { tinyMp3 } from "../../simulators/kit/paid.ts";
import { buildFile, buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const recording = buildFile("1", "audio/mpeg", tinyMp3);
const chat = (input: JsonObject = {}) =>
  buildRequest({
    input,
    model: { id: "gpt-5-house", inputSchema: null, capabilities: { reasoning: true } },
  });

const way = (
  name: string,
  goes: TornWay["goes"],
  request: TornWay["request"],
  more: JsonObject = {},
): TornWay => ({
  name,
  adapter: azure,
  goes,
  async start() {
    const simulator = await startAzure({ defaults: { searches: 9 } });
    const options = { deployments: "gpt-5-house = gpt-5.5", ...more };
    const secret = JSON.stringify({ key: simulator.key });
    return {
      simulator,
      connection: { kind: "azure", addresses: { api: simulator.url }, options, secret },
    };
  },
  request,
  ownError: (status, message) => ({ body: { error: { code: String(status), message } } }),
});

survivesTheTornWorld([
  way("an answer over Responses", "words", chat()),
  {
    ...way("an answer over Chat Completions", "words", chat(), { chatApi: "chat completions" }),
    cuts: 2,
  },
  way("an answer in the background", "job", chat({ background: true })),
  way("a picture", "file", toMedia("image", "pictures", { prompt: "a fox" })),
  {
    ...way(
      "a changed picture",
      "file",
      toMedia(
        "image",
        "pictures",
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
      toMedia("speech", "voices", { input: "Good morning", voice: "alloy" }),
    ),
    cuts: 2,
  },
  {
    ...way(
      "a transcript",
      "file",
      toMedia("transcription", "ears", { file: "asset:1" }, recording),
    ),
    cuts: 2,
  },
  {
    ...way("an answer that searches the web", "words", chat({ webSearch: true })),
    contextTokens: 100_000,
    cuts: 2,
  },
  { ...way("a film", "job", toMedia("video", "sora-2", { prompt: "a fox runs" })), isTwin: true },
  { ...way("a vector", "words", toMedia("embedding", "vectors", { input: "a fox" })), cuts: 2 },
]);
