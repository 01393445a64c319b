import { startSageMaker } from "../../../test/simulators/sagemaker.ts";
import { type ChatContract, keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { sagemaker } from "./adapter.ts";

const shared: Omit<ChatContract, "model"> = {
  adapter: sagemaker,
  async start() {
    const simulator = await startSageMaker();
    const { accessKeyId, secretAccessKey, region } = simulator.keys;
    const addresses = { api: simulator.url, control: simulator.url, s3: simulator.url, sts: simulator.url };
    const options = { region, template: "messages", endpoints: "sim-tgi: tgi, sim-painter: images, sim-anything: json" };
    return {
      simulator,
      origin: simulator.url,
      connection: { kind: "sagemaker", addresses, options, secret: JSON.stringify({ accessKeyId, secretAccessKey }) },
    };
  },
  wrongKey: JSON.stringify({ accessKeyId: "AKIDSIMULATOR", secretAccessKey: "a-wrong-key-of-somebody" }),
};

keepsTheChatContract({
  ...shared,
  model: "sim-vllm",
  capabilities: { imageInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
});
