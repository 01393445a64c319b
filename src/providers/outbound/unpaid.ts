export const unpaidMark = Symbol("unpaid");
/**
 * Marks a POST that costs nothing (an upload's ticket, a token, a question about a job), which `onePost` does not count, and whose
 * failure leaves nothing open: `fetch(url, unpaid({ method: "POST" }))`.
 */
export const unpaid = (init: RequestInit): RequestInit =>
  Object.assign({ ...init }, { [unpaidMark]: true });
