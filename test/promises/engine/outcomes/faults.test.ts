import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { FalFault } from "../../../simulators/fal.ts";
import type { Fault } from "../../../simulators/openai-compatible.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  /** The end of a chat turn that meets a fault, and the number of POSTs that it took. */
  async function meet(fault: Fault) {
    const before = studio.openai.posts.length;
    studio.openai.script({ fault, text: "one two three four" });
    const { run, answer } = await studio.ask("hello");
    const ended = await studio.ended(run.id);
    return {
      ended,
      posts: studio.openai.posts.length - before,
      attempts: await studio.attempts(run.id),
      message: await studio.messageOf(answer.id),
    };
  }

  const ownError = { error: { message: "The server had an error.", type: "server_error" } };
  const lostWords: [title: string, fault: Fault][] = [
    ["a gateway's 502", { kind: "status", status: 502, body: "<html>Bad gateway</html>" }],
    ["408", { kind: "status", status: 408 }],
    ["a reset before an answer", { kind: "reset", at: "request" }],
    ["a web page in place of an answer", { kind: "html" }],
  ];
  for (const [title, fault] of lostWords) {
    it(`${title} fails a chat after one POST, with its input booked as an estimate and nothing left to decide`, async () => {
      const { ended, posts } = await meet(fault);
      expect(ended).toMatchObject({
        state: "failed",
        usage: { units: { estimated: "yes" } },
        workerId: null,
      });
      expect(ended.error?.code).not.toBe("outcome_unknown");
      expect(Number((ended.usage as { inputTokens: number }).inputTokens)).toBeGreaterThan(0);
      expect(posts).toBe(1);
    });
  }

  it("500 in the provider's own shape fails a chat after one POST, quoted, and nothing is booked until a bill says otherwise", async () => {
    const { ended, posts, attempts } = await meet({ kind: "status", status: 500, body: ownError });
    expect(ended).toMatchObject({
      state: "failed",
      costMicros: 0,
      costBasis: "assumed",
      error: { code: "provider_failed", retryable: true },
    });
    expect(ended.error?.message).toContain("The server had an error.");
    expect(posts).toBe(1);
    expect(attempts).toMatchObject([{ state: "refused", httpStatus: 500 }]);
  });

  it("a provider's stated overload is retried once, a gateway's 503 isn't", async () => {
    const overload = {
      error: { message: "Busy.", type: "server_error", code: "server_is_overloaded" },
    };
    const before = studio.openai.posts.length;
    studio.openai.script({
      fault: { kind: "status", status: 503, body: overload, headers: { "retry-after": "0" } },
    });
    studio.openai.script({ text: "now it works" });
    const { run } = await studio.ask("hello");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
    expect(studio.openai.posts.length - before).toBe(2);
    const { ended, posts } = await meet({
      kind: "status",
      status: 503,
      body: "upstream unavailable",
      headers: { "retry-after": "0" },
    });
    expect(ended).toMatchObject({ state: "failed" });
    expect(posts).toBe(1);
  });

  const lostPictures: [title: string, fault: Fault][] = [
    [
      "a gateway's 502",
      { kind: "status", status: 502, body: "<html><title>502 Bad Gateway</title></html>" },
    ],
    ["a reset before an answer", { kind: "reset", at: "request" }],
    ["a web page behind a 200", { kind: "html" }],
  ];
  for (const [title, fault] of lostPictures) {
    it(`${title} leaves a picture unconfirmed after one POST, because nobody can know whether it was made`, async () => {
      studio.openai.script({ fault });
      const before = studio.openai.posts.length;
      const run = await studio.make("a lost picture", { model: studio.models.openaiImage });
      const ended = await studio.ended(run.id);
      expect(ended).toMatchObject({
        state: "unconfirmed",
        costMicros: null,
        error: { code: "outcome_unknown" },
        finishedAt: null,
        workerId: null,
      });
      if (fault.kind === "status")
        expect(ended.error).toMatchObject({ cause: expect.stringContaining("502 Bad Gateway") });
      expect(studio.openai.posts.length - before).toBe(1);
      expect(await studio.attempts(run.id)).toMatchObject([{ number: 1, state: "lost" }]);
    });
  }

  it("a whole answer of broken JSON leaves a picture unconfirmed after one POST", async () => {
    studio.openai.script({ fault: { kind: "broken-json" } });
    const before = studio.openai.posts.length;
    const run = await studio.make("a broken picture", { model: studio.models.openaiImage });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "unconfirmed",
      error: { code: "outcome_unknown" },
    });
    expect(studio.openai.posts.length - before).toBe(1);
  });

  it("429 with Retry-After is retried once, after the stated time, as one run with one reservation", async () => {
    const before = studio.openai.posts.length;
    studio.openai.script({
      fault: { kind: "status", status: 429, headers: { "retry-after": "1" } },
    });
    studio.openai.script({ text: "now it works" });
    const { run, answer } = await studio.ask("hello");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
    const posts = studio.openai.posts.slice(before);
    expect(posts).toHaveLength(2);
    expect(posts[1]!.at - posts[0]!.at).toBeGreaterThanOrEqual(1_000);
    expect(await studio.attempts(run.id)).toMatchObject([
      { number: 1, state: "refused", httpStatus: 429 },
      { number: 2, state: "ended", httpStatus: 200 },
    ]);
    expect(
      (await studio.ledgerOf(run.id)).filter((entry) => entry.kind === "hold").length,
    ).toBeLessThanOrEqual(1);
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe("now it works");
  });

  it("429 with a wait in its text is retried once after that wait", async () => {
    const before = studio.openai.posts.length;
    const error = {
      message: "Rate limit reached. Please try again in 1.2s.",
      code: "rate_limit_exceeded",
    };
    studio.openai.script({ fault: { kind: "status", status: 429, body: { error } } });
    const { run } = await studio.ask("hello");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
    const posts = studio.openai.posts.slice(before);
    expect(posts).toHaveLength(2);
    expect(posts[1]!.at - posts[0]!.at).toBeGreaterThanOrEqual(1_200);
  });

  it("429 for an exhausted quota fails after one POST, because waiting wouldn't help", async () => {
    const error = {
      message: "You exceeded your current quota, please check your plan.",
      code: "insufficient_quota",
    };
    const { ended, posts, attempts } = await meet({
      kind: "status",
      status: 429,
      headers: { "retry-after": "1" },
      body: { error },
    });
    expect(ended).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_quota", retryable: false },
    });
    expect(posts).toBe(1);
    expect(attempts).toMatchObject([{ number: 1, state: "refused", httpStatus: 429 }]);
  });

  it("a job whose account has no balance fails after one POST", async () => {
    const run = await studio.make("a picture [sim:locked]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_quota" },
    });
    expect(studio.fal.ledger.postsOf("a picture [sim:locked]")).toBe(1);
  });

  it("a run waiting for a time that the clock jumped away from is still claimed", async () => {
    studio.openai.script({
      fault: { kind: "status", status: 429, headers: { "retry-after": "3000" } },
    });
    const { run } = await studio.ask("hello");
    const waiting = await until("it waits", async () => {
      const found = await studio.runOf(run.id);
      return found.notBefore !== null && found;
    });
    expect(waiting.notBefore! - Date.now()).toBeGreaterThan(2_000_000);
    const dayMs = 24 * 60 * 60_000;
    const tomorrow = { not_before: Date.now() + dayMs };
    await studio.instance.store.db
      .updateTable("run")
      .set(tomorrow)
      .where("id", "=", run.id)
      .execute();
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
  });

  const torn: [title: string, fault: Fault, text: string][] = [
    ["a stream that is reset after two words", { kind: "reset", at: 2 }, "one two"],
    ["a stream that ends without saying so", { kind: "no-finish", after: 2 }, "one two"],
    [
      "a stream that ends in the middle of a character",
      { kind: "half-character", after: 2 },
      "one two",
    ],
    [
      "a stream with an error after words",
      { kind: "error-event", after: 2, error: { message: "broke", type: "server_error" } },
      "one two",
    ],
  ];
  for (const [title, fault, text] of torn) {
    it(`${title} fails with its text saved, the message interrupted and the usage estimated, after one POST`, async () => {
      const { ended, posts, message } = await meet(fault);
      expect(ended).toMatchObject({
        state: "failed",
        costMicros: null,
        usage: { units: { estimated: "yes" } },
      });
      expect(posts).toBe(1);
      expect(message.state).toBe("interrupted");
      expect(textOfMessage(message)).toBe(text);
    });
  }

  it("a wrong key fails with provider_auth and names its connection", async () => {
    const { ended, posts } = await meet({
      kind: "status",
      status: 401,
      body: { error: { message: "Incorrect API key", code: "invalid_api_key" } },
    });
    expect(ended).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_auth", connectionId: studio.models.openai.connectionId },
    });
    expect(posts).toBe(1);
  });

  it("a key without rights for the model fails with provider_forbidden, and is not called rejected", async () => {
    const { ended } = await meet({
      kind: "status",
      status: 403,
      body: { error: { message: "This model is not enabled for your project.", code: null } },
    });
    expect(ended).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: {
        code: "provider_forbidden",
        message: expect.stringMatching(/^The provider refused access with this key\./),
        connectionId: studio.models.openai.connectionId,
      },
    });
  });

  it("a model removed by its provider fails with model_gone", async () => {
    const { ended } = await meet({
      kind: "status",
      status: 404,
      body: { error: { message: "no such model", code: "model_not_found" } },
    });
    expect(ended).toMatchObject({ state: "failed", costMicros: 0, error: { code: "model_gone" } });
  });

  it.each(["500", "504"] as const)(
    "a job whose submit is refused by %s in its provider's own shape fails after one POST, free of charge",
    async (fault) => {
      const prompt = `a picture [sim:${fault}]`;
      const run = await studio.make(prompt);
      expect(await studio.ended(run.id)).toMatchObject({
        state: "failed",
        costMicros: 0,
        costBasis: "assumed",
      });
      expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    },
  );

  const lostJobs: FalFault[] = ["reset", "lost-reply", "cut-reply", "broken-json", "no-id"];
  it.each(lostJobs)("a job whose submit meets %s is unconfirmed after one POST", async (fault) => {
    const prompt = `a picture [sim:${fault}]`;
    const run = await studio.make(prompt);
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "unconfirmed",
      costMicros: null,
      error: { code: "outcome_unknown" },
    });
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    expect(await studio.attempts(run.id)).toMatchObject([
      { state: "lost", providerRequestId: null },
    ]);
  });

  const followed: FalFault[] = ["stream-cut", "stream-html", "status-500", "result-busy"];
  it("a job that was accepted is followed to its result whatever happens to its polls, with one POST", async () => {
    for (const fault of followed) studio.fal.script(`asked with ${fault}`, fault, 1);
    await Promise.all(
      followed.map(async (fault) => {
        const prompt = `asked with ${fault}`;
        const run = await studio.make(prompt);
        expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
        expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
      }),
    );
  });

  it("a free local server whose answer was lost is asked again, and the person gets the answer", async () => {
    studio.ollama.script("ask me twice", { fault: "reset" });
    const { run, answer } = await studio.ask("ask me twice", "ollama");
    await until(
      "the first attempt has failed",
      async () => (await studio.attempts(run.id))[0]?.state === "lost",
    );
    studio.ollama.script("ask me twice", { tokens: ["here", " it", " is"] });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", costMicros: 0 });
    expect(studio.ollama.ledger.postsOf("ask me twice")).toBe(2);
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe("here it is");
  });
});
