import { awsRefusal, refuseCaller } from "./aws/aws-gate.ts";
import type { AwsKeys } from "./aws/aws-signature.ts";
import { pixel } from "./bedrock/invoke.ts";
import type { Behaviour } from "./kit/behaviour.ts";
import { streamAnswer } from "./kit/chat-stream.ts";
import { json } from "./kit/json.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";
import { refuseBody as refuseChat } from "./openai-compatible/strict.ts";
import { refuseJumpStart, refuseTgi } from "./sagemaker/strict.ts";
import { messagesWire, tgiWire, wrap } from "./sagemaker/wires.ts";

export type SageMaker = Omit<Simulator, "origin"> & {
  /** Both the runtime and the control plane. */
  url: string;
  keys: AwsKeys;
  /** Writes the n-th asynchronous invocation's answer into its bucket, or its container's error. */
  finish(index: number, failure?: string): Promise<void>;
};

/** Each endpoint's container. */
const endpoints = {
  "sim-vllm": "messages",
  "sim-tgi": "tgi",
  "sim-painter": "images",
  "sim-anything": "json",
  "sim-async-painter": "images",
} as const;
type EndpointName = keyof typeof endpoints;

const validation = (message: string): Refusal => awsRefusal(400, "ValidationError", message);
/** A container's error, as SageMaker passes it on. */
export const modelError = (status: number, said: string): Refusal => {
  const { headers } = awsRefusal(424, "ModelError", "");
  const Message = `Received client error (${status}) from primary with message "${said}". See the CloudWatch logs for more information.`;
  return {
    status: 424,
    headers: headers!,
    body: {
      ErrorCode: "CLIENT_ERROR_FROM_MODEL",
      LogStreamArn: "arn:aws:logs:eu-test-1:123456789012:log-group:sim",
      Message,
      OriginalMessage: said,
      OriginalStatusCode: status,
    },
  };
};

/**
 * A strict Amazon SageMaker, based on its published API reference: signatures are checked over the
 * exact bytes, each container's body strictly, streams use the binary event stream, and
 * asynchronous invocations go from bucket to bucket.
 */
