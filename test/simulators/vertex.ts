import { answerMessages } from "./anthropic/messages.ts";
import { refuseBody as refuseMessages, refuseQuestion } from "./anthropic/strict.ts";
import {
  answerImagen,
  answerPredictedEmbedding,
  answerSpeech,
  streamContent,
} from "./google/content.ts";
import { createOperations, film, filtered } from "./google/operations.ts";
import { refuseBody } from "./google/strict.ts";
import { createTokens } from "./google/vertex-tokens.ts";
import { errorOf } from "./google.ts";
import type { Post } from "./kit/behaviour.ts";
import { json } from "./kit/json.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";
import { answerChat } from "./openai-compatible/chat.ts";
import { refuseBody as refuseChat } from "./openai-compatible/strict.ts";

export type Vertex = Omit<Simulator, "origin"> & {
  origin: string;
  /** The key for express mode. */
  apiKey: string;
  /** The issued tokens, in order. */
  tokens: ReturnType<typeof createTokens>;
};

const place = "projects/sim-project/locations/us-central1";
const listed = [
  "gemini-3.5-flash",
  "gemini-2.5-flash",
  "gemini-2.5-flash-image",
  "imagen-4.0-generate-001",
  "veo-3.1-generate-001",
  "not-known-here",
];

/**
 * A strict server of Vertex AI, based on its published reference: tokens for a signed grant,
 * Google's models under a project or with a key, Claude and the endpoint for open models, Veo's
 * operations, a bucket. Other projects and locations don't exist.
 */
