import { afterAll, beforeAll, expect, it } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create(), { instance: { placeWaitMs: 100 } });
    const { connectionId } = door.studio.models.openai;
    await door.studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 1, media: 1 } }),
    );
  });
  afterAll(() => door.studio.close());

  for (const stream of [false, true])
    it(`a program's call that gets no place in time gets 429 with Retry-After, and its run is withdrawn (stream: ${stream})`, async () => {
      const { studio, names } = door;
      studio.openai.script({ text: "one two", gate: { name: `taken ${stream}`, at: 1 } });
      const { run: held } = await studio.ask("in front");
      await studio.openai.reached(`taken ${stream}`);
      const ask = () =>
        door.post(
          "/chat/completions",
          { model: names.chat, stream, messages: [{ role: "user", content: `late ${stream}` }] },
          { "idempotency-key": `late ${stream}` },
        );
      const refused = await ask();
      expect([
        refused.status,
        refused.headers.get("retry-after"),
        refused.headers.get("x-should-retry"),
      ]).toEqual([429, "5", "true"]);
      const { error } = (await refused.json()) as { error: { code: string; run_id: string } };
      expect(error.code).toBe("rate_limit_exceeded");
      expect(await studio.runOf(error.run_id)).toMatchObject({
        state: "cancelled",
        costMicros: 0,
        attempts: 0,
      });
      for (const [path, body] of [
        ["/responses", { input: "late too" }],
        ["/messages", { max_tokens: 100, messages: [{ role: "user", content: "late too" }] }],
      ] as const) {
        const other = await door.post(path, { model: names.chat, stream, ...body });
        expect([other.status, other.headers.get("retry-after")]).toEqual([429, "5"]);
        expect(JSON.stringify(await other.json())).toContain("rate_limit");
      }
      studio.openai.open(`taken ${stream}`);
      await studio.ended(held.id);
      const again = await ask();
      expect(again.status).toBe(200);
      expect(await again.text()).toContain(stream ? "[DONE]" : '"finish_reason":"stop"');
    });

  it.each([
    { wait: 50, repeats: "true" },
    { wait: 3_000, repeats: "false" },
  ])(
    "a call whose provider requires a longer wait learns how long ($wait s), and clients repeat it only after that",
    async ({ wait, repeats }) => {
      const { studio, names } = door;
      const before = studio.openai.posts.length;
      const headers = { "retry-after": String(wait) };
      studio.openai.script({ fault: { kind: "status", status: 429, headers } });
      const refused = await door.post("/chat/completions", {
        model: names.chat,
        messages: [{ role: "user", content: `busy ${wait}` }],
      });
      const again = Number(refused.headers.get("retry-after"));
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([429, repeats]);
      expect([again > wait / 2, again <= wait * 1.1]).toEqual([true, true]);
      expect(studio.openai.posts).toHaveLength(before + 1);
      await studio.forgetFailures();
    },
  );

  it("no client is advised to retry a withdrawn run whose earlier attempt may have been accepted, and the run keeps its key", async () => {
    const { studio } = door;
    const { openai, ollama } = studio.models;
    const body = { name: "house-chat", task: "chat" as const, models: [openai, ollama] };
    expect(await studio.person.call("createAlias", { body })).toMatchObject({ status: 200 });
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, ollama.connectionId, { places: { text: 1, media: 1 } }),
    );
    studio.ollama.meet({ text: "one two", gate: { name: "in front", at: 1 } });
    const { run: held } = await studio.ask("in front", "ollama");
    await studio.ollama.reached("in front");
    // Broken before the first word: the next model is asked, and the first one's charge is booked.
    studio.openai.script({ fault: { kind: "reset", at: "request" } });
    const ask = () =>
      door.post(
        "/chat/completions",
        { model: "house-chat", messages: [{ role: "user", content: "twice?" }] },
        { "idempotency-key": "twice" },
      );
    const refused = await ask();
    expect([
      refused.status,
      refused.headers.get("x-should-retry"),
      refused.headers.get("retry-after"),
    ]).toEqual([424, "false", null]);
    const { error } = (await refused.json()) as { error: { message: string; run_id: string } };
    expect(error.message).toMatch(/may have been accepted/);
    expect(await studio.attempts(error.run_id)).toMatchObject([{ number: 1, state: "lost" }]);
    const posts = studio.openai.posts.length;
    const again = await ask();
    expect([again.ok, again.headers.get("x-should-retry")]).toEqual([false, "false"]);
    expect(studio.openai.posts).toHaveLength(posts);
    studio.ollama.open("in front");
    await studio.ended(held.id);
  });

  it("a program's call to a paused service gets 503 at once, with the retry time", async () => {
    const { studio, names, key } = door;
    const { connectionId } = studio.models.openai;
    await studio.leaveAlone(connectionId);
    const runs = async () =>
      (
        await key.call<{ runs: unknown[] }>("listRuns", {
          query: { projectId: studio.person.projectId },
        })
      ).body.runs.length;
    const [before, posts] = [await runs(), studio.openai.posts.length];
    const messages = [{ role: "user", content: "anybody" }];
    for (const refused of [
      await door.post("/chat/completions", { model: names.chat, messages }),
      await door.post("/chat/completions", { model: names.chat, messages, stream: true }),
      await door.post("/responses", { model: names.chat, input: "anybody" }),
      await door.post("/images/generations", { model: names.image, prompt: "anything" }),
    ]) {
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([503, "true"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect([await runs(), studio.openai.posts.length]).toEqual([before, posts]);
    await studio.forgetFailures();
  });

  it("a call that has its place waits for its answer as long as that takes", async () => {
    const { studio, names } = door;
    studio.openai.script({ gate: { name: "slow", at: "head" } });
    const answer = door.post("/images/generations", { model: names.image, prompt: "slow" });
    await studio.openai.reached("slow");
    // A call behind it has waited for a place as long as any call may.
    const behind = await door.post("/images/generations", { model: names.image, prompt: "behind" });
    expect(behind.status).toBe(429);
    studio.openai.open("slow");
    expect((await answer).status).toBe(200);
  });
});
