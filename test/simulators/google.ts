import {
  answerEmbedding,
  answerEmbeddings,
  answerImagen,
  answerSpeech,
  streamContent,
} from "./google/content.ts";
import { createOperations, film, filtered } from "./google/operations.ts";
import { refuseBody, refuseCount } from "./google/strict.ts";
import type { Behaviour } from "./kit/behaviour.ts";
import { json } from "./kit/json.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Google = Omit<Simulator, "origin"> & {
  /** The base URL, which ends in /v1beta. */
  url: string;
  /** The required value of `x-goog-api-key`. */
  key: string;
};

const model = (id: string, methods: string[], more: object = {}) => ({
  name: `models/${id}`,
  version: "001",
  displayName: `The ${id}`,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: methods,
  ...more,
});
const models = [
  model("gemini-3.5-flash", ["generateContent", "countTokens", "createCachedContent"], {
    thinking: true,
  }),
  model("gemini-2.5-flash", ["generateContent", "countTokens"], { thinking: true }),
  model("gemini-3.1-flash-image-preview", ["generateContent"]),
  model("gemini-2.5-flash-preview-tts", ["generateContent"]),
  model("gemma-3-1b-it", ["generateContent"]),
  model("gemini-embedding-001", ["embedContent"]),
  model("imagen-4.0-generate-001", ["predict"]),
  model("veo-3.1-generate-preview", ["predictLongRunning"]),
  // Newer than those that the adapter knows.
  model("gemini-9-flash-tts", ["generateContent"]),
  model("nano-banana-9-preview", ["generateContent"]),
  model("gemini-9-computer-use-preview", ["generateContent"]),
  model("gemini-9-flash-live-preview", ["generateContent"]),
  model("gemini-9-flash", ["generateContent"]),
  model("aqa", ["generateAnswer"]),
];

/**
 * A strict server of the Gemini API, based on its published reference: an unknown field, a wrong
 * type, or a missing key is refused. The list of models has pages of two, so that clients must
 * page. A video can be opened only with the key in the header.
 */
export async function startGoogle(
  options: { port?: number; defaults?: Behaviour } = {},
): Promise<Google> {
  const key = "AIza-sim-key-of-nobody";
  const operations = createOperations();

  const wire: ProviderWire = {
    pathOf: (url) => url.pathname.replace(/^\/v1beta/, ""),
    errorBody: (status, message) =>
      errorOf(status, status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT", message),
    answerFree(call, origin) {
      const { method, url, response } = call;
      const isCount = method === "POST" && targetOf(url).method === "countTokens";
      if (method !== "GET" && !isCount) return false;
      const refusal = refuseHead(call);
      const answer = refusal ?? (isCount ? countTokens(call) : answerGet(url, origin));
      if (!answer) return false;
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
      const { id, method } = targetOf(call.url);
      if (!models.some(({ name }) => name === `models/${id}`)) {
        const message = `models/${id} is not found for API version v1beta, or is not supported for ${method}.`;
        return { status: 404, body: errorOf(404, "NOT_FOUND", message) };
      }
      if (method === "streamGenerateContent" && call.url.searchParams.get("alt") !== "sse")
        return invalid("alt: sse is what is simulated");
      try {
        post.body = JSON.parse(call.body.toString());
      } catch {
        return invalid("Invalid JSON payload received.");
      }
      const problem = refuseBody(id, method, post.body) ?? refuseSeed(method, post.body);
      return problem === null ? null : invalid(problem);
    },
    async answer(given) {
      const { id, method } = targetOf(given.call.url);
      if (method === "streamGenerateContent") await streamContent(given, id);
      else if (method === "generateContent") answerSpeech(given);
      else if (method === "embedContent") answerEmbedding(given);
      else if (method === "batchEmbedContents") answerEmbeddings(given);
      else if (method === "predict") answerImagen(given);
      else
        json(given.call.response, {
          name: `models/${id}/operations/${operations.begin(given.behaviour, given.gates)}`,
        });
    },
  };

  function countTokens({ body }: Call): object {
    const problem = refuseCount(JSON.parse(body.toString()));
    return problem ? invalid(problem) : { totalTokens: 1_000_000 + body.length };
  }

  function answerGet(url: URL, origin: string): object | Buffer | undefined {
    if (url.pathname === "/v1beta/models") {
      const from = Number(url.searchParams.get("pageToken") ?? 0);
      return {
        models: models.slice(from, from + 2),
        ...(from + 2 < models.length && { nextPageToken: String(from + 2) }),
      };
    }
    if (url.pathname === "/v1beta/files/film:download" && url.searchParams.get("alt") === "media")
      return film;
    const [, name, id] =
      /^\/v1beta\/(models\/[^/]+\/operations\/([^/]+))$/.exec(url.pathname) ?? [];
    if (!name || !id) return undefined;
    const sample = { video: { uri: `${origin}/v1beta/files/film:download?alt=media` } };
    const films = { generateVideoResponse: { generatedSamples: [sample] } };
    const gone = { status: 404, body: errorOf(404, "NOT_FOUND", "Operation not found.") };
    return (
      operations.read(id, name, { films, filtered: { generateVideoResponse: filtered } }) ?? gone
    );
  }

  function refuseHead({ headers, method, url }: Call): Refusal | null {
    if (url.searchParams.has("key"))
      return invalid("This simulator takes no key in an address: it would be logged.");
    if (headers["x-goog-api-key"] !== key) {
      const info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "API_KEY_INVALID",
        domain: "googleapis.com",
      };
      return {
        status: 400,
        body: errorOf(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
          info,
        ]),
      };
    }
    const isJson = headers["content-type"]?.startsWith("application/json");
    return method === "POST" && !isJson ? invalid("content-type: must be application/json") : null;
  }

  const { origin, ...simulator } = await startSimulator(wire, options);
  return { ...simulator, url: `${origin}/v1beta`, key };
}

function targetOf(url: URL): { id: string; method: string } {
  const [, id = "", method = ""] = /\/models\/([^/:]+):(\w+)$/.exec(url.pathname) ?? [];
  return { id, method };
}

/**
 * Only Vertex AI accepts a seed for videos: Google's own client refuses to send one to the Gemini
 * API.
 */
const refuseSeed = (method: string, body: unknown): string | null =>
  method === "predictLongRunning" && "seed" in (body as { parameters: object }).parameters
    ? "`seed` isn't supported by this model."
    : null;

/** google.rpc.Status, the form of all of Google's errors. */
export const errorOf = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, ...(details.length > 0 && { details }) },
});

const invalid = (message: string): Refusal => ({
  status: 400,
  body: errorOf(400, "INVALID_ARGUMENT", message),
});
