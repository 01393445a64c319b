import { startBedrock } from "../../../test/simulators/bedrock.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { bedrock } from "./adapter.ts";

keepsTheChatContract({
  adapter: bedrock,
  async start() {
    const simulator = await startBedrock();
    const { accessKeyId, secretAccessKey, region } = simulator.keys;
    const addresses = { api: simulator.url, control: simulator.url, s3: simulator.url, sts: simulator.url };
    const secret = JSON.stringify({ accessKeyId, secretAccessKey });
    return { simulator, origin: simulator.url, connection: { kind: "bedrock", addresses, options: { region }, secret } };
  },
  model: "eu.anthropic.claude-sonnet-9-v1:0",
  capabilities: { imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({ accessKeyId: "AKIDSIMULATOR", secretAccessKey: "a-wrong-key-of-somebody" }),
});
