import { startVertex } from "../../../../test/simulators/vertex.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { vertex } from "./adapter.ts";

async function start() {
  const simulator = await startVertex();
  const { origin } = simulator;
  const addresses = { api: origin, token: `${origin}/token`, storage: origin };
  const secret = JSON.stringify({ serviceAccount: simulator.tokens.keyFile });
  return {
    simulator,
    origin,
    connection: { kind: "vertex", addresses, options: { location: "us-central1" }, secret },
  };
}

keepsTheChatContract({
  adapter: vertex,
  start,
  model: "gemini-3.5-flash",
  capabilities: { reasoning: true, imageInput: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
});

keepsTheChatContract({
  adapter: vertex,
  start,
  model: "anthropic/claude-opus-5",
  capabilities: { reasoning: true, imageInput: true, tools: true },
  reasons: true,
  usesTools: true,
});

keepsTheChatContract({
  adapter: vertex,
  start,
  model: "meta/llama-4-scout-17b-16e-instruct-maas",
  capabilities: { imageInput: true, tools: true },
  usesTools: true,
  shapesAnswers: true,
  isUnlisted: true,
});

keepsTheMediaContract({
  adapter: vertex,
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
  adapter: vertex,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [["a film", toMedia("video", "veo-3.1-generate-001", { prompt: "a fox runs" })]],
  lost: {
    id: "projects/sim-project/locations/us-central1/publishers/google/models/veo-3.1-generate-001/operations/never",
    urls: {},
  },
  wrongKey: JSON.stringify({ serviceAccount: "wrong-key-of-somebody" }),
});
