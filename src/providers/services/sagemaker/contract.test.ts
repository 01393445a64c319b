import { startSageMaker } from "../../../../test/simulators/sagemaker.ts";
import {
  type ChatContract,
  keepsTheChatContract,
} from "../../../../test/support/contracts/adapter-contract.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import { startSageMakerWithBucket } from "../../../../test/support/services/sagemaker.ts";
import { sagemaker } from "./adapter.ts";

async function start() {
  const simulator = await startSageMaker();
  const { accessKeyId, secretAccessKey, region } = simulator.keys;
  const addresses = {
    api: simulator.url,
    control: simulator.url,
    s3: simulator.url,
    sts: simulator.url,
  };
  const options = {
    region,
    template: "messages",
    endpoints: "sim-tgi: tgi, sim-painter: images, sim-anything: json",
  };
  return {
    simulator,
    origin: simulator.url,
    connection: {
      kind: "sagemaker",
      addresses,
      options,
      secret: JSON.stringify({ accessKeyId, secretAccessKey }),
    },
  };
}

const shared: Omit<ChatContract, "model"> = {
  adapter: sagemaker,
  start,
  wrongKey: JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
  }),
};

keepsTheChatContract({
  ...shared,
  model: "sim-vllm",
  capabilities: { imageInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
});

keepsTheChatContract({ ...shared, model: "sim-tgi", readsOneText: true });

keepsTheMediaContract({
  adapter: sagemaker,
  start,
  wrongKey: JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
  }),
  requests: [["a picture", toMedia("image", "sim-painter", { prompt: "a fox" })]],
});

keepsTheJobContract({
  adapter: sagemaker,
  async start() {
    const { sagemaker: simulator, s3, connection, origins } = await startSageMakerWithBucket();
    return {
      simulator: {
        posts: simulator.posts,
        // The bucket's response is a file, which breaks differently.
        interrupt: (met) =>
          met.kind === "reset" && met.at === "middle"
            ? s3.failNext({ operation: "GetObject", mode: "cut" })
            : s3.interrupt(met),
        stop: async () => {},
      },
      origins,
      connection,
      finish: () => simulator.finish(0),
    };
  },
  requests: [["a picture, later", toMedia("image", "sim-async-painter", { prompt: "a fox" })]],
  // A lost job can't be distinguished from a running one: neither has an output.
  lost: null,
  wrongKey: JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
  }),
  isLookedFor: true,
});
