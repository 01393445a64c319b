import { startOpenAiCompatible } from "../../../../test/simulators/openai-compatible.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { buildFile } from "../../../../test/support/contracts/attempt.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { openaiCompatible } from "./adapter.ts";

async function start() {
  const simulator = await startOpenAiCompatible();
  const connection = {
    kind: "openai-compatible",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  return { simulator, origin: new URL(simulator.url).origin, connection };
}

keepsTheChatContract({
  adapter: openaiCompatible,
  start,
  model: "sim-chat",
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "sk-wrong-key-of-somebody",
});

keepsTheMediaContract({
  adapter: openaiCompatible,
  start,
  isKeyless: true,
  requests: [
    ["a picture", toMedia("image", "sim-chat", { prompt: "a fox" })],
    [
      "a changed picture",
      toMedia(
        "image",
        "sim-chat",
        { prompt: "blue", images: ["asset:1"] },
        buildFile("1", "image/png", "png"),
      ),
    ],
    ["speech", toMedia("speech", "sim-chat", { input: "Good morning", voice: "alloy" })],
    [
      "a transcript",
      toMedia(
        "transcription",
        "sim-chat",
        { file: "asset:1" },
        buildFile("1", "audio/mpeg", "mp3"),
      ),
    ],
    ["a vector", toMedia("embedding", "sim-chat", { input: "a fox" })],
  ],
});
