import { parseS3Uri } from "#providers/aws/s3.ts";
import { sagemaker } from "#providers/services/sagemaker/adapter.ts";
import { awsRefusal } from "../../simulators/aws/aws-gate.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { startSageMaker } from "../../simulators/sagemaker.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

async function start() {
  const s3 = await startS3();
  const simulator = await startSageMaker({
    readInput: async (uri) => s3.read(parseS3Uri(uri)?.key ?? ""),
    putOutput: (uri, bytes) => s3.put(parseS3Uri(uri)?.key ?? "", "application/json", bytes),
    finishesAtOnce: true,
  });
  const { accessKeyId, secretAccessKey, region } = simulator.keys;
  const endpoints =
    "sim-tgi: tgi, sim-painter: images, sim-anything: json, sim-async-painter: images async";
  return {
    simulator: {
      posts: simulator.posts,
      stop: async () => void (await Promise.all([simulator.stop(), s3.stop()])),
    },
    connection: {
      kind: "sagemaker",
      addresses: {
        api: simulator.url,
        control: simulator.url,
        s3: s3.endpoint,
        sts: simulator.url,
      },
      options: { region, template: "messages", endpoints, asyncBucket: `s3://${s3.bucket}/in` },
      secret: JSON.stringify({ accessKeyId, secretAccessKey }),
    },
  };
}

const names: Readonly<Record<number, string>> = {
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  429: "ThrottlingException",
};

const way = (name: string, goes: TornWay["goes"], request: TornWay["request"]): TornWay => ({
  name,
  adapter: sagemaker,
  goes,
  start,
  request,
  ownError(status, message) {
    const { headers = {} } = awsRefusal(
      status,
      names[status] ?? (status >= 500 ? "InternalFailure" : "ValidationError"),
      message,
    );
    return { body: { Message: message }, headers };
  },
});
const chat = (id: string) =>
  buildRequest({ input: {}, model: { id, inputSchema: null, capabilities: {} } });

survivesTheTornWorld([
  way("an answer", "words", chat("sim-vllm")),
  { ...way("an answer of TGI's", "words", chat("sim-tgi")), cuts: 4 },
  way("a picture", "file", toMedia("image", "sim-painter", { prompt: "a fox" })),
  {
    ...way(
      "a container's own JSON",
      "file",
      toMedia("other", "sim-anything", { inputs: { question: "a fox" } }),
    ),
    cuts: 4,
  },
  {
    ...way("a picture, later", "job", toMedia("image", "sim-async-painter", { prompt: "a fox" })),
    asksForFile: true,
    elsewhere: [{ region: "us-test-2" }],
  },
]);
