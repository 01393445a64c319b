import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Message, Run } from "#contract/entities.ts";
import { doChores } from "#engine/recover/chores.ts";
import { updateAttempt } from "#store/runs/attempts.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  const attach = (runId: string, requestId: string, more = {}) =>
    studio.person.call("attachJob", { params: { runId }, body: { requestId, ...more } });
  const sumOf = (entries: { kind: string; micros: number }[], ...kinds: string[]) =>
    entries.reduce((sum, { kind, micros }) => sum + (kinds.includes(kind) ? Number(micros) : 0), 0);
  const unknown = async (prompt: string) => {
    const run = await studio.make(`${prompt} [sim:lost-reply]`);
    expect(await studio.ended(run.id)).toMatchObject({ state: "unconfirmed" });
    return run;
  };

  it("an unconfirmed run stays unconfirmed and unsent until a person decides", async () => {
    const run = await unknown("never heard of");
    await studio.instance.engine.ownership()?.tick();
    // Another run of the same connection is completed meanwhile.
    await studio.ended((await studio.make("something else")).id);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "unconfirmed", attempts: 1 });
    expect(studio.fal.ledger.postsOf("never heard of [sim:lost-reply]")).toBe(1);

    const resolved = await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    expect(resolved).toMatchObject({
      status: 200,
      body: { run: { state: "failed", costMicros: 0 } },
    });
    expect(
      (
        await studio.person.call("resolveRun", {
          params: { runId: run.id },
          body: { outcome: "not-made" },
        })
      ).status,
    ).toBe(409);
  });

  it("the money of an unconfirmed run is reserved until a person says that it wasn't made", async () => {
    const run = await unknown("held back");
    expect(await studio.runOf(run.id)).toMatchObject({ heldMicros: 25_000 });
    expect((await studio.ledgerOf(run.id)).map(({ kind }) => kind)).toEqual(["hold"]);
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    expect(sumOf(await studio.ledgerOf(run.id), "hold", "release")).toBe(0);
    expect(await studio.runOf(run.id)).toMatchObject({ heldMicros: 0, costMicros: 0 });
  });

  it("a cost that a person states is booked once as spent, and implausible amounts are refused", async () => {
    const run = await unknown("charged elsewhere");
    const say = (costMicros: unknown) =>
      studio.person.call("resolveRun", {
        params: { runId: run.id },
        body: { outcome: "made-elsewhere", costMicros },
      });
    for (const wrong of [-1, 0.5, 1e15, "40000"]) expect((await say(wrong)).status).toBe(422);
    expect(await say(20_000)).toMatchObject({
      status: 200,
      body: { run: { state: "failed", costMicros: 20_000 } },
    });
    expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: 20_000 }]);
    expect(sumOf(await studio.ledgerOf(run.id), "hold", "release")).toBe(0);
    expect((await say(20_000)).status).toBe(409);
  });

  it("a lost run is found by the provider's own ID, after asking the provider, and completes with one POST", async () => {
    const prompt = "found by a person [sim:lost-reply]";
    const run = await unknown("found by a person");
    await until("it is done", async () =>
      studio.fal.ledger.billed.some(
        ({ requestId }) => requestId === studio.fal.requestIdOf(prompt),
      ),
    );
    const answer = await attach(run.id, ` ${studio.fal.requestIdOf(prompt)} `);
    expect(answer).toMatchObject({
      status: 200,
      body: { found: true, run: { state: "submitted", error: null } },
    });
    expect(await studio.inState(run.id, "succeeded")).toMatchObject({ costMicros: 25_000 });
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    expect(await studio.spentOf(run.id)).toHaveLength(1);
  });

  it("an unknown ID, an invalid one, or another run's ID changes nothing", async () => {
    const run = await unknown("named wrongly");
    const other = await studio.make("someone else's picture");
    await studio.ended(other.id);
    const before = [
      await studio.runOf(run.id),
      await studio.attempts(run.id),
      await studio.events(run.id),
    ];
    for (const id of [
      "00000000-0000-4000-8000-000000000000",
      "../../other/requests/x",
      "https://elsewhere.example/x",
      "ab cd",
    ])
      expect(await attach(run.id, id)).toMatchObject({
        status: 200,
        body: { found: false, run: { state: "unconfirmed" } },
      });
    const taken = await attach(run.id, studio.fal.requestIdOf("someone else's picture"), {
      evenIfDifferent: true,
    });
    expect(taken).toMatchObject({
      status: 409,
      body: { field: "requestId", detail: `This ID already belongs to the run ${other.id}.` },
    });
    expect((await attach(run.id, " ")).status).toBe(422);
    expect([
      await studio.runOf(run.id),
      await studio.attempts(run.id),
      await studio.events(run.id),
    ]).toEqual(before);
  });

  it("a job made from another prompt is refused with both prompts, until it is confirmed", async () => {
    const run = await unknown("a fox");
    const hare = await unknown("a hare");
    const id = studio.fal.requestIdOf("a hare [sim:lost-reply]");
    const done = () => studio.fal.ledger.billed.some(({ requestId }) => requestId === id);
    await until("the other job is done", async () => done());
    const detail = `This job’s prompt is “a hare [sim:lost-reply]”, and this run’s is “a fox [sim:lost-reply]”. The run ${hare.id} has that prompt. Send the ID again to download it anyway.`;
    expect(await attach(run.id, id)).toMatchObject({
      status: 409,
      body: { field: "evenIfDifferent", detail },
    });
    expect(await studio.runOf(run.id)).toMatchObject({ state: "unconfirmed" });
    expect(await attach(run.id, id, { evenIfDifferent: true })).toMatchObject({
      status: 200,
      body: { found: true },
    });
    await studio.inState(run.id, "succeeded");
  });

  it("a job that can't be compared yet is refused while another run may have made it, until it is confirmed", async () => {
    const own = "still under way [sim:cut-reply][sim:hold]";
    const run = await studio.make(own);
    await studio.inState(run.id, "unconfirmed");
    const other = await unknown("a run whose job nobody knows");
    const id = studio.fal.requestIdOf(own);
    const refused = await attach(run.id, id);
    expect(refused).toMatchObject({ status: 409, body: { field: "evenIfDifferent" } });
    expect(refused.body.detail).toContain("can’t be compared with this run yet");
    expect(await studio.runOf(run.id)).toMatchObject({ state: "unconfirmed" });
    // The only remaining run that may have made it.
    for (const open of await studio.instance.store.db
      .selectFrom("run")
      .select("id")
      .where("state", "=", "unconfirmed")
      .execute())
      if (open.id !== run.id)
        await studio.person.call("resolveRun", {
          params: { runId: open.id },
          body: { outcome: "not-made" },
        });
    expect((await studio.runOf(other.id)).state).toBe("failed");
    expect(await attach(run.id, id)).toMatchObject({ status: 200, body: { found: true } });
    studio.fal.release(own);
    await studio.inState(run.id, "succeeded");
  });

  it("a run refused on an assumption gets its result by its provider's ID, in its own state", async () => {
    const prompt = "refused, they said [sim:500]";
    const run = await studio.make(prompt);
    expect(await studio.ended(run.id)).toMatchObject({ state: "failed", costBasis: "assumed" });
    const detail = (await studio.person.call("getRun", { params: { runId: run.id } })).body;
    expect(detail).toMatchObject({ askable: { canAttach: true } });
    const made = await unknown("made all the same");
    const id = studio.fal.requestIdOf("made all the same [sim:lost-reply]");
    await until("it is done", async () =>
      studio.fal.ledger.billed.some(({ requestId }) => requestId === id),
    );
    expect(await attach(run.id, id)).toMatchObject({
      status: 409,
      body: { field: "evenIfDifferent" },
    });
    const answer = await attach(run.id, id, { evenIfDifferent: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { found: true, run: { state: "failed", costMicros: 25_000, costBasis: "known" } },
    });
    await until("its picture is here", async () => (await studio.assetsOf(run.id)).length === 1);
    // Its result has arrived, so nothing is left to ask.
    expect((await studio.person.call("getRun", { params: { runId: run.id } })).body).toMatchObject({
      askable: { canLook: false, canAttach: false },
    });
    expect((await studio.runOf(made.id)).state).toBe("unconfirmed");
  });

  it("two people who name one job for two runs at once assign it to one of them", async () => {
    const [first, second] = [await unknown("whose job"), await unknown("whose job, too")];
    const id = studio.fal.requestIdOf("whose job [sim:lost-reply]");
    const evenIfDifferent = true;
    const answers = await Promise.all([
      attach(first.id, id, { evenIfDifferent }),
      attach(second.id, id, { evenIfDifferent }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("an unconfirmed run that nobody can look up says so: one without an ID, and a picture made directly", async () => {
    const run = await unknown("no name");
    const detail = async (runId: string) =>
      (await studio.person.call("getRun", { params: { runId } })).body;
    expect(await detail(run.id)).toMatchObject({ askable: { canLook: false, canAttach: true } });
    expect((await studio.person.call("lookAgain", { params: { runId: run.id } })).status).toBe(409);

    studio.openai.script({ fault: { kind: "reset", at: "request" } });
    const made = await studio.make("never answered", { model: studio.models.openaiImage });
    await studio.inState(made.id, "unconfirmed");
    expect(await detail(made.id)).toMatchObject({ askable: { canLook: false, canAttach: false } });
    expect((await studio.person.call("lookAgain", { params: { runId: made.id } })).status).toBe(
      409,
    );
    expect((await attach(made.id, "00000000-0000-4000-8000-000000000000")).status).toBe(409);
    expect((await studio.runOf(made.id)).state).toBe("unconfirmed");
  });

  it("a run with a known job is polled again, by a person or a chore, as soon as its provider answers", async () => {
    for (const how of ["person", "chore"] as const) {
      const prompt = `known by name, ${how} [sim:lost-reply]`;
      const run = await unknown(`known by name, ${how}`);
      const id = studio.fal.requestIdOf(prompt);
      await studio.instance.commit(({ tx }) =>
        updateAttempt(tx, run.id, 1, { provider_request_id: id }),
      );
      studio.fal.script(prompt, "status-500", 1);
      const look = () => studio.person.call("lookAgain", { params: { runId: run.id } });
      if (how === "person") {
        expect(await look()).toMatchObject({ status: 502, body: { code: "provider_overloaded" } });
        expect((await studio.runOf(run.id)).state).toBe("unconfirmed");
        expect(await look()).toMatchObject({ status: 200, body: { found: true } });
      } else {
        await doChores(studio.instance.engineDeps, "nobody");
        expect((await studio.runOf(run.id)).state).toBe("unconfirmed");
        await doChores(studio.instance.engineDeps, "nobody");
        // Without a living worker: the search for dead workers' runs adopts it.
        await studio.instance.engine.ownership()?.tick();
      }
      expect(await studio.inState(run.id, "succeeded")).toMatchObject({ costMicros: 25_000 });
    }
  });

  it("a run that a person found made elsewhere costs its reservation, because nobody knows more", async () => {
    const run = await unknown("made elsewhere");
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "made-elsewhere" },
    });
    expect(await studio.runOf(run.id)).toMatchObject({
      state: "failed",
      costMicros: run.heldMicros,
      costBasis: "held",
    });
    expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: run.heldMicros }]);
  });

  it("retrying an unconfirmed run makes a new run that refers to the old one, which stays unconfirmed", async () => {
    const run = await unknown("again please");
    const again = await studio.person.call<{ run: Run }>("tryAgain", {
      params: { runId: run.id },
      body: { seed: "same" },
    });
    expect(again.status).toBe(200);
    const made = again.body.run;
    expect(made).toMatchObject({ retryOf: run.id, input: run.input });
    expect(made.id).not.toBe(run.id);
    await studio.ended(made.id);
    expect((await studio.runOf(run.id)).state).toBe("unconfirmed");
  });

  it("an interrupted answer is continued in its own message, which begins with the existing text", async () => {
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
    const sent = studio.openai.posts.at(-1)!.body as {
      messages: { role: string; content: string }[];
    };
    expect(
      sent.messages.some((turn) => turn.role === "assistant" && turn.content === "one two"),
    ).toBe(true);
  });

  it("another answer is a branch next to the first, and overwrites nothing", async () => {
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
