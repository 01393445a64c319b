import type { Refusal } from "../kit/server.ts";

/** The server's mode: chat, `--embeddings`, or `--reranking`. */
export type StartedFor = "chat" | "embedding" | "rerank";

export const llamaError = (status: number, message: string, type: string): Refusal => ({
  status,
  body: { error: { code: status, message, type } },
});

const notSupported = (message: string) => llamaError(501, message, "not_supported_error");

/**
 * The order of the checks at its endpoints for embeddings and ranks: first the server's mode, then
 * the input (server-context.cpp, handle_embeddings_impl and post_rerank).
 */
export function refuseFor(
  serves: StartedFor,
  path: string,
  body: Record<string, unknown>,
): Refusal | null {
  if (path === "/embeddings") {
    if (serves === "chat")
      return notSupported("This server does not support embeddings. Start it with `--embeddings`");
    return body.input === undefined
      ? llamaError(400, '"input" or "content" must be provided', "invalid_request_error")
      : null;
  }
  if (path === "/rerank") {
    if (serves !== "rerank")
      return notSupported("This server does not support reranking. Start it with `--reranking`");
    return llamaError(400, '"query" must be provided', "invalid_request_error");
  }
  return null;
}

/** A chat server, from which unrelated tests still request embeddings. */
export function refuseUnlessStarted(path: string, raw: Buffer): Refusal | null {
  const body = parseObject(raw);
  return body.input === undefined ? refuseFor("chat", path, body) : null;
}

export function parseObject(raw: Buffer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(raw.toString() || "{}");
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
