import { refuseBody as refuseMessages } from "./anthropic/strict.ts";
import { awsRefusal, refuseCaller } from "./aws/aws-gate.ts";
import type { AwsKeys } from "./aws/aws-signature.ts";
import { type AsyncInvokes, createAsyncInvokes, refuseStart } from "./bedrock/async-invoke.ts";
import { answerConverse } from "./bedrock/converse.ts";
import { answerInvoke, refuseInvoke } from "./bedrock/invoke.ts";
import { foundationModels, inferenceProfiles } from "./bedrock/models.ts";
import { refuseConverse } from "./bedrock/strict.ts";
import type { Behaviour } from "./kit/behaviour.ts";
import { json } from "./kit/json.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Bedrock = Omit<Simulator, "origin"> & {
  /** Both the runtime and the control plane. */
  url: string;
  keys: AwsKeys;
  apiKey: string;
  /** The jobs of StartAsyncInvoke. */
  async: AsyncInvokes;
};

/**
 * A strict Amazon Bedrock, based on its published API reference: signatures are checked over the
 * exact bytes, an unknown field or a wrong type is refused, answers use the binary event stream,
 * and videos are jobs that end in a bucket. Lists have pages of one.
 */
export async function startBedrock(
  options: {
    port?: number;
    defaults?: Behaviour;
    sessionToken?: string;
    putOutput?: (uri: string, bytes: Buffer) => Promise<void>;
  } = {},
): Promise<Bedrock> {
  const keys: AwsKeys = {
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "secret/of+the=simulator",
    region: "eu-test-1",
    ...(options.sessionToken !== undefined && { sessionToken: options.sessionToken }),
  };
  const apiKey = "bedrock-api-key-of-the-simulator";
  const async = createAsyncInvokes(keys.region, options.putOutput ?? (async () => {}));
  const invalid = (message: string): Refusal => awsRefusal(400, "ValidationException", message);

  const wire: ProviderWire = {
    errorBody: (_status, message) => ({ message }),
    answerFree(call) {
      const { method, url, response } = call;
      const isCount = method === "POST" && url.pathname.endsWith("/count-tokens");
      if (method !== "GET" && !isCount) return false;
      const refusal =
        refuseCaller(call, keys, "bedrock", apiKey) ?? (isCount ? refuseCount(call) : null);
      if (refusal) {
        response
          .writeHead(refusal.status, { ...refusal.headers, "content-type": "application/json" })
          .end(JSON.stringify(refusal.body));
        return true;
      }
      if (isCount) json(response, { inputTokens: 1_000_000 + call.body.length });
      else if (url.pathname === "/foundation-models")
        json(response, { modelSummaries: foundationModels });
      else if (url.pathname === "/inference-profiles") {
        const from = Number(url.searchParams.get("nextToken") ?? 0);
        const next = from + 1 < inferenceProfiles.length ? { nextToken: String(from + 1) } : {};
        json(response, {
          inferenceProfileSummaries: inferenceProfiles.slice(from, from + 1),
          ...next,
        });
      } else return url.pathname.startsWith("/async-invoke") && async.answerGet(call);
      return true;
    },
    async refuse(call, post) {
      const refusal = refuseCaller(call, keys, "bedrock", apiKey);
      if (refusal) return refusal;
      if (!call.headers["content-type"]?.startsWith("application/json"))
        return awsRefusal(415, "UnsupportedMediaType", "application/json");
      try {
        post.body = JSON.parse(call.body.toString());
      } catch {
        return awsRefusal(400, "SerializationException", "The body is not JSON.");
      }
      const asked = readPath(call);
      if (!asked) return awsRefusal(404, "UnknownOperationException", "");
      if (asked.operation === "async-invoke") {
        const problem = refuseStart(post.body);
        return problem === null ? null : invalid(problem);
      }
      const isKnown =
        foundationModels.some(({ modelId }) => modelId === asked.modelId) ||
        inferenceProfiles.some((profile) =>
          [profile.inferenceProfileId, profile.inferenceProfileArn].includes(asked.modelId),
        );
      if (!isKnown) return invalid("The provided model identifier is invalid.");
      const problem =
        asked.operation === "invoke"
          ? refuseInvoke(asked.modelId, post.body)
          : refuseConverse(post.body);
      return problem === null ? null : invalid(problem);
    },
    async answer(given) {
      const asked = readPath(given.call);
      if (asked?.operation === "converse-stream") return answerConverse(given);
      if (asked?.operation === "invoke") return answerInvoke(given, asked.modelId);
      const job = await async.start(given.post.body as Parameters<AsyncInvokes["start"]>[0]);
      const { response } = given.call;
      if (job) return json(response, { invocationArn: job.invocationArn });
      const { status, body, headers } = awsRefusal(
        400,
        "ConflictException",
        "The clientRequestToken was used with another request.",
      );
      given.post.state = "refused";
      response
        .writeHead(status, { ...headers, "content-type": "application/json" })
        .end(JSON.stringify(body));
    },
  };
  const { origin, ...simulator } = await startSimulator(wire, options);
  return { ...simulator, url: origin, keys, apiKey, async };
}

/** API_runtime_CountTokens: for a model by its own id, with a body in InvokeModel's form. */
function refuseCount({ url, body }: Call): Refusal | null {
  const invalid = (message: string): Refusal => awsRefusal(400, "ValidationException", message);
  const id = decodeURIComponent(url.pathname.split("/")[2]!);
  const isKnown = foundationModels.some(({ modelId }) => modelId === id);
  if (!isKnown || !id.startsWith("anthropic."))
    return invalid("The provided model doesn't support counting tokens.");
  const { input } = JSON.parse(body.toString()) as { input: { invokeModel?: { body?: unknown } } };
  const given = input?.invokeModel?.body;
  if (typeof given !== "string") return invalid("input.invokeModel.body is missing.");
  const { anthropic_version: version, ...question } = JSON.parse(
    Buffer.from(given, "base64").toString(),
  ) as Record<string, unknown>;
  if (version !== "bedrock-2023-05-31") return invalid("anthropic_version: Field required");
  const problem = refuseMessages({ model: id, ...question });
  return problem ? invalid(problem) : null;
}

function readPath({
  url,
}: Call):
  | { operation: "converse-stream" | "invoke" | "async-invoke"; modelId: string }
  | undefined {
  if (url.pathname === "/async-invoke") return { operation: "async-invoke", modelId: "" };
  const match = /^\/model\/([^/]+)\/(converse-stream|invoke)$/.exec(url.pathname);
  return match
    ? {
        operation: match[2] as "converse-stream" | "invoke",
        modelId: decodeURIComponent(match[1]!),
      }
    : undefined;
}
