import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import type { Behaviour } from "../../../../test/simulators/openai-compatible.ts";
import { buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { buildAttempt } from "../../../../test/support/services/openai-compatible.ts";
import { answerChat } from "./chat.ts";
import { createChatReader } from "./chat-reader.ts";

async function ask(behaviour: Behaviour, connection: { secret?: string } = {}) {
  const attempt = await buildAttempt({ connection });
  attempt.simulator.script(behaviour);
  const answer = await collect(answerChat(buildRequest(), attempt.context));
  expect(attempt.simulator.posts.length).toBeLessThanOrEqual(1);
  return { ...answer, ...attempt };
}

it.each([
  [
    "the head of the answer",
    { kind: "reset", at: "request" },
    { code: "outcome_unknown", accepted: "unknown" },
    "",
  ],
  [
    "its first word",
    { kind: "reset", at: "head" },
    { code: "provider_interrupted", accepted: "yes" },
    "",
  ],
  [
    "its third word",
    { kind: "reset", at: 2 },
    { code: "provider_interrupted", accepted: "yes" },
    "one two",
  ],
] as const)(
  "a connection reset before %s keeps its code and the text so far, and is sent once",
  async (_when, fault, error, text) => {
    const answer = await ask({ text: ["one", " two", " three"], fault });
    expect(answer.error).toMatchObject(error);
    expect(answer.text).toBe(text);
    expect(answer.finish).toBeUndefined();
    expect(answer.simulator.posts).toHaveLength(1);
  },
);

it("an address that refuses connections is provably not accepted", async () => {
  const { context, simulator } = await buildAttempt();
  await simulator.stop();
  expect((await collect(answerChat(buildRequest(), context))).error).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("a stream that ends without a finish is interrupted, its text saved", async () => {
  const answer = await ask({ text: ["one", " two"], fault: { kind: "no-finish", after: 1 } });
  expect(answer).toMatchObject({
    text: "one",
    error: { code: "provider_interrupted", accepted: "yes" },
    finish: undefined,
  });
});

it("a stream that ends in half a character shows no broken character", async () => {
  const answer = await ask({ text: ["one", " two"], fault: { kind: "half-character", after: 1 } });
  expect(answer).toMatchObject({ text: "one", error: { code: "provider_interrupted" } });
});

it("an answer that arrives byte by byte is the same answer", async () => {
  const text = ["naïve ", "日本語 ", "👩‍👩‍👧 ", "end"];
  const answer = await ask({ text, reasoning: ["ö"], splitBytes: 1 });
  expect(answer).toMatchObject({ text: text.join(""), reasoning: "ö", error: null });
});

it("a character split into two escapes arrives whole, in one delta", async () => {
  const body = [
    'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}',
    'data: {"choices":[{"delta":{"content":"\\ude00b"}}]}',
    'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
    "",
  ].join("\n\n");
  const answer = await ask({ fault: { kind: "raw", body } });
  expect(answer.parts.filter((part) => part.type === "text")).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "😀b" },
  ]);
});

it("a line of 10 MB is read like any other", async () => {
  const long = "x".repeat(10 * 1024 * 1024);
  const answer = await ask({ text: [long, "!"] });
  expect(answer.error).toBeNull();
  expect(answer.text.length).toBe(long.length + 1);
});

it("an endless line is refused at its limit", async () => {
  const answer = await ask({ text: ["x".repeat(limits.streamLineBytes + 1024 ** 2)] });
  expect(answer.error).toMatchObject({ code: "provider_protocol", accepted: "yes" });
});

it("a line with NaN ends the answer with the text before it", async () => {
  const answer = await ask({ text: ["one", " two"], fault: { kind: "nan", after: 1 } });
  expect(answer).toMatchObject({
    text: "one",
    error: { code: "provider_protocol", accepted: "yes" },
  });
});

