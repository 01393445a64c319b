import { startOpenAi } from "../../../../test/simulators/openai.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { buildFile, buildRequest } from "../../../../test/support/contracts/attempt.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { openai } from "./adapter.ts";

async function start() {
  const simulator = await startOpenAi();
  const connection = {
    kind: "openai",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  return { simulator, origin: new URL(simulator.url).origin, connection };
}

keepsTheChatContract({
  adapter: openai,
  start,
  model: "gpt-5.5",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "sk-wrong-key-of-somebody",
});

// The same contract over Chat Completions.
keepsTheChatContract({
  adapter: openai,
  async start() {
    const { connection, ...started } = await start();
    return {
      ...started,
      connection: {
        ...connection,
        options: { ...connection.options, chatApi: "chat completions" },
      },
    };
  },
  model: "gpt-4.1",
  capabilities: { imageInput: true },
  usesTools: true,
  shapesAnswers: true,
});

keepsTheMediaContract({
  adapter: openai,
  start,
  requests: [
    ["a picture", toMedia("image", "gpt-image-2", { prompt: "a fox" })],
    [
      "a changed picture",
      toMedia(
        "image",
        "gpt-image-2",
        { prompt: "blue", images: ["asset:1"] },
        buildFile("1", "image/png", "png"),
      ),
    ],
    ["speech", toMedia("speech", "gpt-4o-mini-tts", { input: "Good morning", voice: "alloy" })],
    [
      "a transcript",
      toMedia(
        "transcription",
        "gpt-4o-transcribe",
        { file: "asset:1" },
        buildFile("1", "audio/mpeg", "mp3"),
      ),
    ],
    ["a vector", toMedia("embedding", "text-embedding-3-small", { input: "a fox" })],
  ],
});

keepsTheJobContract({
  adapter: openai,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [
    [
      "an answer in the background",
      buildRequest({
        model: { id: "gpt-5.5", inputSchema: null, capabilities: { reasoning: true } },
      }),
    ],
    ["a film", toMedia("video", "sora-2", { prompt: "a fox runs" })],
  ],
  lost: { id: "resp_never", urls: { kind: "responses" } },
  wrongKey: "sk-wrong-key-of-somebody",
});
