export const unpaidMark = Symbol("unpaid");
/**
 * Marks a POST that costs nothing (an upload's ticket, a token, a job poll), which `onePost`
 * doesn't count, and whose failure leaves nothing unconfirmed: `fetch(url, unpaid({ method: "POST"
 * }))`.
 */
export const unpaid = (init: RequestInit): RequestInit =>
  Object.assign({ ...init }, { [unpaidMark]: true });
