import { bedrock } from "#providers/services/bedrock/adapter.ts";
import { google } from "#providers/services/google/adapter.ts";
import { sagemaker } from "#providers/services/sagemaker/adapter.ts";
import { vertex } from "#providers/services/vertex/adapter.ts";
import { startBedrock } from "../../simulators/bedrock.ts";
import { startGoogle } from "../../simulators/google.ts";
import type { Behaviour } from "../../simulators/kit/behaviour.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { startSageMakerWithBucket } from "../services/sagemaker.ts";
import { named, ofBedrock, ofSageMaker } from "./aws.ts";
import { ofGemini, ofVertex, startVertexAi } from "./google.ts";
import { wordOf } from "./jobs.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Cells, Column, LateRefusal, Started } from "./table.ts";

const film = (id: string, input: object = { prompt: "a fox runs" }) =>
  buildRequest({
    task: "video",
    model: { id, inputSchema: null, capabilities: {} },
    turns: [],
    input: input as { prompt: string },
  });
const failed = (error: string): LateRefusal => ({ error });
/** google.rpc.Status with only its number, as in an operation. */
const status = (code: number, message: string): LateRefusal => ({ error: { code, message } });

/** Scripts the end of a Veo video at the time of its request. */
const endOfVeo =
  (simulator: { script(next: Behaviour): void }): Started["endJob"] =>
  (late, id) => {
    if (id !== null) return;
    if ("finish" in late) simulator.script({ finishReason: late.finish });
    else simulator.script({ fault: { kind: "error-event", after: 0, error: late.error } });
  };

/**
 * https://cloud.google.com/vertex-ai/generative-ai/docs/video/responsible-ai-and-usage-guidelines,
 * and google.rpc.Code.
 */
const veoLate: Cells<LateRefusal> = {
  "rate limit": status(8, "Resource has been exhausted (e.g. check quota)."),
  "used up": status(8, "Your prepayment credits are depleted."),
  "wrong key": keyComesFirst,
  "missing right": status(7, "The caller does not have permission to write into the bucket."),
  "too long": requestComesFirst,
  filter: [
    { finish: "SAFETY" },
    status(
      3,
      "The prompt could not be submitted. This prompt contains sensitive words that violate Google's Responsible AI practices.",
    ),
    status(
      3,
      "Veo could not generate videos because the input image violates Vertex AI's usage guidelines. Support codes: 17301594",
    ),
  ],
  "wrong setting": {
    ...status(3, "Unable to process the input image."),
    code: "provider_invalid_input",
  },
  "model gone": requestComesFirst,
  overload: status(14, "The service is currently unavailable."),
  timeout: status(4, "Deadline expired before operation could complete."),
  "broken server": [
    status(
      13,
      "Video generation failed due to an internal server issue. Please try again in a few minutes.",
    ),
    status(2, "An unknown error has occurred."),
  ],
};

