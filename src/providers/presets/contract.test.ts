import type { Task } from "#contract/tasks.ts";
import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { services } from "../../../test/simulators/presets.ts";
import { keepsTheChatContract } from "../../../test/support/contracts/adapter-contract.ts";
import { buildFile } from "../../../test/support/contracts/attempt.ts";
import {
  keepsTheMediaContract,
  type MediaContract,
  toMedia,
} from "../../../test/support/contracts/media-contract.ts";
import { toAdapter } from "./adapter.ts";
import { presets } from "./index.ts";

const models: Readonly<Record<string, string>> = { openrouter: "sim/chat", perplexity: "sonar" };

/**
 * One request for each task other than chat that a preset may have, with a model name that fits any
 * service.
 */
const media: Partial<Record<Task, MediaContract["requests"][number]>> = {
  image: ["a picture", toMedia("image", "sim-painter", { prompt: "a fox" })],
  speech: ["speech", toMedia("speech", "sim-voice", { input: "Good morning", voice: "alloy" })],
  transcription: [
    "a transcript",
    toMedia("transcription", "sim-ear", { file: "asset:1" }, buildFile("1", "audio/mpeg", "mp3")),
  ],
  embedding: ["a vector", toMedia("embedding", "sim-vectors", { input: "a fox" })],
};

for (const adapter of presets.map(toAdapter)) {
  const { kind, tasks } = adapter;
  const service = services[kind]!;
  const start = async (key: string | null | undefined) => {
    const simulator = await startOpenAiCompatible({
      ...service,
      ...(key !== undefined && { key }),
    });
    const connection = {
      kind,
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key || null,
    };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  };
  keepsTheChatContract({
    adapter,
    start: () => start(service.key),
    model: models[kind] ?? "sim-chat",
    reasons: true,
    usesTools: kind !== "perplexity",
    shapesAnswers: true,
    ...(service.key !== null && { wrongKey: "sk-wrong-key-of-somebody" }),
  });

  const requests = tasks.flatMap((task) => (media[task] ? [media[task]] : []));
  if (requests.length > 0) {
    // A local server is tested behind a proxy that requires a key.
    const key = service.key === null ? "key-of-a-proxy-in-front" : service.key;
    keepsTheMediaContract({ adapter, start: () => start(key), isKeyless: true, requests });
  }
}
