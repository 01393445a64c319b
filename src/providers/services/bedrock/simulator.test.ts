import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  GetAsyncInvokeCommand,
  InvokeModelCommand,
  ListAsyncInvokesCommand,
  StartAsyncInvokeCommand,
} from "@aws-sdk/client-bedrock-runtime";
import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from "@aws-sdk/client-sagemaker-runtime";
import { expect, it, onTestFinished } from "vitest";
import { startBedrock } from "../../../../test/simulators/bedrock.ts";
import { startSageMaker } from "../../../../test/simulators/sagemaker.ts";

/**
 * Checks our simulators with AWS's own clients, which decode and sign independently of our code.
 */
async function startWithClient() {
  const simulator = await startBedrock();
  onTestFinished(() => simulator.stop());
  const settings = {
    endpoint: simulator.url,
    region: simulator.keys.region,
    credentials: simulator.keys,
    maxAttempts: 1,
  };
  // This client's default handler speaks only HTTP/2; the SageMaker client's speaks HTTP/1.1, as
  // the simulator does.
  const { requestHandler } = new SageMakerRuntimeClient(settings).config;
  const client = new BedrockRuntimeClient({ ...settings, requestHandler });
  onTestFinished(() => client.destroy());
  return { simulator, client };
}
const modelId = "eu.anthropic.claude-sonnet-9-v1:0";
const messages = [{ role: "user" as const, content: [{ text: "hello there" }] }];

it("Bedrock's own client reads an answer with reasoning and a tool call from the simulator", async () => {
  const { simulator, client } = await startWithClient();
  simulator.script({
    text: ["one", " two"],
    reasoning: ["hm"],
    toolCalls: [{ name: "weather", input: { place: "Rome" } }],
  });
  const { stream } = await client.send(
    new ConverseStreamCommand({ modelId, messages, inferenceConfig: { maxTokens: 100 } }),
  );
  const events = await Array.fromAsync(stream!);
  expect(events.map((event) => Object.keys(event)[0])).toEqual([
    "messageStart",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockStop",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockStop",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
  ]);
  expect(events.at(-1)).toMatchObject({ metadata: { usage: { outputTokens: 2 } } });
});

it("Bedrock's own client recognizes the simulator's refusals and faults", async () => {
  const { simulator, client } = await startWithClient();
  const ask = () => client.send(new ConverseStreamCommand({ modelId, messages }));
  simulator.script({
    fault: {
      kind: "status",
      status: 429,
      body: { message: "Slow." },
      headers: { "x-amzn-errortype": "ThrottlingException:" },
    },
  });
  await expect(ask()).rejects.toMatchObject({ name: "ThrottlingException", message: "Slow." });
  simulator.script({
    text: ["one"],
    fault: {
      kind: "error-event",
      after: 1,
      error: { type: "internalServerException", message: "Oh" },
    },
  });
  await expect(Array.fromAsync((await ask()).stream!)).rejects.toMatchObject({
    name: "InternalServerException",
  });
  simulator.script({ text: ["one"], fault: { kind: "nan", after: 1 } });
  await expect(Array.fromAsync((await ask()).stream!)).rejects.toThrow(/checksum/i);
});

it("Bedrock's own client starts, reads and lists the simulator's jobs, and makes its pictures", async () => {
  const { simulator, client } = await startWithClient();
  const job = {
    clientRequestToken: "token-1",
    modelId: "amazon.nova-reel-v1:1",
    modelInput: {
      taskType: "TEXT_VIDEO",
      textToVideoParams: { text: "a boat" },
      videoGenerationConfig: { durationSeconds: 6, fps: 24, dimension: "1280x720" },
    },
    outputDataConfig: { s3OutputDataConfig: { s3Uri: "s3://my-bucket/videos" } },
  };
  const { invocationArn } = await client.send(new StartAsyncInvokeCommand(job));
  expect((await client.send(new StartAsyncInvokeCommand(job))).invocationArn).toBe(invocationArn);
  expect(await client.send(new GetAsyncInvokeCommand({ invocationArn }))).toMatchObject({
    status: "Completed",
    clientRequestToken: "token-1",
  });
  const { asyncInvokeSummaries } = await client.send(
    new ListAsyncInvokesCommand({ sortBy: "SubmissionTime", sortOrder: "Descending" }),
  );
  expect(asyncInvokeSummaries).toHaveLength(1);
  await expect(
    client.send(
      new StartAsyncInvokeCommand({ ...job, modelInput: { ...job.modelInput, extra: 1 } }),
    ),
  ).rejects.toThrow(/extra|nrecognized/);
  const body = JSON.stringify({ taskType: "TEXT_IMAGE", textToImageParams: { text: "a boat" } });
  const picture = await client.send(
    new InvokeModelCommand({
      modelId: "amazon.nova-canvas-v1:0",
      contentType: "application/json",
      body,
    }),
  );
  expect(JSON.parse(picture.body.transformToString())).toMatchObject({
    images: [expect.any(String)],
  });
  expect(simulator.async.jobs).toHaveLength(1);
});

it("SageMaker's own client reads answers, streams and a container's refusal from the simulator", async () => {
  const simulator = await startSageMaker();
  onTestFinished(() => simulator.stop());
  const client = new SageMakerRuntimeClient({
    endpoint: simulator.url,
    region: simulator.keys.region,
    credentials: simulator.keys,
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  const asked = { EndpointName: "sim-tgi", ContentType: "application/json" };
  simulator.script({ text: ["one", " two"] });
  const { Body } = await client.send(
    new InvokeEndpointWithResponseStreamCommand({
      ...asked,
      Body: JSON.stringify({ inputs: "hello", stream: true, parameters: {} }),
    }),
  );
  const parts = await Array.fromAsync(Body!);
  const text = Buffer.concat(
    parts.map((part) => part.PayloadPart?.Bytes ?? new Uint8Array()),
  ).toString();
  expect(text).toContain('"generated_text":"one two"');
  const refused = client.send(
    new InvokeEndpointCommand({ ...asked, Body: JSON.stringify({ inputs: "" }) }),
  );
  await expect(refused).rejects.toMatchObject({ name: "ModelError", OriginalStatusCode: 422 });
});
