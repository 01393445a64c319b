/** Whether a provider accepted a request: no, unknown, or yes. */
export type Accepted = "no" | "unknown" | "yes";

/** A request's facts from the HTTP exchange. */
export type Wire = {
  method: string;
  /**
   * Whether its first byte was handed to a connected socket. Until then (name, connection, TLS) the
   * provider can't have received it.
   */
  sent: boolean;
  /** The status of the response; null if there was none. */
  status: number | null;
};

/**
 * Statuses that refuse a request, from the provider or a proxy. Any other one may hide completed
 * work.
 */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422, 429]);
/** A redirected POST was not processed here. */
const isElsewhere = (status: number): boolean => status >= 300 && status < 400;
const changesNothing = (method: string): boolean => method === "GET" || method === "HEAD";

/** Whether the provider accepted the request, according to the HTTP exchange alone. */
export function acceptedBy({ method, sent, status }: Wire): Accepted {
  if (!sent || changesNothing(method)) return "no";
  if (status === null) return "unknown";
  if (status >= 200 && status < 300) return "yes";
  return refusals.has(status) || isElsewhere(status) ? "no" : "unknown";
}

/** A paid POST that failed before any of its answer was saved. */
export type FailedPost = Omit<Wire, "method"> & {
  /** The adapter's reading of the response; null for an error that it didn't classify. */
  said: Accepted | null;
  /**
   * The error has the provider's own format, so it is the provider's verdict and not a gateway's.
   */
  own: boolean;
  /**
   * The request is for text (chat, an embedding, a tool's answer), which can't be looked up later,
   * so it never stays unconfirmed.
   */
  returnsText: boolean;
  /**
   * Every attempt carries the provider's own idempotency token, so the provider treats them as one.
   */
  token: boolean;
  /**
   * An earlier attempt with the same token may have been accepted; a refusal of this one doesn't
   * rule that out.
   */
  before?: boolean;
  /** The request is free, so repeating it costs nothing. */
  free: boolean;
};

/**
 * not-taken: the provider refused it, or nothing was sent. repeatable: it may have been accepted,
 * and repeating it does no harm. unknown: only a person or the provider can tell, and it is never
 * sent again automatically. taken: the provider began to answer, and the attempt is over.
 */
export type Fate = "not-taken" | "repeatable" | "unknown" | "taken";

/** Decides what became of a POST. Nothing else does. */
export function fateOfPost(post: FailedPost): Fate {
  const accepted = acceptedOf(post);
  if (accepted === "no") return post.before ? "repeatable" : "not-taken";
  if (post.free) return "repeatable";
  if (post.returnsText || (accepted === "yes" && post.own)) return "taken";
  return post.token ? "repeatable" : "unknown";
}

/** A 2xx is accepted whatever its body. A 5xx refuses only in the provider's own format. */
function acceptedOf({ sent, status, said, own }: FailedPost): Accepted {
  const byWire = acceptedBy({ method: "POST", sent, status });
  if (!sent || byWire === "yes") return byWire;
  if (said === null || status === null) return "unknown";
  return said === "no" && byWire === "unknown" && !own ? "unknown" : said;
}

/**
 * Whether an alias's next model is tried. A text run is passed on after any failure before its
 * first output, except a provider's own verdict on the request inside its answer. A run that makes
 * a file is passed on if nothing was sent, and after a refusal in the provider's own format.
 * @param error `retryable`: its code is one of a transient error; `forgotten`: as in `isRetried`,
 *   where the same model is tried first
 */
export function goesToNextModel(
  post: FailedPost,
  error: { retryable: boolean; forgotten?: boolean },
): boolean {
  if (error.forgotten === true) return false;
  const isRefused = fateOfPost(post) === "not-taken";
  if (post.returnsText) return isRefused || !post.own || error.retryable;
  return isRefused && (!post.sent || post.own);
}

/**
 * Whether the program itself retries with a new attempt: requests that were never sent, a 429, an
 * overload that the provider itself reports, a call in a session that its server has forgotten, and
 * anything free. Repeating under a provider's token is the same attempt to the provider, and isn't
 * meant here.
 * @param error `retryable`: its code is one of a transient error; `overloaded`: a 503 in the
 *   provider's own format with its overload code or Retry-After; `forgotten`: the server no longer
 *   knows the session, container or store that the request names
 */
export function isRetried(
  post: FailedPost,
  error: { retryable: boolean; overloaded: boolean; forgotten?: boolean },
): boolean {
  const fate = fateOfPost(post);
  if (post.free) return error.retryable || (fate === "repeatable" && post.said !== "yes");
  return (
    fate === "not-taken" &&
    ((error.retryable && (!post.sent || post.status === 429)) ||
      error.overloaded ||
      error.forgotten === true)
  );
}