export const filmColumns: readonly Column[] = [
  {
    name: "google, films",
    adapter: google,
    reference: "https://ai.google.dev/gemini-api/docs/video",
    async start() {
      const simulator = await startGoogle();
      const connection = {
        kind: "google",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      const { interrupt } = simulator;
      return {
        simulator,
        origin: new URL(simulator.url).origin,
        connection,
        interrupt,
        endJob: endOfVeo(simulator),
      };
    },
    request: film("veo-3.1-generate-preview"),
    asks: true,
    before: ofGemini,
    after: veoLate,
  },
  {
    name: "vertex, films",
    adapter: vertex,
    reference:
      "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation",
    async start() {
      const { simulator, ...started } = await startVertexAi();
      return { ...started, simulator, interrupt: simulator.interrupt, endJob: endOfVeo(simulator) };
    },
    request: film("veo-3.1-generate-001"),
    asks: true,
    before: ofVertex,
    after: veoLate,
  },
  {
    name: "bedrock, films",
    adapter: bedrock,
    reference: "https://docs.aws.amazon.com/nova/latest/userguide/video-gen-errors.html",
    async start() {
      const simulator = await startBedrock();
      simulator.async.hold();
      const { accessKeyId, secretAccessKey, region } = simulator.keys;
      const addresses = {
        api: simulator.url,
        control: simulator.url,
        s3: simulator.url,
        sts: simulator.url,
      };
      const options = { region, outputBucket: "s3://bottega-test/films" };
      const secret = JSON.stringify({ accessKeyId, secretAccessKey });
      return {
        simulator,
        origin: simulator.url,
        connection: { kind: "bedrock", addresses, options, secret },
        interrupt: simulator.interrupt,
        endJob: (late, id) =>
          id !== null && simulator.async.finish(simulator.async.jobs[0]!, wordOf(late)),
      };
    },
    request: film("amazon.nova-reel-v1:1", { prompt: "a boat", durationSeconds: 6 }),
    asks: true,
    before: {
      ...ofBedrock,
      "too long": {
        ...named(
          400,
          "ValidationException",
          "expected maxLength: 512, actual: 600, please reformat your input and try again.",
        ),
        // A single field, not a conversation.
        code: "provider_invalid_input",
      },
      filter: [
        named(
          400,
          "ValidationException",
          "This request has been blocked by our content filters. Please adjust your text prompt to submit a new request.",
        ),
        named(
          400,
          "ValidationException",
          "This request has been blocked by our content filters. Please adjust your input image to submit a new request.",
        ),
      ],
      "missing right": [
        named(
          403,
          "AccessDeniedException",
          "You don't have access to the model with the specified model ID.",
        ),
        named(400, "ValidationException", "Invalid Output Config/Credentials"),
      ],
      "broken server": named(
        500,
        "InternalServerException",
        "The system encountered an unexpected error during processing.",
      ),
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": failed(
        "Access denied: the video could not be written to the S3 bucket of its output.",
      ),
      "too long": requestComesFirst,
      filter: failed("The generated video has been blocked by our content filters."),
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: endsWithoutAWord,
      timeout: failed("The model timed out while it made the video."),
      "broken server": failed("An internal error occurred while the video was made."),
    },
  },
  {
    name: "sagemaker, asynchronous",
    adapter: sagemaker,
    reference: "https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference.html",
    async start() {
      const { sagemaker: simulator, connection, origins } = await startSageMakerWithBucket();
      return {
        simulator,
        origin: simulator.url,
        origins,
        connection,
        endJob: (late, id) => id !== null && simulator.finish(0, wordOf(late)),
      };
    },
    request: buildRequest({
      task: "image",
      model: { id: "sim-async-painter", inputSchema: null, capabilities: {} },
      turns: [],
      input: { prompt: "a fox" },
    }),
    before: {
      ...ofSageMaker,
      // The container is called later.
      "too long":
        "The endpoint reads what is in the bucket when it comes to it: see after the first byte.",
      "wrong setting": named(
        400,
        "ValidationError",
        "Endpoint sim-async-painter is not an asynchronous endpoint.",
      ),
      timeout:
        "The endpoint reads what is in the bucket when it comes to it: see after the first byte.",
      "broken server": named(500, "InternalFailure", "An internal failure occurred."),
      overload: [
        named(503, "ServiceUnavailable", "The service is unavailable. Try your call again."),
        named(
          530,
          "InternalDependencyException",
          "Your request caused an exception with an internal dependency.",
        ),
      ],
    },
    after: {
      "rate limit": requestComesFirst,
      "used up":
        "One's own machines are billed by the hour: an account without money has no endpoint.",
      "wrong key": keyComesFirst,
      "missing right": failed("Access denied to the S3 object of the input."),
      "too long": failed("This model's maximum context length is 4096 tokens."),
      filter: "A container says what its author wrote: SageMaker itself reads nothing of it.",
      "wrong setting": failed(
        'Received client error (422) from primary with message "width must be a multiple of 8".',
      ),
      "model gone": requestComesFirst,
      overload: failed("CUDA out of memory. Tried to allocate 2.00 GiB."),
      timeout: failed(
        "Your invocation timed out while waiting for a response from container primary.",
      ),
      "broken server": failed(
        'Received server error (500) from primary with message "list index out of range".',
      ),
    },
  },
];
