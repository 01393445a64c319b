import { startBedrock } from "../../../test/simulators/bedrock.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { keepsTheMediaContract, toMedia } from "../../../test/support/media-contract.ts";
import { bedrock } from "./adapter.ts";

async function start() {
  const simulator = await startBedrock();
  const { accessKeyId, secretAccessKey, region } = simulator.keys;
  const addresses = { api: simulator.url, control: simulator.url, s3: simulator.url, sts: simulator.url };
  const secret = JSON.stringify({ accessKeyId, secretAccessKey });
  return { simulator, origin: simulator.url, connection: { kind: "bedrock", addresses, options: { region }, secret } };
}

keepsTheChatContract({
  adapter: bedrock,
  start,
  model: "eu.anthropic.claude-sonnet-9-v1:0",
  capabilities: { imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({ accessKeyId: "AKIDSIMULATOR", secretAccessKey: "a-wrong-key-of-somebody" }),
});

keepsTheMediaContract({
  adapter: bedrock,
  start,
  wrongKey: JSON.stringify({ accessKeyId: "AKIDSIMULATOR", secretAccessKey: "a-wrong-key-of-somebody" }),
  requests: [
    ["a picture", toMedia("image", "amazon.nova-canvas-v1:0", { prompt: "a fox" })],
    ["a vector", toMedia("embedding", "amazon.titan-embed-text-v2:0", { input: "a fox" })],
  ],
});
