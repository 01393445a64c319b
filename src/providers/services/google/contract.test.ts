import { startGoogle } from "../../../../test/simulators/google.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { google } from "./adapter.ts";

async function start() {
  const simulator = await startGoogle();
  const connection = {
    kind: "google",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  return { simulator, origin: new URL(simulator.url).origin, connection };
}

keepsTheChatContract({
  adapter: google,
  start,
  model: "gemini-3.5-flash",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "AIza-wrong-key-of-somebody",
});

keepsTheMediaContract({
  adapter: google,
  start,
  requests: [
    ["a picture of Imagen's", toMedia("image", "imagen-4.0-generate-001", { prompt: "a fox" })],
    [
      "speech",
      toMedia("speech", "gemini-2.5-flash-preview-tts", { text: "Good morning", voice: "Kore" }),
    ],
    ["a vector", toMedia("embedding", "gemini-embedding-001", { input: "a fox" })],
  ],
});

keepsTheJobContract({
  adapter: google,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [["a film", toMedia("video", "veo-3.1-generate-preview", { prompt: "a fox runs" })]],
  lost: { id: "models/veo-3.1-generate-preview/operations/never", urls: {} },
  wrongKey: "AIza-wrong-key-of-somebody",
});
