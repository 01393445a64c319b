import { answerMessages, madeFile } from "./anthropic/messages.ts";
import { refuseBody, refuseQuestion } from "./anthropic/strict.ts";
import type { Behaviour } from "./kit/behaviour.ts";
import { json } from "./kit/json.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Anthropic = Omit<Simulator, "origin"> & {
  /** The base URL, which ends in /v1. */
  url: string;
  /** The required value of `x-api-key`. */
  key: string;
};

const models = [
  {
    type: "model",
    id: "claude-sim-1",
    display_name: "Claude Sim 1",
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    capabilities: { code_execution: { supported: true } },
  },
  {
    type: "model",
    id: "claude-sim-mini",
    display_name: "Claude Sim Mini",
    created_at: "2026-01-01T00:00:00Z",
  },
];

/**
 * A strict server of the Messages API, based on its published reference: an unknown field, a wrong
 * type, or a missing version or key is refused. The list of models has pages of one, so that
 * clients must page.
 */
export async function startAnthropic(
  options: { port?: number; defaults?: Behaviour } = {},
): Promise<Anthropic> {
  const key = "sk-ant-sim";
  const wire: ProviderWire = {
    pathOf: (url) => url.pathname.replace(/^\/v1/, ""),
    errorBody: (status, message) =>
      errorOf(status >= 500 ? "api_error" : "invalid_request_error", message),
    answerFree(call) {
      const { method, url, response } = call;
      const isCount = method === "POST" && url.pathname === "/v1/messages/count_tokens";
      if (method !== "GET" && !isCount) return false;
      const refusal = refuseHead(call);
      if (refusal) {
        response.statusCode = refusal.status;
        json(response, refusal.body);
        return true;
      }
      if (isCount) {
        const problem = refuseQuestion(JSON.parse(call.body.toString()));
        response.statusCode = problem ? 400 : 200;
        json(
          response,
          problem
            ? errorOf("invalid_request_error", problem)
            : { input_tokens: 1_000_000 + call.body.length },
        );
        return true;
      }
      const file = /^\/v1\/files\/([^/]+)(\/content)?$/.exec(url.pathname);
      if (file) {
        const problem = refuseFile(call, file[1]!);
        response.statusCode = problem?.status ?? 200;
        if (!problem && file[2]) response.end(madeFile.words);
        else json(response, problem?.body ?? fileFacts);
        return true;
      }
      if (url.pathname !== "/v1/models") return false;
      const from = models.findIndex(({ id }) => id === url.searchParams.get("after_id")) + 1;
      const data = models.slice(from, from + 1);
      json(response, {
        data,
        first_id: data[0]?.id ?? null,
        last_id: data[0]?.id ?? null,
        has_more: from + 1 < models.length,
      });
      return true;
    },
    refuse(call, post) {
      if (post.path !== "/messages")
        return { status: 404, body: errorOf("not_found_error", `Not found: ${post.path}`) };
      const refusal = refuseHead(call);
      if (refusal) return refusal;
      try {
        post.body = JSON.parse(call.body.toString());
      } catch {
        return { status: 400, body: errorOf("invalid_request_error", "The body is not JSON.") };
      }
      const problem = refuseBody(post.body);
      return problem === null
        ? null
        : { status: 400, body: errorOf("invalid_request_error", problem) };
    },
    answer: answerMessages,
  };

  /** The Files API is in beta and refuses requests without its header. */
  function refuseFile({ headers }: Call, id: string): Refusal | null {
    if (!headers["anthropic-beta"]?.includes("files-api-2025-04-14"))
      return { status: 400, body: errorOf("invalid_request_error", "anthropic-beta: files-api") };
    return id === madeFile.id || id.startsWith(`${madeFile.id}_`)
      ? null
      : { status: 404, body: errorOf("not_found_error", `File not found: ${id}`) };
  }

  function refuseHead({ headers, method }: Call): Refusal | null {
    if (headers["x-api-key"] !== key)
      return { status: 401, body: errorOf("authentication_error", "invalid x-api-key") };
    if (headers["anthropic-version"] !== "2023-06-01") {
      return {
        status: 400,
        body: errorOf("invalid_request_error", "anthropic-version: header is required"),
      };
    }
    if (method === "POST" && !headers["content-type"]?.startsWith("application/json")) {
      return {
        status: 400,
        body: errorOf("invalid_request_error", "content-type: must be application/json"),
      };
    }
    return null;
  }

  const { origin, ...simulator } = await startSimulator(wire, options);
  return { ...simulator, url: `${origin}/v1`, key };
}

/** https://platform.claude.com/docs/en/api/files-metadata */
const fileFacts = {
  type: "file",
  id: madeFile.id,
  filename: madeFile.filename,
  mime_type: "text/csv",
  size_bytes: madeFile.words.length,
  created_at: "2026-01-01T00:00:00Z",
  downloadable: true,
};

const errorOf = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_sim",
});
