import type { Task } from "#contract/tasks.ts";
import { toAdapter } from "#providers/presets/adapter.ts";
import { presets } from "#providers/presets/index.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { tinyMp3 } from "../../simulators/kit/paid.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { services } from "../../simulators/presets.ts";
import { buildFile, buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const ownError = (_status: number, message: string) => ({
  body: { error: { message, type: "simulated", param: null, code: null } },
});
const recording = buildFile("1", "audio/mpeg", tinyMp3);

const way = (name: string, goes: TornWay["goes"], request: TornWay["request"]): TornWay => ({
  name,
  adapter: openaiCompatible,
  goes,
  async start() {
    const simulator = await startOpenAiCompatible();
    return {
      simulator,
      connection: {
        kind: "openai-compatible",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError,
});

/**
 * One of each kind of output that a preset may make besides text, under the name of any service's
 * model.
 */
const media: Partial<Record<Task, Pick<TornWay, "goes" | "request">>> = {
  image: { goes: "file", request: toMedia("image", "sim-painter", { prompt: "a fox" }) },
  speech: {
    goes: "file",
    request: toMedia("speech", "sim-voice", { input: "Good morning", voice: "alloy" }),
  },
  transcription: {
    goes: "file",
    request: toMedia("transcription", "sim-ear", { file: "asset:1" }, recording),
  },
  embedding: { goes: "words", request: toMedia("embedding", "sim-vectors", { input: "a fox" }) },
};

const modelIds: Readonly<Record<string, string>> = { openrouter: "sim/chat", perplexity: "sonar" };
/** They read answers with the same code, after requests of their own. */
const ofPresets = presets.flatMap((preset): TornWay[] => {
  const { kind } = preset;
  const adapter = toAdapter(preset);
  const chat: TornWay = {
    name: kind,
    adapter,
    goes: "words",
    async start() {
      const simulator = await startOpenAiCompatible(services[kind]!);
      return {
        simulator,
        connection: {
          kind,
          addresses: { api: simulator.url },
          options: {},
          secret: simulator.key || null,
        },
      };
    },
    request: buildRequest({
      input: {},
      model: { id: modelIds[kind] ?? "sim-chat", inputSchema: null, capabilities: {} },
    }),
    ownError,
    cuts: 2,
    ...(adapter.free && { isFree: true }),
  };
  const others = adapter.tasks.flatMap((task): TornWay[] =>
    media[task] ? [{ ...chat, ...media[task], name: `${kind}: ${task}`, isTwin: true }] : [],
  );
  return [chat, ...others];
});

survivesTheTornWorld([
  way("chat", "words", buildRequest({ input: {} })),
  way("a picture", "file", toMedia("image", "sim-chat", { prompt: "a fox" })),
  {
    ...way(
      "a changed picture",
      "file",
      toMedia(
        "image",
        "sim-chat",
        { prompt: "blue", images: ["asset:1"] },
        buildFile("1", "image/png", "png"),
      ),
    ),
    cuts: 2,
  },
  way("speech", "file", toMedia("speech", "sim-chat", { input: "Good morning", voice: "alloy" })),
  way("a transcript", "file", toMedia("transcription", "sim-chat", { file: "asset:1" }, recording)),
  way("a vector", "words", toMedia("embedding", "sim-chat", { input: "a fox" })),
  ...ofPresets,
]);
