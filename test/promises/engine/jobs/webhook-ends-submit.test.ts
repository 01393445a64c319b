import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createWebhookStudio, type WebhookStudio } from "../../../support/studio/webhook-studio.ts";

onSqlite((create) => {
  let studio: WebhookStudio;
  beforeAll(async () => {
    studio = await createWebhookStudio(await create());
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  /** One POST, one result, one charge. */
  const expectOnce = async (runId: string, prompt: string) => {
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    expect(await studio.attempts(runId)).toMatchObject([
      { providerRequestId: studio.fal.requestIdOf(prompt), state: "ended" },
    ]);
    expect(await studio.spentOf(runId)).toMatchObject([{ kind: "spend", micros: 25_000 }]);
    expect(await studio.assetsOf(runId)).toHaveLength(1);
  };

  it("a signed webhook ends a hanging submit: the result is downloaded, and the next run gets its place", async () => {
    const { connectionId } = studio.models.fal;
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 1, media: 1 } }),
    );
    const prompt = "never answered [sim:hold-reply][sim:webhook-hold]";
    const run = await studio.make(prompt);
    await until("the provider has the job", async () => studio.fal.ledger.postsOf(prompt) === 1);
    const next = await studio.make("next in line");
    expect(await studio.runOf(run.id)).toMatchObject({ state: "submitting" });
    expect(await studio.runOf(next.id)).toMatchObject({ state: "queued" });
    await studio.fal.deliver(prompt);
    await studio.inState(run.id, "succeeded");
    await studio.inState(next.id, "succeeded");
    await expectOnce(run.id, prompt);
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 8, media: 8 } }),
    );
    // The late answer changes nothing.
    const before = await studio.runOf(run.id);
    studio.fal.answer(prompt);
    await studio.ended((await studio.make("after the answer")).id);
    expect(await studio.runOf(run.id)).toEqual(before);
  });

  it("a signed webhook before the submit's refusal outweighs the refusal", async () => {
    const prompt = "told, then refused [sim:webhook-early][sim:429-taken]";
    const run = await studio.make(prompt);
    await studio.inState(run.id, "succeeded");
    await expectOnce(run.id, prompt);
  });

  it("a signed webhook of a refused attempt before the next one ends the wait, and nothing is sent again", async () => {
    const prompt = "refused, then told [sim:webhook-hold][sim:429-taken]";
    const run = await studio.make(prompt);
    await until("it waits for its next try", async () => {
      const { state, attempts } = await studio.runOf(run.id);
      return state === "queued" && attempts === 1;
    });
    expect((await studio.fal.deliver(prompt)).map(({ status }) => status)).toEqual([200]);
    await studio.inState(run.id, "succeeded");
    await expectOnce(run.id, prompt);
    expect((await studio.events(run.id)).filter(({ type }) => type === "run-found")).toHaveLength(
      1,
    );
  });
});
