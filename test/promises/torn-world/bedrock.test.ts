import { bedrock } from "#providers/services/bedrock/adapter.ts";
import { awsRefusal } from "../../simulators/aws/aws-gate.ts";
import { startBedrock } from "../../simulators/bedrock.ts";
import { makePng } from "../../simulators/openai-compatible/media.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { buildFile, buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

async function start() {
  const s3 = await startS3();
  const simulator = await startBedrock({
    putOutput: (uri, bytes) =>
      s3.put(
        uri.replace(`s3://${s3.bucket}/`, ""),
        uri.endsWith(".mp4") ? "video/mp4" : "application/json",
        bytes,
      ),
  });
  const { accessKeyId, secretAccessKey, region } = simulator.keys;
  return {
    simulator: {
      posts: simulator.posts,
      stop: async () => void (await Promise.all([simulator.stop(), s3.stop()])),
    },
    connection: {
      kind: "bedrock",
      addresses: {
        api: simulator.url,
        control: simulator.url,
        s3: s3.endpoint,
        sts: simulator.url,
      },
      options: { region, outputBucket: `s3://${s3.bucket}/bottega` },
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
  adapter: bedrock,
  goes,
  start,
  request,
  ownError(status, message) {
    const { body, headers = {} } = awsRefusal(
      status,
      names[status] ?? (status >= 500 ? "InternalServerException" : "ValidationException"),
      message,
    );
    return { body, headers };
  },
});

survivesTheTornWorld([
  way(
    "an answer",
    "words",
    buildRequest({
      input: {},
      model: { id: "eu.anthropic.claude-sonnet-9-v1:0", inputSchema: null, capabilities: {} },
    }),
  ),
  way("a picture", "file", toMedia("image", "amazon.nova-canvas-v1:0", { prompt: "a fox" })),
  {
    ...way(
      "a picture of Stability's",
      "file",
      toMedia("image", "stability.stable-image-core-v1:1", { prompt: "a fox" }),
    ),
    cuts: 2,
  },
  way(
    "a vector",
    "words",
    toMedia("embedding", "amazon.titan-embed-text-v2:0", { input: "a fox" }),
  ),
  {
    ...way(
      "a vector of Cohere's",
      "words",
      toMedia("embedding", "cohere.embed-english-v3", { input: "a fox" }),
    ),
    cuts: 2,
  },
  {
    ...way(
      "a changed picture",
      "file",
      toMedia(
        "edit",
        "amazon.nova-canvas-v1:0",
        { prompt: "blue", images: ["asset:1"] },
        buildFile("1", "image/png", makePng("a fox", 0, 64, 64)),
      ),
    ),
    isTwin: true,
  },
  {
    ...way(
      "a film",
      "job",
      toMedia("video", "amazon.nova-reel-v1:1", { prompt: "a boat", durationSeconds: 6 }),
    ),
    elsewhere: [{ region: "us-test-2" }],
  },
]);
