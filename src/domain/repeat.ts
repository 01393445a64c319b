/** Whether a provider took a request: provably not, nobody can know, or surely. */
export type Accepted = "no" | "unknown" | "yes";

/** What the wire knows of a request. */
export type Wire = {
  method: string;
  /** Its first byte was handed to a connected socket. Until then (name, connection, TLS) nobody can have taken it. */
  sent: boolean;
  /** Of the answer's head; null when none came. */
  status: number | null;
};

/** The statuses by which a provider itself says that it took nothing. Every other one may hide work that was done. */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 413, 422, 429]);
/** Elsewhere is where it would be taken; 303 says that it was taken here. */
const isElsewhere = (status: number): boolean => status >= 300 && status < 400 && status !== 303;
const changesNothing = (method: string): boolean => method === "GET" || method === "HEAD";

/** What the wire alone tells. */
export function acceptedBy({ method, sent, status }: Wire): Accepted {
  if (!sent || changesNothing(method)) return "no";
  if (status === null) return "unknown";
  if (status >= 200 && status < 300) return "yes";
  return refusals.has(status) || isElsewhere(status) ? "no" : "unknown";
}

/** A paid POST that failed before any of its answer was kept. */
export type FailedPost = Omit<Wire, "method"> & {
  /** What its adapter read in the answer; null for an error that nobody has classified. */
  said: Accepted | null;
  /** The provider's own idempotency token went along, and goes along again: both are one. */
  token: boolean;
  /** One before it with the same token may have been taken: a refusal of this one says nothing of that. */
  before?: boolean;
  /** Free of charge: what was made for nothing costs nobody anything. */
  free: boolean;
};

/**
 * not-taken: it may be sent again. repeatable: perhaps it was taken, and sending it again harms nobody. unknown: only a
 * person, or the provider, can tell; it is never sent again by itself. taken: the provider began to answer, and that was it.
 */
export type Fate = "not-taken" | "repeatable" | "unknown" | "taken";

/** When a POST may be repeated. Nothing else decides it. */
export function fateOfPost(post: FailedPost): Fate {
  const accepted = acceptedOf(post);
  if (accepted === "no") return post.before ? "repeatable" : "not-taken";
  if (post.free) return "repeatable";
  if (accepted === "yes") return "taken";
  return post.token ? "repeatable" : "unknown";
}

/** An adapter knows what an answer means, and the wire whether there was one: it has the last word on what can't be known. */
function acceptedOf({ sent, status, said }: FailedPost): Accepted {
  const byWire = acceptedBy({ method: "POST", sent, status });
  if (!sent) return byWire;
  if (said === null) return "unknown";
  return said === "no" && byWire === "unknown" ? "unknown" : said;
}