export async function startSageMaker(
  options: {
    port?: number;
    defaults?: Behaviour;
    readInput?: (uri: string) => Promise<Buffer | undefined>;
    putOutput?: (uri: string, bytes: Buffer) => Promise<void>;
    /** An asynchronous invocation has its output as soon as it is accepted. */
    finishesAtOnce?: true;
  } = {},
): Promise<SageMaker> {
  const keys: AwsKeys = {
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "secret/of+the=simulator",
    region: "eu-test-1",
  };
  const waiting: { output: string; failure: string }[] = [];

  const wire: ProviderWire = {
    errorBody: (_status, message) => ({ Message: message }),
    answerFree(call) {
      if (call.url.pathname !== "/" || call.method !== "POST") return false;
      const refusal = refuseCaller(call, keys, "sagemaker") ?? refuseList(call);
      const { NextToken } = refusal
        ? { NextToken: undefined }
        : (JSON.parse(call.body.toString()) as { NextToken?: string });
      if (refusal) {
        // The control plane has an error's name in its body.
        const { "x-amzn-errortype": named = "" } = refusal.headers ?? {};
        const { message } = refusal.body as { message: string };
        call.response.writeHead(refusal.status, { "content-type": "application/x-amz-json-1.1" });
        call.response.end(JSON.stringify({ __type: named.split(":")[0], Message: message }));
        return true;
      }
      const names = Object.keys(endpoints);
      const from = Number(NextToken ?? 0);
      const Endpoints = names.slice(from, from + 2).map((EndpointName) => ({
        EndpointName,
        EndpointArn: `arn:aws:sagemaker:eu-test-1:123456789012:endpoint/${EndpointName}`,
        CreationTime: 1_790_000_000,
        LastModifiedTime: 1_790_000_000,
        EndpointStatus: "InService",
      }));
      json(call.response, {
        Endpoints,
        ...(from + 2 < names.length && { NextToken: String(from + 2) }),
      });
      return true;
    },
    async refuse(call, post) {
      const refusal = refuseCaller(call, keys, "sagemaker");
      if (refusal) return refusal;
      const asked = readPath(call);
      if (!asked) return awsRefusal(404, "UnknownOperationException", "");
      if (!(asked.name in endpoints))
        return validation(`Endpoint ${asked.name} of account 123456789012 not found.`);
      let text = call.body.toString();
      if (asked.operation === "async-invocations") {
        if (call.body.length > 0)
          return validation("An asynchronous invocation takes its input from InputLocation.");
        const input = await options.readInput?.(
          call.headers["x-amzn-sagemaker-inputlocation"] ?? "",
        );
        if (!input) return validation("The InputLocation can not be read.");
        if (!call.headers["x-amzn-sagemaker-content-type"])
          return validation("X-Amzn-SageMaker-Content-Type is missing.");
        text = input.toString();
      } else if (!call.headers["content-type"]?.startsWith("application/json")) {
        return modelError(415, "unsupported content type");
      }
      try {
        post.body = JSON.parse(text);
      } catch {
        return modelError(400, "The body is not JSON.");
      }
      const problem = refuseBody(endpoints[asked.name as EndpointName], post.body);
      return problem === null ? null : modelError(422, problem);
    },
    async answer(given) {
      const { call, post, behaviour } = given;
      const { name, operation } = readPath(call)!;
      const template = endpoints[name as EndpointName];
      if (operation === "async-invocations") {
        const base = `s3://bottega-test/out/${waiting.length}`;
        waiting.push({ output: `${base}.out`, failure: `${base}-error.out` });
        if (options.finishesAtOnce)
          await options.putOutput?.(`${base}.out`, Buffer.from(JSON.stringify(painted({}))));
        call.response.statusCode = 202;
        call.response.setHeader("x-amzn-sagemaker-outputlocation", `${base}.out`);
        call.response.setHeader("x-amzn-sagemaker-failurelocation", `${base}-error.out`);
        return json(call.response, {
          InferenceId: call.headers["x-amzn-sagemaker-inference-id"] ?? "generated",
        });
      }
      if (operation === "invocations-response-stream") {
        const { wire: inner, words } =
          template === "tgi" ? tgiWire(post, behaviour) : messagesWire(post, behaviour);
        return streamAnswer(wrap(inner!), words, { ...given, response: call.response });
      }
      if (template === "images") {
        // Only for clients that request JPEG; others get every pixel as a number.
        if (call.headers.accept === "application/json;jpeg")
          return json(call.response, painted(post.body));
        return json(call.response, { generated_image: [[[0, 0, 0]]], prompt: "" });
      }
      if (behaviour.text === undefined)
        return json(call.response, { answer: 42, input: post.body });
      call.response.writeHead(200, { "content-type": "audio/wav" }).end("RIFF");
    },
  };
  const { origin, ...simulator } = await startSimulator(wire, options);
  return {
    ...simulator,
    url: origin,
    keys,
    async finish(index, failure) {
      const place = waiting[index]!;
      if (failure === undefined)
        await options.putOutput?.(place.output, Buffer.from(JSON.stringify(painted({}))));
      else await options.putOutput?.(place.failure, Buffer.from(failure));
    },
  };
}

const painted = (body: unknown) => {
  const { num_images_per_prompt: count = 1, prompt = "" } = body as {
    num_images_per_prompt?: number;
    prompt?: string;
  };
  return { generated_images: Array.from({ length: count }, () => pixel), prompt };
};

function refuseList(call: Call): Refusal | null {
  if (call.headers["x-amz-target"] !== "SageMaker.ListEndpoints")
    return awsRefusal(400, "UnknownOperationException", "");
  if (call.headers["content-type"] !== "application/x-amz-json-1.1")
    return awsRefusal(400, "SerializationException", "");
  const unknown = Object.keys(JSON.parse(call.body.toString()) as object).find(
    (field) => !["MaxResults", "NextToken", "StatusEquals", "NameContains"].includes(field),
  );
  return unknown ? awsRefusal(400, "ValidationException", `unknown field ${unknown}`) : null;
}

function refuseBody(template: (typeof endpoints)[EndpointName], body: unknown): string | null {
  if (template === "messages") return refuseMessages(body as Record<string, unknown>);
  if (template === "tgi") return refuseTgi(body);
  return template === "images" ? refuseJumpStart(body) : null;
}

/** OpenAI's fields; the model is the container's own name for it, or left out. */
function refuseMessages(body: Record<string, unknown>): string | null {
  const { model = "/opt/ml/model" } = body;
  if (model !== "/opt/ml/model") return `The model ${String(model)} does not exist.`;
  return refuseChat("/chat/completions", { ...body, model })?.message ?? null;
}

function readPath({ url }: Call): { name: string; operation: string } | undefined {
  const match =
    /^\/endpoints\/([^/]+)\/(invocations|invocations-response-stream|async-invocations)$/.exec(
      url.pathname,
    );
  return match ? { name: decodeURIComponent(match[1]!), operation: match[2]! } : undefined;
}