it.each([
  [{ message: "Too many", type: "rate_limit_error" }, "provider_rate_limited"],
  [{ message: "Too many", code: 429 }, "provider_rate_limited"],
  [{ message: "Busy", code: "server_overloaded" }, "provider_overloaded"],
  [{ message: "Not this", code: "content_filter" }, "provider_rejected"],
  [{ message: "Something", type: "server_error" }, "provider_interrupted"],
  ["only words", "provider_interrupted"],
])("an error after 200, %j, is %s and keeps the text", async (error, code) => {
  const answer = await ask({
    text: ["one", " two"],
    fault: { kind: "error-event", after: 1, error },
  });
  expect(answer).toMatchObject({ text: "one", error: { code, accepted: "yes" } });
});

it("an error that calls itself a finish (OpenRouter) is an error", async () => {
  const body =
    'data: {"choices":[{"delta":{"content":"one"}}]}\n\ndata: {"error":{"code":503,"message":"down"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}\n\n';
  expect(await ask({ fault: { kind: "raw", body } })).toMatchObject({
    text: "one",
    error: { code: "provider_overloaded", accepted: "yes" },
  });
});

it("a page in place of an answer is a wrong address", async () => {
  expect((await ask({ fault: { kind: "html" } })).error).toMatchObject({
    code: "provider_protocol",
    accepted: "unknown",
  });
});

it.each(["<!DOCTYPE html><html>", "OK", ""])(
  "a stream without events, %j, isn't such a service, and the request's outcome is unknown",
  async (body) => {
    expect((await ask({ fault: { kind: "raw", body } })).error).toMatchObject({
      code: "provider_protocol",
      accepted: "unknown",
    });
  },
);

it("broken JSON in place of an answer leaves the outcome unknown", async () => {
  expect((await ask({ fault: { kind: "broken-json" } })).error).toMatchObject({
    code: "provider_protocol",
    accepted: "unknown",
  });
});

it("an error as the whole body of a 200 is that error", async () => {
  const body = {
    error: { message: "You exceeded your current quota", code: "insufficient_quota" },
  };
  expect((await ask({ fault: { kind: "status", status: 200, body } })).error).toMatchObject({
    code: "provider_quota",
    accepted: "yes",
  });
});

it.each([
  [429, { code: "rate_limit_exceeded" }, "provider_rate_limited", "no"],
  [429, { code: "insufficient_quota" }, "provider_quota", "no"],
  [400, { code: "context_length_exceeded" }, "provider_context_too_long", "no"],
  [400, { type: "exceed_context_size_error" }, "provider_context_too_long", "no"],
  [400, { code: "content_policy_violation" }, "provider_rejected", "no"],
  [400, { message: "Bad size", param: "size" }, "provider_invalid_input", "no"],
  [404, { message: "The model `x` does not exist.", type: "NotFoundError" }, "model_gone", "no"],
  [401, { code: "invalid_api_key" }, "provider_auth", "no"],
  [402, { message: "Insufficient credits" }, "provider_quota", "no"],
  [500, { message: "boom" }, "provider_failed", "no"],
  [502, { message: "boom" }, "provider_failed", "no"],
  [503, { message: "busy" }, "provider_overloaded", "no"],
  [504, {}, "provider_timeout", "unknown"],
] as const)(
  "an answer of %i with %j is %s, accepted: %s, and isn't repeated",
  async (status, error, code, accepted) => {
    const answer = await ask({ fault: { kind: "status", status, body: { error } } });
    expect(answer.error).toMatchObject({ code, accepted });
    expect(answer.simulator.posts).toHaveLength(1);
  },
);

it("the server's requested wait is in the error", async () => {
  const answer = await ask({
    fault: { kind: "status", status: 429, headers: { "retry-after": "7" } },
  });
  expect(answer.error).toMatchObject({
    code: "provider_rate_limited",
    detail: { retryAfterMs: 7_000 },
  });
});

it("an exhausted per-minute share is a rate limit, whatever it is called", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "26s" }];
  const error = {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota, please check your plan.",
    details,
  };
  const answer = await ask({ fault: { kind: "status", status: 429, body: { error } } });
  expect(answer.error).toMatchObject({
    code: "provider_rate_limited",
    detail: { retryAfterMs: 26_000 },
  });
});

