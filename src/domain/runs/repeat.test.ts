import { expect, it } from "vitest";
import { acceptedBy, type FailedPost, fateOfPost, goesToNextModel, isRetried } from "./repeat.ts";

const post = (facts: Partial<FailedPost>): FailedPost => ({
  sent: true,
  status: null,
  said: "unknown",
  own: false,
  returnsText: false,
  token: false,
  free: false,
  ...facts,
});
/** The reading of an adapter that uses only the status. */
const answered = (status: number, facts: Partial<FailedPost> = {}): FailedPost =>
  post({ status, said: acceptedBy({ method: "POST", sent: true, status }), ...facts });

it("no byte written: it may be sent again, whatever the adapter reported", () => {
  for (const said of ["no", "unknown", "yes", null] as const)
    expect(fateOfPost(post({ sent: false, said }))).toBe("not-taken");
});

it.each([400, 401, 402, 403, 404, 405, 413, 415, 422, 429])(
  "%i in any shape: nothing was taken",
  (status) => {
    expect(fateOfPost(answered(status))).toBe("not-taken");
  },
);

it.each([408, 409, 424, 425, 499, 500, 501, 502, 503, 504, 520, 524, 529])(
  "%i: the outcome is unknown, so it isn't sent again",
  (status) => {
    expect(fateOfPost(answered(status))).toBe("unknown");
  },
);

it.each([406, 410, 418, 451])(
  "%i isn't in the table: the outcome is unknown, so it isn't sent again",
  (status) => {
    expect(fateOfPost(answered(status))).toBe("unknown");
  },
);

it("a reset after the first byte, before an answer started: the outcome is unknown, so it isn't sent again", () => {
  expect(fateOfPost(post({ said: "unknown" }))).toBe("unknown");
});

it("an adapter can't turn a lost answer, or a status that hides work, into a refusal", () => {
  expect(fateOfPost(post({ said: "no" }))).toBe("unknown");
  expect(fateOfPost(answered(500, { said: "no" }))).toBe("unknown");
});

it.each([500, 502, 503, 504, 529])("%i in the provider's own shape is a refusal", (status) => {
  expect(fateOfPost(answered(status, { said: "no", own: true }))).toBe("not-taken");
});

it("a 2xx is accepted, whatever its adapter made of an unreadable body", () => {
  for (const said of ["no", "unknown", "yes"] as const)
    expect(fateOfPost(answered(200, { said }))).toBe("unknown");
});

it("a 2xx with the provider's own verdict is final, and a torn one is sent again under a token", () => {
  expect(fateOfPost(answered(200, { own: true }))).toBe("taken");
  for (const said of ["no", "unknown", "yes"] as const)
    expect(fateOfPost(answered(200, { said, token: true }))).toBe("repeatable");
});

it("lost text counts as failed, because nobody could look it up", () => {
  for (const lost of [
    post({}),
    answered(500),
    answered(502),
    answered(200),
    answered(200, { said: "no" }),
    post({ said: null }),
  ])
    expect(fateOfPost({ ...lost, returnsText: true })).toBe("taken");
  expect(fateOfPost(answered(429, { returnsText: true }))).toBe("not-taken");
});

const passes = { retryable: true, overloaded: false };
it("the program resends only what never left, a 429, and an overload that the provider reports", () => {
  expect(isRetried(post({ sent: false }), passes)).toBe(true);
  expect(isRetried(answered(429), passes)).toBe(true);
  expect(isRetried(answered(429), { retryable: false, overloaded: false })).toBe(false);
  const overload = answered(503, { said: "no", own: true });
  expect(isRetried(overload, { retryable: true, overloaded: true })).toBe(true);
  expect(isRetried(overload, passes)).toBe(false);
  for (const status of [408, 500, 502, 504])
    expect(isRetried(answered(status, { said: "no", own: true }), passes)).toBe(false);
  expect(isRetried(answered(200), passes)).toBe(false);
});

it("a refusal for something the provider has forgotten goes to the same model again, and to no other", () => {
  const refused = answered(404, { returnsText: true, own: true });
  const forgotten = { retryable: false, overloaded: false, forgotten: true };
  expect([isRetried(refused, forgotten), goesToNextModel(refused, forgotten)]).toEqual([
    true,
    false,
  ]);
  const final = { retryable: false, overloaded: false };
  expect([isRetried(refused, final), goesToNextModel(refused, final)]).toEqual([false, true]);
});

it("an unclassified error proves nothing once a byte has left", () => {
  expect(fateOfPost(post({ said: null }))).toBe("unknown");
  expect(fateOfPost(answered(200, { said: null }))).toBe("unknown");
});

it.each([408, 409, 424, 425, 499, 500, 502, 503, 504])(
  "%i with the provider's own token: it may be sent again",
  (status) => {
    expect(fateOfPost(answered(status, { token: true }))).toBe("repeatable");
  },
);

it("a lost answer with the provider's own token: it may be sent again", () => {
  expect(fateOfPost(post({ token: true }))).toBe("repeatable");
});

it.each([null, 400, 429])(
  "refused (%s) after a request with the same token that may have been accepted: that one stays unknown",
  (status) => {
    const refused = status === null ? post({ sent: false }) : answered(status);
    expect(fateOfPost({ ...refused, token: true, before: true })).toBe("repeatable");
  },
);

it("a free local server may be asked again after a lost or broken answer", () => {
  for (const lost of [post({}), answered(500), answered(200), post({ said: null })])
    expect(fateOfPost({ ...lost, free: true })).toBe("repeatable");
  expect(fateOfPost(answered(422, { free: true }))).toBe("not-taken");
});

it.each([
  [301, "no"],
  [302, "no"],
  [303, "no"],
  [307, "no"],
  [308, "no"],
] as const)("%i sends a POST elsewhere: accepted is %s", (status, accepted) => {
  expect(acceptedBy({ method: "POST", sent: true, status })).toBe(accepted);
});

it("a GET's outcome is never unknown", () => {
  for (const status of [null, 200, 500])
    expect(acceptedBy({ method: "GET", sent: true, status })).toBe("no");
});
