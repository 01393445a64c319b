import { expect, it } from "vitest";
import { errors } from "#contract/errors.ts";
import { readErrorFields, redact } from "./error-fields.ts";
import { readJson, toHttpError, unlessPage } from "./http-errors.ts";

const asked = { method: "POST", secret: "canary-secret", now: Date.parse("2026-11-02T10:00:00Z") };
const answer = (
  status: number,
  body = "{}",
  headers: Record<string, string> = { "content-type": "application/json" },
) => new Response(body, { status, headers });

it.each([400, 401, 402, 403, 404, 405, 413, 415, 422, 429])(
  "a POST answered with %i was provably not accepted",
  async (status) => {
    expect((await toHttpError(answer(status), asked)).accepted).toBe("no");
  },
);

it.each([408, 409, 424, 425, 499, 500, 501, 502, 503, 504, 524, 529])(
  "a POST answered with %i in a foreign shape may have been accepted",
  async (status) => {
    expect((await toHttpError(answer(status), asked)).accepted).toBe("unknown");
  },
);

it("a GET never has an unknown outcome", async () => {
  const error = await toHttpError(answer(500), { ...asked, method: "GET" });
  expect(error).toMatchObject({ accepted: "no", code: "provider_overloaded" });
  expect(errors[error.code].retryable).toBe(true);
});

it.each([
  [400, "provider_invalid_input"],
  [401, "provider_auth"],
  [402, "provider_quota"],
  [403, "provider_forbidden"],
  [404, "provider_protocol"],
  [429, "provider_rate_limited"],
  [408, "provider_timeout"],
  [500, "outcome_unknown"],
  [503, "provider_overloaded"],
  [504, "provider_timeout"],
] as const)("%i alone means %s", async (status, code) => {
  expect((await toHttpError(answer(status), asked)).code).toBe(code);
});

it.each([500, 502, 503, 504, 529])(
  "%i in the provider's own shape is its refusal, with its words",
  async (status) => {
    const body = JSON.stringify({
      error: { message: "The server had an error.", type: "server_error" },
    });
    const error = await toHttpError(answer(status, body), asked);
    expect(error).toMatchObject({
      accepted: "no",
      detail: { ownShape: true, providerMessage: "The server had an error." },
    });
    expect(error.code).not.toBe("outcome_unknown");
  },
);

it.each([
  ["an HTML page", "<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"],
  ["text", "upstream connect error or disconnect", "upstream connect error"],
  ["nothing", "", "with an empty body"],
  ["a lone sentence of a gateway", '{"message":"Internal server error"}', "Internal server error"],
  [
    "Cloudflare's problem document",
    '{"type":"https://a","title":"b","detail":"c","status":502,"cloudflare_error":true}',
    "cloudflare_error",
  ],
])(
  "a 5xx with %s comes from an intermediary: it is quoted and proves nothing",
  async (_what, body, quoted) => {
    const error = await toHttpError(answer(502, body), asked);
    expect(error).toMatchObject({ accepted: "unknown", code: "outcome_unknown" });
    expect(error.detail.ownShape).toBeUndefined();
    expect(error.message).toContain("502");
    expect(error.detail.message).toContain(quoted);
  },
);

it("only a 503 in the provider's own shape with its overload code or Retry-After is a retryable overload", async () => {
  const body = JSON.stringify({ error: { message: "Busy.", type: "overloaded" } });
  const named = await toHttpError(answer(503, body), asked, ({ type }) =>
    type === "overloaded" ? "provider_overloaded" : undefined,
  );
  const timed = await toHttpError(answer(503, body, { "retry-after": "2" }), asked);
  const plain = await toHttpError(answer(503, body), asked);
  const foreign = await toHttpError(answer(503, "<html>", { "retry-after": "2" }), asked);
  expect([named, timed, plain, foreign].map(({ detail }) => detail.overloaded === true)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

const html = { "content-type": "text/html; charset=utf-8" };
it("a page is a wrong address, except a gateway's page for its own failure", async () => {
  expect(await toHttpError(answer(404, "<html>", html), asked)).toMatchObject({
    code: "provider_protocol",
    accepted: "no",
  });
  expect(await toHttpError(answer(502, "<html>", html), asked)).toMatchObject({
    code: "outcome_unknown",
    accepted: "unknown",
  });
  expect(
    (await toHttpError(answer(404, "<!DOCTYPE html><p>canary", {}), asked)).message,
  ).not.toContain("canary");
});

it("a page with a 2xx doesn't prove that nothing was made, and JSON labeled as a page is read", async () => {
  await expect(unlessPage(answer(200, "\n <html>", html), "POST")).rejects.toMatchObject({
    code: "provider_protocol",
    accepted: "unknown",
  });
  await expect(unlessPage(answer(200, "<html>", html), "GET")).rejects.toMatchObject({
    accepted: "no",
  });
  await expect(readJson(answer(200, "<html>"), asked)).rejects.toMatchObject({
    accepted: "unknown",
  });
  expect(await readJson(await unlessPage(answer(200, ' {"a": 1}', html), "POST"), asked)).toEqual({
    a: 1,
  });
});

it("broken JSON after a POST leaves the outcome unknown, and NaN isn't JSON", async () => {
  for (const body of ['{"a": NaN}', '{"a": ', ""]) {
    await expect(readJson(answer(200, body), asked)).rejects.toMatchObject({
      code: "provider_protocol",
      accepted: "unknown",
    });
  }
  expect(await readJson(answer(200, '{"a": 1}'), asked)).toEqual({ a: 1 });
});

it("the provider's words reach the person without the secret", async () => {
  const body = JSON.stringify({
    error: { message: "Bad key canary-secret or sk-abcdef123456", param: "size", code: "bad" },
  });
  const error = await toHttpError(answer(400, body), asked);
  expect(error.message).toContain("Bad key •••");
  expect(JSON.stringify(error.detail)).not.toMatch(/canary-secret|sk-abcdef/);
  expect(error.detail).toMatchObject({ field: "size", providerCode: "bad", httpStatus: 400 });
});

it.each([
  [
    '{"error":{"message":"m","type":"t","param":"p","code":7}}',
    { message: "m", type: "t", field: "p", code: "7" },
  ],
  ['{"error":"m"}', { message: "m" }],
  ['{"message":"m","code":"c"}', { message: "m", code: "c" }],
  ['{"detail":"m"}', { message: "m" }],
  [
    '{"detail":[{"loc":["body","n"],"msg":"m","type":"t"}]}',
    { message: "m", type: "t", field: "n" },
  ],
  ["plain words\nmore", { message: "plain words" }],
  ["", {}],
  ["[1]", {}],
])("the error body %s is understood", (body, words) => {
  expect(readErrorFields(body)).toEqual(words);
});

it("a bearer token in a message is removed", () => {
  expect(redact("header was Bearer abc.def", null)).toBe("header was Bearer •••");
});

it("every secret field is removed, however short; of a key file only parts as long as a key", () => {
  const file = {
    type: "service_account",
    project_id: "tides",
    private_key: "a-very-long-private-key",
  };
  expect(
    redact("no short-key, nor pass", JSON.stringify({ key: "short-key", clientSecret: "pass" })),
  ).toBe("no •••, nor •••");
  expect(redact("tides: a-very-long-private-key", JSON.stringify(file))).toBe("tides: •••");
  expect(
    redact(
      "tides: a-very-long-private-key",
      JSON.stringify({ serviceAccount: JSON.stringify(file) }),
    ),
  ).toBe("tides: •••");
  expect(redact("no pass-longer", JSON.stringify({ a: "pass", b: "pass-longer" }))).toBe("no •••");
});
