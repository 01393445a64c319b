import { afterAll, beforeAll, expect, it } from "vitest";
import type { Message, Run } from "#contract/entities.ts";
import { forEachDatabase } from "../../support/databases.ts";
import { createStudio, type Studio, textOfMessage } from "../../support/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
  });
  afterAll(() => studio.close());

  const unknown = async (prompt: string) => {
    const run = await studio.make(`${prompt} [sim:lost-reply]`);
    expect(await studio.ended(run.id)).toMatchObject({ state: "unknown" });
    return run;
  };

  it("an unconfirmed run stays unconfirmed and unsent until a person says what became of it", async () => {
    const run = await unknown("never heard of");
    await studio.instance.engine.ownership()?.tick();
    // Another run of the same connection takes the whole road meanwhile.
    await studio.ended((await studio.make("something else")).id);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "unknown", attempts: 1 });
    expect(studio.fal.ledger.postsOf("never heard of [sim:lost-reply]")).toBe(1);

    const resolved = await studio.person.call("resolveRun", { params: { runId: run.id }, body: { outcome: "not-made" } });
    expect(resolved).toMatchObject({ status: 200, body: { run: { state: "failed", costMicros: 0 } } });
    expect((await studio.person.call("resolveRun", { params: { runId: run.id }, body: { outcome: "not-made" } })).status).toBe(409);
  });

  it("a run that a person found made elsewhere costs what it held, for nobody can say more", async () => {
    const run = await unknown("made elsewhere");
    await studio.person.call("resolveRun", { params: { runId: run.id }, body: { outcome: "made-elsewhere" } });
    expect(await studio.runOf(run.id)).toMatchObject({ state: "failed", costMicros: run.heldMicros, costBasis: "held" });
    expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: run.heldMicros }]);
  });

  it("making an unconfirmed run again is a new run that points at the old one, which stays unconfirmed", async () => {
    const run = await unknown("again please");
    const again = await studio.person.call<{ run: Run }>("tryAgain", { params: { runId: run.id }, body: { seed: "same" } });
    expect(again.status).toBe(200);
    const made = again.body.run;
    expect(made).toMatchObject({ retryOf: run.id, input: run.input });
    expect(made.id).not.toBe(run.id);
    await studio.ended(made.id);
    expect((await studio.runOf(run.id)).state).toBe("unknown");
  });

  it("an interrupted answer is continued in a message of its own that begins with what there was", async () => {
    studio.openai.script({ text: "one two three four", fault: { kind: "reset", at: 2 } });
    const { run, answer, message } = await studio.ask("count");
    await studio.ended(run.id);
    studio.openai.script({ text: [" three", " four"] });
    const continued = await studio.person.call<{ run: Run; answer: Message }>("answerAgain", {
      params: { messageId: message.id },
      body: { model: studio.models.openai, continueFrom: answer.id },
    });
    expect(continued.status).toBe(200);
    const { run: next, answer: whole } = continued.body;
    expect(await studio.ended(next.id)).toMatchObject({ state: "succeeded" });
    expect(textOfMessage(await studio.messageOf(whole.id))).toBe("one two three four");
    expect(await studio.messageOf(answer.id)).toMatchObject({ state: "interrupted" });
    const sent = studio.openai.posts.at(-1)!.body as { messages: { role: string; content: string }[] };
    expect(sent.messages.some((turn) => turn.role === "assistant" && turn.content === "one two")).toBe(true);
  });

  it("another answer is a branch beside the first, and nothing of the first is overwritten", async () => {
    studio.openai.script({ text: "first answer" });
    const { run, answer, message } = await studio.ask("answer twice");
    await studio.ended(run.id);
    studio.openai.script({ text: "second answer" });
    const second = await studio.person.call<{ run: Run; answer: Message }>("answerAgain", {
      params: { messageId: message.id },
      body: { model: studio.models.openai },
    });
    const { run: next, answer: other } = second.body;
    await studio.ended(next.id);
    expect(other.parentId).toBe(message.id);
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe("first answer");
    expect(textOfMessage(await studio.messageOf(other.id))).toBe("second answer");
  });
});