export async function startVertex(): Promise<Vertex> {
  const apiKey = "AQ.sim-key-of-nobody";
  const tokens = createTokens();
  const operations = createOperations();

  const wire: ProviderWire = {
    errorBody: (status, message) =>
      errorOf(status, status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT", message),
    answerFree(call, origin) {
      const { url, response } = call;
      if (url.pathname === "/token" && call.method === "POST") {
        tokens.answer(call, `${origin}/token`);
        return true;
      }
      const { id, method } = targetOf(url);
      const isFree =
        call.method === "GET" ||
        method === "countTokens" ||
        method === "fetchPredictOperation" ||
        id === "count-tokens";
      if (!isFree) return false;
      const answer = refuseHead(call) ?? (call.method === "GET" ? get(call) : ask(call));
      if (Buffer.isBuffer(answer))
        response.writeHead(200, { "content-type": "video/mp4" }).end(answer);
      else {
        if ("status" in answer) response.statusCode = answer.status as number;
        json(response, "body" in answer ? answer.body : answer);
      }
      return true;
    },
    refuse(call, post) {
      const refusal = refuseHead(call);
      if (refusal) return refusal;
      try {
        post.body = JSON.parse(call.body.toString());
      } catch {
        return invalid("Invalid JSON payload received.");
      }
      return refusePost(call, post);
    },
    async answer(given) {
      const { id, method, publisher } = targetOf(given.call.url);
      const { response } = given.call;
      if (publisher === "openapi") await answerChat(given);
      else if (publisher === "anthropic") await answerMessages(given);
      else if (method === "streamGenerateContent")
        await streamContent(given, id, { namesCalls: false });
      else if (method === "generateContent") answerSpeech(given);
      else if (method === "predict" && id.includes("embedding")) answerPredictedEmbedding(given);
      else if (method === "predict") answerImagen(given);
      else
        json(response, {
          name: `${place}/publishers/google/models/${id}/operations/${operations.begin(given.behaviour, given.gates)}`,
        });
    },
  };

  function get({ url }: Call): object | Buffer {
    if (url.pathname === "/v1beta1/publishers/google/models") {
      const from = Number(url.searchParams.get("pageToken") ?? 0);
      const publisherModels = listed
        .slice(from, from + 4)
        .map((id) => ({ name: `publishers/google/models/${id}`, launchStage: "GA" }));
      return {
        publisherModels,
        ...(from + 4 < listed.length && { nextPageToken: String(from + 4) }),
      };
    }
    if (
      url.pathname === "/storage/v1/b/sim-films/o/op1%2Ffilm.mp4" &&
      url.searchParams.get("alt") === "media"
    )
      return film;
    return gone;
  }

  function ask({ url, body }: Call): object {
    const { id, method } = targetOf(url);
    if (id === "count-tokens") return countClaude(JSON.parse(body.toString()), body.length);
    const asked = JSON.parse(body.toString()) as { operationName: string };
    const problem = refuseBody(id, method, asked);
    if (problem) return invalid(problem);
    if (method === "countTokens") return { totalTokens: 1_000_000 + body.length };
    const { operationName } = asked;
    const inBucket = { gcsUri: "gs://sim-films/op1/film.mp4", mimeType: "video/mp4" };
    const inline = { bytesBase64Encoded: film.toString("base64"), mimeType: "video/mp4" };
    const films = { videos: [operationName.includes("fast") ? inBucket : inline] };
    return (
      operations.read(operationName.replace(/^.*\//, ""), operationName, { films, filtered }) ??
      gone
    );
  }

  function refuseHead({ headers, url }: Call): Refusal | null {
    if (url.searchParams.has("key"))
      return invalid("This simulator takes no key in an address: it would be logged.");
    if (/^\/v1\/publishers\/google\//.test(url.pathname)) {
      return headers["x-goog-api-key"] === apiKey && !headers.authorization ? null : noKey;
    }
    if ("x-goog-api-key" in headers || "x-api-key" in headers)
      return invalid("A key and a token are not sent together.");
    if (!tokens.isGood(headers.authorization?.replace(/^Bearer /, "") ?? "")) return noToken;
    const isHere =
      url.pathname.includes(`/${place}/`) ||
      /^\/(v1beta1\/publishers|storage)\//.test(url.pathname);
    return isHere
      ? null
      : {
          status: 403,
          body: errorOf(403, "PERMISSION_DENIED", "Permission denied on resource project."),
        };
  }

  const simulator = await startSimulator(wire);
  return { ...simulator, apiKey, tokens };
}

function refusePost({ url, headers }: Call, post: Post): Refusal | null {
  if (!headers["content-type"]?.startsWith("application/json"))
    return invalid("content-type: must be application/json");
  const { id, method, publisher } = targetOf(url);
  if (publisher === "openapi") {
    const problem = refuseChat("/chat/completions", post.body);
    return problem && invalid(problem.message);
  }
  if (publisher === "anthropic") {
    const { anthropic_version: version, ...body } = post.body as Record<string, unknown>;
    if (version !== "vertex-2023-10-16") return invalid("anthropic_version: Field required");
    if ("model" in body) return invalid("model: Extra inputs are not permitted");
    post.body = { ...body, model: id };
    const problem = refuseMessages(post.body);
    return problem === null
      ? null
      : {
          status: 400,
          body: { type: "error", error: { type: "invalid_request_error", message: problem } },
        };
  }
  const problem = refuseBody(id, method, post.body);
  return problem === null ? null : invalid(problem);
}

/** POST …/models/count-tokens:rawPredict, with the model named in its body. */
function countClaude(asked: Record<string, unknown>, bytes: number): object {
  const { anthropic_version: version, ...question } = asked;
  if (version !== "vertex-2023-10-16") return invalid("anthropic_version: Field required");
  const problem = refuseQuestion(question);
  return problem ? invalid(problem) : { input_tokens: 2_000_000 + bytes };
}

function targetOf({ pathname }: URL): { id: string; method: string; publisher: string } {
  if (pathname === `/v1/${place}/endpoints/openapi/chat/completions`)
    return { id: "", method: "", publisher: "openapi" };
  const [, publisher = "", id = "", method = ""] =
    /\/publishers\/(\w+)\/models\/([^/:]+):(\w+)$/.exec(decodeURIComponent(pathname)) ?? [];
  return { id, method, publisher };
}

const invalid = (message: string): Refusal => ({
  status: 400,
  body: errorOf(400, "INVALID_ARGUMENT", message),
});
const gone: Refusal = { status: 404, body: errorOf(404, "NOT_FOUND", "Not found.") };
const noToken: Refusal = {
  status: 401,
  body: errorOf(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
};
const noKey: Refusal = {
  status: 401,
  body: errorOf(
    401,
    "UNAUTHENTICATED",
    "API keys are not supported by this API, or it is not valid.",
  ),
};
