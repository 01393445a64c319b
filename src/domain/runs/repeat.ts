/** Whether a provider accepted a request: no, unknown, or yes. */
export type Accepted = "no" | "unknown" | "yes";

/** What the wire knows of a request. */
export type Wire = {
  method: string;
  /** Its first byte was handed to a connected socket. Until then (name, connection, TLS) nobody can have taken it. */
  sent: boolean;
  /** Of the answer's head; null when none came. */
  status: number | null;
};

/** The statuses that refuse a request, from the provider or a proxy. Any other one may hide completed work. */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422, 429]);
/** A POST that is sent elsewhere was not processed here. */
const isElsewhere = (status: number): boolean => status >= 300 && status < 400;
const changesNothing = (method: string): boolean => method === "GET" || method === "HEAD";

/** What the wire alone tells. */
export function acceptedBy({ method, sent, status }: Wire): Accepted {
  if (!sent || changesNothing(method)) return "no";
  if (status === null) return "unknown";
  if (status >= 200 && status < 300) return "yes";
  return refusals.has(status) || isElsewhere(status) ? "no" : "unknown";
}

/** A paid POST that failed before any of its answer was saved. */
export type FailedPost = Omit<Wire, "method"> & {
  /** What its adapter read in the answer; null for an error that nobody has classified. */
  said: Accepted | null;
  /** The error has the provider's own shape, so it is the provider's verdict and not a gateway's. */
  own: boolean;
  /** It asks for words (chat, an embedding, a tool's answer), which nobody can look up later: it never stays unconfirmed. */
  words: boolean;
  /** The provider's own idempotency token is sent with every attempt: for the provider all of them are one. */
  token: boolean;
  /** An attempt before it with the same token may have been taken: a refusal of this one says nothing of that. */
  before?: boolean;
  /** Free of charge: a repetition costs nobody anything. */
  free: boolean;
};

/**
 * not-taken: the provider refused it, or nothing was sent. repeatable: perhaps it was taken, and a repetition harms nobody. unknown: only a
 * person, or the provider, can tell; the program never sends it again. taken: the provider began to answer, and the attempt is over.
 */
export type Fate = "not-taken" | "repeatable" | "unknown" | "taken";

/** What an answer proves of a POST. Nothing else decides it. */
export function fateOfPost(post: FailedPost): Fate {
  const accepted = acceptedOf(post);
  if (accepted === "no") return post.before ? "repeatable" : "not-taken";
  if (post.free) return "repeatable";
  if (post.words || (accepted === "yes" && post.own)) return "taken";
  return post.token ? "repeatable" : "unknown";
}

/** A 2xx is accepted regardless of its body. A 5xx refuses only in the provider's own shape. */
function acceptedOf({ sent, status, said, own }: FailedPost): Accepted {
  const byWire = acceptedBy({ method: "POST", sent, status });
  if (!sent || byWire === "yes") return byWire;
  if (said === null || status === null) return "unknown";
  return said === "no" && byWire === "unknown" && !own ? "unknown" : said;
}

/**
 * Whether an alias's next model is tried. Text moves on after any failure before its first word, except a provider's own verdict on
 * the request inside its answer. A file moves on when nothing was sent, and after a refusal in the provider's own shape.
 * @param error `retryable`: its code is one that passes
 */
export function goesToNextModel(post: FailedPost, error: { retryable: boolean }): boolean {
  const isRefused = fateOfPost(post) === "not-taken";
  if (post.words) return isRefused || !post.own || error.retryable;
  return isRefused && (!post.sent || post.own);
}

/**
 * Whether the program itself sends it again as a new attempt: what never left, a 429, an overload that the provider itself states, a call
 * in a session that its server has forgotten, and anything free. A repeat under a provider's token is not meant here: to the provider it is the same attempt.
 * @param error `retryable`: its code is one that passes; `overloaded`: a 503 in the provider's own shape with its overload code or
 *   Retry-After; `forgotten`: the server refused it for want of the session it belongs to
 */
export function isSentAgain(
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
