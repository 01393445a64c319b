import { expect, it } from "vitest";
import type { FailpointName } from "#engine/failpoints.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { onSqlite, type TestDatabase } from "../../../support/databases/databases.ts";
import { createStudio, textOfMessage } from "../../../support/studio/studio.ts";

type Kind = "answer" | "job" | "stream";
/** Each kind's prompt, which its failpoint matches; a chat's text isn't in its run. */
const prompts: Record<Kind, string> = {
  answer: "a picture as an answer",
  job: "a picture of a queue",
  stream: "some words",
};
const marks: Record<Kind, string> = { ...prompts, stream: "chat " };

/**
 * A studio that throws an internal error at this point, the first time that a run of each kind
 * reaches it.
 */
async function createScene(database: TestDatabase, point: FailpointName, kinds: readonly Kind[]) {
  const failpoints = kinds.map((kind) => `${point}@${marks[kind]}#1=throw`).join(";");
  const studio = await createStudio(database, {
    endsWithTest: true,
    instance: { failpoints, outputRetryMs: [10, 10] },
  });
  async function begin(kind: Kind): Promise<string> {
    const idempotencyKey = `key of ${kind}`;
    if (kind === "stream")
      return (await studio.ask(prompts.stream, "openai", { idempotencyKey, conversationId })).run
        .id;
    const model = kind === "answer" ? studio.models.openaiImage : studio.models.fal;
    return (await studio.make(prompts[kind], { idempotencyKey, model })).id;
  }
  const conversationId = await studio.startConversation();
  const postsOf = (kind: Kind): number =>
    kind === "job"
      ? studio.fal.ledger.postsOf(prompts.job)
      : studio.openai.posts.filter((post) =>
          JSON.stringify(post.body).includes(`"${prompts[kind]}"`),
        ).length;
  /** Runs each kind from its request to its end. */
  const forEach = (what: (kind: Kind, run: OwnedRun) => Promise<void>) =>
    Promise.all(kinds.map(async (kind) => what(kind, await studio.ended(await begin(kind)))));
  const settlementsOf = async (runId: string) =>
    (await studio.ledgerOf(runId)).filter((entry) => entry.settlement !== null).length;
  return { studio, begin, postsOf, forEach, settlementsOf };
}

const all: readonly Kind[] = ["answer", "job", "stream"];

onSqlite((create) => {
  it("an error during admission leaves nothing, and a repeat makes the run once", async () => {
    const { studio, begin, postsOf, forEach } = await createScene(
      await create(),
      "run.commit",
      all,
    );
    for (const kind of all) await expect(begin(kind)).rejects.toThrow("failpoint run.commit");
    expect(await studio.instance.store.db.selectFrom("run").select("id").execute()).toEqual([]);
    expect(
      await studio.instance.store.db.selectFrom("ledger_entry").select("id").execute(),
    ).toEqual([]);
    await forEach(async (kind, run) => {
      expect(run).toMatchObject({ state: "succeeded" });
      expect(postsOf(kind)).toBe(1);
    });
  });

  it("an error at a claim: the run is claimed again, and sent once", async () => {
    const { studio, postsOf, forEach } = await createScene(await create(), "claim.commit", all);
    await forEach(async (kind, run) => {
      expect(run).toMatchObject({ state: "succeeded" });
      expect(await studio.attempts(run.id)).toMatchObject([{ number: 1, state: "ended" }]);
      expect(postsOf(kind)).toBe(1);
    });
  });

  it("an error before a run is sent proves that it wasn't, and another attempt follows", async () => {
    const { studio, postsOf, forEach } = await createScene(await create(), "attempt.begin", all);
    await forEach(async (kind, run) => {
      expect(run).toMatchObject({ state: "succeeded" });
      expect(await studio.attempts(run.id)).toMatchObject([
        { number: 1, state: "refused", bytesWritten: 0, sentAt: null },
        { number: 2, state: "ended" },
      ]);
      expect(postsOf(kind)).toBe(1);
    });
  });

  const lost: [point: FailpointName, kinds: readonly Kind[]][] = [
    ["attempt.sent", all],
    ["job.accepted", ["job"]],
    ["answer.part", ["answer", "stream"]],
  ];
  it.each(lost)(
    "an error at %s, after a run was sent: it is unconfirmed with its reservation, a chat fails, and nothing is sent again",
    async (point, kinds) => {
      const { postsOf, forEach, settlementsOf } = await createScene(await create(), point, kinds);
      await forEach(async (kind, run) => {
        expect(postsOf(kind)).toBe(1);
        if (kind === "stream") return expect(run).toMatchObject({ state: "failed", attempts: 1 });
        expect(run).toMatchObject({
          state: "unconfirmed",
          attempts: 1,
          error: { code: "outcome_unknown" },
        });
        if (kind === "job") expect(run.heldMicros).toBeGreaterThan(0);
        expect(await settlementsOf(run.id)).toBe(0);
      });
    },
  );

  const made: [point: FailpointName, kinds: readonly Kind[]][] = [
    ["job.follow", ["job"]],
    ["output.begun", ["answer", "job"]],
    ["output.kept", ["answer", "job"]],
    ["settle.commit", ["answer", "job"]],
  ];
  it.each(made)(
    "an error at %s, after a run was made: it still ends, and is settled once",
    async (point, kinds) => {
      const { studio, postsOf, forEach, settlementsOf } = await createScene(
        await create(),
        point,
        kinds,
      );
      await forEach(async (kind, run) => {
        expect(run).toMatchObject({ state: "succeeded", heldMicros: 0 });
        expect(await studio.assetsOf(run.id)).toHaveLength(1);
        expect(await settlementsOf(run.id)).toBe(
          kind === "job" ? 1 : run.costMicros === null ? 0 : 1,
        );
        expect(postsOf(kind)).toBe(1);
      });
    },
  );

  it("an error at the end of a stream: every word is saved, and it is settled once", async () => {
    const { studio, postsOf, settlementsOf } = await createScene(await create(), "settle.commit", [
      "stream",
    ]);
    studio.openai.script({ text: "one two three" });
    const { run, answer } = await studio.ask(prompts.stream);
    expect((await studio.ended(run.id)).finishedAt).not.toBeNull();
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe("one two three");
    expect(await settlementsOf(run.id)).toBeLessThanOrEqual(1);
    expect(postsOf("stream")).toBe(1);
  });
});
