import { startAzure } from "../../../../test/simulators/azure.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { buildFile, buildRequest } from "../../../../test/support/contracts/attempt.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { azure } from "./adapter.ts";

async function start() {
  const simulator = await startAzure();
  const options = { deployments: "gpt-5-house = gpt-5.5" };
  const connection = {
    kind: "azure",
    addresses: { api: simulator.url },
    options,
    secret: JSON.stringify({ key: simulator.key }),
  };
  return { simulator, origin: simulator.url, connection };
}

keepsTheChatContract({
  adapter: azure,
  start,
  model: "gpt-5-house",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({ key: "wrong-key-of-somebody" }),
});

// The same contract over Chat Completions.
keepsTheChatContract({
  adapter: azure,
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
  model: "gpt-5-house",
  capabilities: { imageInput: true },
  usesTools: true,
  shapesAnswers: true,
});

keepsTheMediaContract({
  adapter: azure,
  start,
  wrongKey: JSON.stringify({ key: "wrong-key-of-somebody" }),
  requests: [
    ["a picture", toMedia("image", "pictures", { prompt: "a fox" })],
    [
      "a changed picture",
      toMedia(
        "image",
        "pictures",
        { prompt: "blue", images: ["asset:1"] },
        buildFile("1", "image/png", "png"),
      ),
    ],
    [
      "a transcript",
      toMedia("transcription", "ears", { file: "asset:1" }, buildFile("1", "audio/mpeg", "mp3")),
    ],
    ["speech", toMedia("speech", "voices", { input: "Good morning", voice: "alloy" })],
    ["a vector", toMedia("embedding", "vectors", { input: "a fox" })],
  ],
});

keepsTheJobContract({
  adapter: azure,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [
    [
      "an answer in the background",
      buildRequest({
        model: { id: "gpt-5-house", inputSchema: null, capabilities: { reasoning: true } },
      }),
    ],
  ],
  lost: { id: "resp_never", urls: { kind: "responses" } },
  wrongKey: JSON.stringify({ key: "wrong-key-of-somebody" }),
});
