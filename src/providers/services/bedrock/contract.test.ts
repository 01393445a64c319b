import { startBedrock } from "../../../../test/simulators/bedrock.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { startBedrockWithBucket } from "../../../../test/support/services/bedrock.ts";
import { bedrock } from "./adapter.ts";

async function start() {
  const simulator = await startBedrock();
  const { accessKeyId, secretAccessKey, region } = simulator.keys;
  const addresses = {
    api: simulator.url,
    control: simulator.url,
    s3: simulator.url,
    sts: simulator.url,
  };
  const secret = JSON.stringify({ accessKeyId, secretAccessKey });
  return {
    simulator,
    origin: simulator.url,
    connection: { kind: "bedrock", addresses, options: { region }, secret },
  };
}

keepsTheChatContract({
  adapter: bedrock,
  start,
  model: "eu.anthropic.claude-sonnet-9-v1:0",
  capabilities: { imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
  }),
});

keepsTheMediaContract({
  adapter: bedrock,
  start,
  wrongKey: JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
  }),
  requests: [
    ["a picture", toMedia("image", "amazon.nova-canvas-v1:0", { prompt: "a fox" })],
    ["a vector", toMedia("embedding", "amazon.titan-embed-text-v2:0", { input: "a fox" })],
  ],
});

keepsTheJobContract({
  adapter: bedrock,
  async start() {
    const { bedrock: simulator, connection, origins } = await startBedrockWithBucket();
    return { simulator: { ...simulator, stop: async () => {} }, origins, connection };
  },
  requests: [
    ["a film", toMedia("video", "amazon.nova-reel-v1:1", { prompt: "a boat", durationSeconds: 6 })],
  ],
  lost: {
    id: "arn:aws:bedrock:eu-test-1:123456789012:async-invoke/neverwasthere".slice(0, -1),
    urls: {},
  },
  wrongKey: JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
  }),
});
