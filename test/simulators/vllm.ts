import { json } from "./kit/json.ts";
import { type Call, type Simulator, startSimulator } from "./kit/server.ts";
import { openAiWire } from "./openai-compatible.ts";

type Serves = "generate" | "embed" | "transcription" | "rerank";
export type VllmSimulator = Omit<Simulator, "origin"> & { url: string };

const paths: Readonly<Record<Serves, readonly string[]>> = {
  generate: ["/v1/chat/completions", "/v1/completions", "/v1/responses"],
  embed: ["/v1/embeddings", "/pooling"],
  transcription: ["/v1/audio/transcriptions", "/v1/audio/translations"],
  rerank: ["/score", "/rerank", "/v1/rerank"],
};

/**
 * vLLM's server according to vllm-project/vllm, entrypoints/openai/api_server.py at 0001948: it
 * registers the paths for its model's tasks, and its key protects only /v1. `isOld` registers all
 * paths, whatever its model's tasks.
 */
export async function startVllm({
  id = "sim-chat",
  serves = "generate",
  key = null,
  isOld = false,
}: {
  id?: string;
  serves?: Serves;
  key?: string | null;
  isOld?: boolean;
} = {}): Promise<VllmSimulator> {
  const isAuthorized = ({ url, headers }: Call) =>
    key === null || !url.pathname.startsWith("/v1") || headers.authorization === `Bearer ${key}`;
  const openai = openAiWire(
    {
      own: {
        fields: {
          "/chat/completions": {
            more: {
              min_tokens: Number.isInteger,
              structured_outputs: (value) => typeof value === "object",
            },
          },
        },
      },
    },
    isAuthorized,
    "/v1",
  );
  const registered = [
    "/v1/models",
    "/health",
    ...(isOld ? Object.values(paths).flat() : paths[serves]),
  ];
  function answerFree(call: Call): boolean {
    const { method, url, response } = call;
    const asked = `${method} ${url.pathname}`;
    const fail = (status: number, body: object) => {
      response.statusCode = status;
      json(response, body);
    };
    if (!isAuthorized(call)) fail(401, { error: "Unauthorized" });
    else if (asked === "GET /v1/models")
      json(response, {
        object: "list",
        data: [
          { id, object: "model", created: 1, owned_by: "vllm", root: id, max_model_len: 16_384 },
        ],
      });
    else if (asked === "GET /openapi.json")
      json(response, {
        openapi: "3.1.0",
        paths: Object.fromEntries(registered.map((path) => [path, { post: {} }])),
      });
    else if (registered.includes(url.pathname) && method === "POST") return false;
    else fail(404, { detail: "Not Found" });
    return true;
  }
  const { origin, ...simulator } = await startSimulator({ ...openai, answerFree });
  return { ...simulator, url: `${origin}/v1` };
}
