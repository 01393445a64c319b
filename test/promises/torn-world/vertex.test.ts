import { vertex } from "#providers/services/vertex/adapter.ts";
import { startVertex } from "../../simulators/vertex.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, goes: TornWay["goes"], request: TornWay["request"]): TornWay => ({
  name,
  adapter: vertex,
  goes,
  async start() {
    const simulator = await startVertex();
    const { origin } = simulator;
    const addresses = { api: origin, token: `${origin}/token`, storage: origin };
    const secret = JSON.stringify({ serviceAccount: simulator.tokens.keyFile });
    // A token request signs the address that it is sent to.
    return {
      simulator,
      direct: ["token"],
      connection: { kind: "vertex", addresses, options: { location: "us-central1" }, secret },
    };
  },
  request,
  ownError: (status, message) => ({
    body: {
      error: { code: status, message, status: status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT" },
    },
  }),
  isPaid: ({ method, path }) => method === "POST" && !/^\/token|:fetchPredictOperation/.test(path),
});
const chat = (id: string) =>
  buildRequest({ input: {}, model: { id, inputSchema: null, capabilities: {} } });

const drawing = toMedia("image", "imagen-4.0-generate-001", { prompt: "a fox", sampleCount: 2 });
const imagen = {
  ...drawing,
  model: { ...drawing.model, capabilities: { countField: { name: "sampleCount", most: 4 } } },
};

survivesTheTornWorld([
  way(
    "an answer",
    "words",
    buildRequest({
      input: {},
      model: { id: "gemini-3.5-flash", inputSchema: null, capabilities: {} },
    }),
  ),
  way("pictures of Imagen's", "file", imagen),
  {
    ...way(
      "a picture of Gemini's",
      "file",
      toMedia("image", "gemini-2.5-flash-image", { prompt: "a fox" }),
    ),
    cuts: 2,
    fileFrame: /"inlineData"/,
  },
  way(
    "speech",
    "file",
    toMedia("speech", "gemini-2.5-flash-preview-tts", { text: "Good morning", voice: "Kore" }),
  ),
  way("a vector", "words", toMedia("embedding", "gemini-embedding-001", { input: "a fox" })),
  {
    ...way("a film", "job", toMedia("video", "veo-3.1-generate-001", { prompt: "a fox runs" })),
    elsewhere: [
      { location: "europe-west4" },
      { location: "us-central1", project: "another-project" },
    ],
  },
  { ...way("an answer of Anthropic's", "words", chat("anthropic/claude-opus-5")), cuts: 2 },
  {
    ...way("an answer of Meta's", "words", chat("meta/llama-4-scout-17b-16e-instruct-maas")),
    cuts: 2,
  },
]);
