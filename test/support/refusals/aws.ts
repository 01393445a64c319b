import { bedrock } from "#providers/services/bedrock/adapter.ts";
import { sagemaker } from "#providers/services/sagemaker/adapter.ts";
import { awsRefusal } from "../../simulators/aws/aws-gate.ts";
import { startBedrock } from "../../simulators/bedrock.ts";
import { modelError, startSageMaker } from "../../simulators/sagemaker.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Cells, Column, LateRefusal, Refusal } from "./table.ts";

/** The error's name in a header, its message in the body. */
export const named = (status: number, type: string, message: string): Refusal =>
  awsRefusal(status, type, message);
/** An exception frame: a camel-case name and a message. */
const frame = (type: string, message: string, more: object = {}): LateRefusal => ({
  error: { type, message, ...more },
});
/** A container's error, in the words with which SageMaker passes it on (424). */
const byContainer = (status: number, said: string, otherwise: Partial<Refusal> = {}): Refusal => ({
  ...(modelError(status, said) as Refusal),
  // The model was called, and nobody reports what it may have made.
  accepted: "unknown",
  ...otherwise,
});

const signature: Pick<Cells<Refusal>, "wrong key"> = {
  "wrong key": [
    named(
      403,
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    ),
    named(
      403,
      "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided.",
    ),
    named(403, "ExpiredTokenException", "The security token included in the request is expired"),
    named(403, "IncompleteSignature", "The request signature does not conform to AWS standards."),
    named(
      403,
      "InvalidClientTokenId",
      "The X.509 certificate or AWS access key ID provided does not exist in our records.",
    ),
    named(403, "MissingAuthenticationTokenException", "Missing Authentication Token"),
  ],
};

export const ofBedrock: Cells<Refusal> = {
  "wrong key": [
    ...(signature["wrong key"] as readonly Refusal[]),
    named(
      403,
      "AccessDeniedException",
      "Authentication failed: Please make sure your API Key is valid.",
    ),
  ],
  "rate limit": [
    named(429, "ThrottlingException", "Too many requests, please wait before trying again."),
    named(
      429,
      "ModelNotReadyException",
      "The model specified in the request is not ready to serve inference requests.",
    ),
  ],
  "used up": [
    named(
      400,
      "ServiceQuotaExceededException",
      "Your request exceeds the service quota for your account.",
    ),
    named(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."),
  ],
  "missing right": [
    named(
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
    ),
    named(400, "ValidationException", "Operation not allowed"),
  ],
  "too long": [
    named(400, "ValidationException", "Input is too long for requested model."),
    named(
      400,
      "ValidationException",
      "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
    ),
  ],
  filter: named(
    400,
    "ValidationException",
    "The model returned the following errors: Output blocked by content filtering policy",
  ),
  "wrong setting": named(
    400,
    "ValidationException",
    "Malformed input request: #: extraneous key [seed] is not permitted",
  ),
  "model gone": [
    named(400, "ValidationException", "The provided model identifier is invalid."),
    named(404, "ResourceNotFoundException", "This model version has reached the end of its life."),
  ],
  overload: named(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
  timeout: named(
    408,
    "ModelTimeoutException",
    "The request took too long to process. Processing time exceeded the model timeout length.",
  ),
  "broken server": [
    named(
      500,
      "InternalServerException",
      "The system encountered an unexpected error during processing.",
    ),
    named(
      424,
      "ModelErrorException",
      "The request failed due to an error while processing the model.",
    ),
  ],
};

export const ofSageMaker: Cells<Refusal> = {
  ...signature,
  "rate limit": [
    named(400, "ThrottlingException", "Rate exceeded, slow down."),
    named(
      429,
      "ModelNotReadyException",
      "Either a serverless endpoint variant's resources are still being provisioned.",
    ),
  ],
  "used up": "One's own machines are billed by the hour: an account without money has no endpoint.",
  "missing right": named(
    403,
    "AccessDeniedException",
    "User: arn:aws:iam::1:user/x is not authorized to perform: sagemaker:InvokeEndpoint",
  ),
  "too long": byContainer(400, "This model's maximum context length is 4096 tokens."),
  filter: "A container says what its author wrote: SageMaker itself reads nothing of it.",
  "wrong setting": byContainer(422, "temperature must be positive"),
  "model gone": named(400, "ValidationError", "Endpoint x of account 123456789012 not found."),
  overload: [
    named(503, "ServiceUnavailable", "The service is unavailable. Try your call again."),
    named(
      530,
      "InternalDependencyException",
      "Your request caused an exception with an internal dependency.",
    ),
    byContainer(429, "The queue of the model is full."),
  ],
  timeout: byContainer(
    0,
    "Your invocation timed out while waiting for a response from container primary.",
  ),
  "broken server": [
    named(500, "InternalFailure", "An internal failure occurred."),
    byContainer(500, "CUDA out of memory"),
  ],
};

export const awsColumns: readonly Column[] = [
  {
    name: "bedrock",
    adapter: bedrock,
    reference:
      "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html",
    async start() {
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
    },
    request: buildRequest({
      model: { id: "eu.anthropic.claude-sonnet-9-v1:0", inputSchema: null, capabilities: {} },
    }),
    before: ofBedrock,
    after: {
      "rate limit": frame(
        "throttlingException",
        "Too many requests, please wait before trying again.",
      ),
      "used up": frame(
        "throttlingException",
        "Too many tokens per day, please wait before trying again.",
      ),
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": frame("validationException", "Input is too long for requested model."),
      filter: [{ finish: "guardrail_intervened" }, { finish: "content_filtered" }],
      "wrong setting": frame("validationException", "The format of the request is not valid."),
      "model gone": requestComesFirst,
      overload: frame("serviceUnavailableException", "Bedrock is unable to process your request."),
      // The client knows five of the exceptions; this one isn't among them.
      timeout: frame("modelTimeoutException", "The request took too long to process."),
      "broken server": [
        frame(
          "internalServerException",
          "The system encountered an unexpected error during processing.",
        ),
        frame("modelStreamErrorException", "The model failed while it was streaming.", {
          originalStatusCode: 500,
          originalMessage: "Oh no",
        }),
      ],
    },
  },
  {
    name: "sagemaker",
    adapter: sagemaker,
    reference:
      "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointWithResponseStream.html",
    async start() {
      const simulator = await startSageMaker();
      const { accessKeyId, secretAccessKey, region } = simulator.keys;
      const addresses = {
        api: simulator.url,
        control: simulator.url,
        s3: simulator.url,
        sts: simulator.url,
      };
      const options = { region, template: "messages" };
      const secret = JSON.stringify({ accessKeyId, secretAccessKey });
      return {
        simulator,
        origin: simulator.url,
        connection: { kind: "sagemaker", addresses, options, secret },
      };
    },
    request: buildRequest({ model: { id: "sim-vllm", inputSchema: null, capabilities: {} } }),
    before: ofSageMaker,
    after: {
      "rate limit": requestComesFirst,
      "used up":
        "One's own machines are billed by the hour: an account without money has no endpoint.",
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: { finish: "content_filter" },
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: endsWithoutAWord,
      timeout: {
        error: {
          type: "ModelStreamError",
          Message: "The container timed out while streaming.",
          ErrorCode: "ModelInvocationTimeExceeded",
        },
      },
      "broken server": [
        {
          error: {
            type: "ModelStreamError",
            Message: "The container's stream broke.",
            ErrorCode: "StreamBroken",
          },
        },
        { error: { type: "InternalStreamFailure", Message: "The stream processing failed." } },
      ],
    },
  },
];
