import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { SocketReach } from "#engine/sessions/issue-token.ts";

/**
 * The call that fal's client meant to make. `app` is the start of a model's id, because the queue's
 * URLs leave out the rest.
 */
export type FalTarget =
  | { call: "submit" | "run" | "stream"; model: string; webhook: string | undefined }
  | { call: "status" | "status-stream"; app: string; requestId: string; logs: boolean }
  | { call: "result" | "cancel"; app: string; requestId: string }
  | { call: "upload" | "upload-parts" }
  | { call: "token"; opens: SocketReach };

const storageHosts: readonly string[] = ["rest.fal.ai", "rest.alpha.fal.ai"];
const requestPath = /^(.+)\/requests\/([0-9a-f-]{36})(\/[a-z/]+)?$/;

/**
 * Reads `x-fal-target-url`. Nothing is ever sent to that URL: it only tells which call was meant.
 * Unknown calls of fal and all other URLs are refused.
 * @throws Problem invalid_input
 */
export function readTarget(method: string, given: string | undefined): FalTarget {
  if (given === undefined) throw refused(sentences.fal.targetMissing);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url?.protocol !== "https:" ||
    url.port !== "" ||
    url.username !== "" ||
    url.password !== "" ||
    given.length > 4_000
  )
    throw refused(sentences.fal.notFalAddress);
  const path = decodePath(url.pathname);
  // No model has such a name, and PostgreSQL refuses a NUL in text.
  if (path === "" || /\p{Cc}/u.test(path)) throw refused(sentences.fal.notFalAddress);
  const target =
    url.host === "queue.fal.run"
      ? ofQueue(method, path, url.searchParams)
      : url.host === "fal.run"
        ? ofRun(method, path)
        : storageHosts.includes(url.host)
          ? ofRest(method, path)
          : undefined;
  if (!target)
    throw refused(
      sentences.fal.callNotSupported({ method, host: url.host, path: path.slice(0, 200) }),
    );
  return target;
}

function ofQueue(method: string, path: string, query: URLSearchParams): FalTarget | undefined {
  const [, app, requestId, action = ""] = requestPath.exec(path) ?? [];
  if (app === undefined || requestId === undefined)
    return method === "POST"
      ? { call: "submit", model: path, webhook: query.get("fal_webhook") || undefined }
      : undefined;
  const logs = query.get("logs") === "1";
  switch (`${method} ${action}`) {
    case "GET /status":
      return { call: "status", app, requestId, logs };
    case "GET /status/stream":
      return { call: "status-stream", app, requestId, logs };
    case "GET ":
    case "GET /response":
      return { call: "result", app, requestId };
    case "PUT /cancel":
      return { call: "cancel", app, requestId };
    default:
      return undefined;
  }
}

function ofRun(method: string, path: string): FalTarget | undefined {
  if (method !== "POST") return undefined;
  const webhook = undefined;
  return path.endsWith("/stream")
    ? { call: "stream", model: path, webhook }
    : { call: "run", model: path, webhook };
}

function ofRest(method: string, path: string): FalTarget | undefined {
  if (method !== "POST") return undefined;
  if (path === "storage/upload/initiate") return { call: "upload" };
  if (path === "storage/upload/initiate-multipart") return { call: "upload-parts" };
  if (path === "tokens") return { call: "token", opens: "app" };
  return path === "tokens/realtime" ? { call: "token", opens: "endpoint" } : undefined;
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname).replace(/^\/+|\/+$/g, "");
  } catch {
    throw refused(sentences.fal.notFalAddress);
  }
}

const refused = (message: string) =>
  new Problem("invalid_input", { field: "x-fal-target-url", message });