it("a wrong key is provider_auth, and no part of the error contains the key", async () => {
  const { error } = await ask({}, { secret: "canary-key" });
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(`${String(error)}${JSON.stringify(error)}`).not.toContain("canary-key");
});

it("an abort in the middle closes the connection to the provider and throws the caller's reason", async () => {
  const controller = new AbortController();
  const { simulator, context } = await buildAttempt({ signal: controller.signal });
  simulator.script({ text: ["one", " two"], gate: { name: "middle", at: 1 } });
  const parts = answerChat(buildRequest(), context)[Symbol.asyncIterator]();
  expect((await parts.next()).value).toEqual({ type: "text", text: "one" });
  const reason = new Error("cancelled by a person");
  controller.abort(reason);
  await expect(parts.next()).rejects.toBe(reason);
  await expect.poll(() => simulator.posts[0]!.state).toBe("client-left");
});

it("a reader that leaves closes the connection to the provider", async () => {
  const { simulator, context } = await buildAttempt();
  simulator.script({ text: ["one", " two"], gate: { name: "middle", at: 1 } });
  for await (const part of answerChat(buildRequest(), context)) {
    expect(part).toEqual({ type: "text", text: "one" });
    break;
  }
  await expect.poll(() => simulator.posts[0]!.state).toBe("client-left");
});

it("a cut line or a reset connection after the finish loses nothing", async () => {
  expect(await ask({ text: ["all"], fault: { kind: "reset", at: "end" } })).toMatchObject({
    text: "all",
    error: null,
    finish: { reason: "stop" },
  });
  const answer = await ask({
    fault: {
      kind: "raw",
      body: 'data: {"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}\n\ndata: {"cho',
    },
  });
  expect(answer).toMatchObject({ text: "all", error: null, finish: { reason: "stop" } });
});

/** Reads the calls of an answer, chunk by chunk. */
function readCalls(chunks: readonly object[][], reason = "tool_calls") {
  const reader = createChatReader({ secret: null, host: "a.example" });
  const parts = chunks.flatMap((calls) =>
    reader.read({ choices: [{ delta: { tool_calls: calls } }] }),
  );
  reader.read({ choices: [{ delta: {}, finish_reason: reason }] });
  const calls = reader.end().filter((part) => part.type === "tool-call");
  const pieces = parts.filter((part) => part.type === "tool-call-piece");
  return {
    pieces: pieces.map(({ place, name, text }) => `${place} ${name}${text}`),
    calls: calls.map(
      ({ name, input, malformed }) => `${name}${malformed ?? JSON.stringify(input)}`,
    ),
  };
}

it("calls without a number, of several chunks, are all apart", () => {
  const call = (name: string) => ({ function: { name, arguments: `{"of":"${name}"}` } });
  expect(readCalls([[call("a"), call("b")], [call("c")]])).toEqual({
    pieces: ['0 a{"of":"a"}', '1 b{"of":"b"}', '2 c{"of":"c"}'],
    calls: ['a{"of":"a"}', 'b{"of":"b"}', 'c{"of":"c"}'],
  });
});

it("a call keeps the name that its first piece told", () => {
  const chunks = [
    [{ index: 0, function: { name: "write", arguments: "{" } }],
    [{ index: 0, function: { name: "other", arguments: "}" } }],
  ];
  expect(readCalls(chunks)).toEqual({ pieces: ["0 write{", "0 write}"], calls: ["write{}"] });
});

it("a call that breaks off before its arguments has none, not empty ones", () => {
  const chunks = [
    [{ index: 0, function: { name: "now", arguments: "" } }],
    [{ index: 1, function: { name: "write", arguments: "" } }],
  ];
  expect(readCalls(chunks, "length").calls).toEqual(["now{}", "write"]);
  expect(readCalls(chunks).calls).toEqual(["now{}", "write{}"]);
});
