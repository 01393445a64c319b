import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef } from "#contract/entities.ts";
import { doChores } from "#engine/recover/chores.ts";
import { isRefused } from "#store/runs/attempts.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { until } from "../../../support/server/instance.ts";
import { createWebhookStudio, type WebhookStudio } from "../../../support/studio/webhook-studio.ts";

/** The simulated Flux's default size: 1,024 by 768, at $0.025 a megapixel. */
const fluxMicros = 25_000;

onSqlite((create) => {
  let studio: WebhookStudio;
  const house: ModelRef = { connectionId: aliasConnectionId, modelId: "house-image" };
  beforeAll(async () => {
    studio = await createWebhookStudio(await create());
    const { fal, openaiImage } = studio.models;
    const body = { name: house.modelId, task: "image" as const, models: [fal, openaiImage] };
    expect(await studio.person.call("createAlias", { body })).toMatchObject({ status: 200 });
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  /** fal refuses explicitly but accepts the job; the run is passed to the next model. */
  async function refusedAndTaken(prompt: string) {
    studio.fal.script(prompt, "429-taken-own", 1);
    studio.fal.script(prompt, "webhook-hold", 1);
    return studio.make(prompt, { model: house });
  }
  const sentTo = ({ connectionId, modelId }: ModelRef) => ({
    connection_id: connectionId,
    model_id: modelId,
  });
  const deliver = async (prompt: string) =>
    (await studio.fal.deliver(prompt)).map(({ status }) => status);

  it("a late webhook from an alias's previous model is accepted: its result is saved and booked as that model's, once", async () => {
    const prompt = "refused by the first, made by both";
    const run = await refusedAndTaken(prompt);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      ...studio.models.openaiImage,
    });
    const before = (await studio.assetsOf(run.id)).length;
    expect(await deliver(prompt)).toEqual([200]);
    await until(
      "both are saved",
      async () => (await studio.assetsOf(run.id)).length === before + 1,
    );
    await studio.instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
    expect(await deliver(prompt)).toEqual([200]);
    expect((await studio.spentOf(run.id)).filter(({ kind }) => kind === "adjust")).toMatchObject([
      { micros: fluxMicros, ...sentTo(studio.models.fal) },
    ]);
    expect((await studio.runOf(run.id)).warnings.at(-1)).toMatchObject({
      type: "late",
      message: expect.stringMatching(/^Another model made this as well\./),
    });
    expect(await studio.assetsOf(run.id)).toHaveLength(before + 1);
    await expectRightBooks(studio.instance.store.db);
  });

  it("while the next model works, the previous one's webhook is stored, and processed after the run ends", async () => {
    const prompt = "refused by the first, told before the second is done";
    studio.openai.script({ gate: { name: "second", at: "head" } });
    const run = await refusedAndTaken(prompt);
    await studio.openai.reached("second");
    const { engineDeps, store } = studio.instance;
    expect(await deliver(prompt)).toEqual([200]);
    // Its job was accepted after all, so the attempt no longer counts as refused.
    expect((await studio.attempts(run.id)).filter(isRefused)).toEqual([]);
    await doChores(engineDeps);
    expect(await studio.assetsOf(run.id)).toEqual([]);
    studio.openai.open("second");
    await studio.ended(run.id);
    const before = (await studio.assetsOf(run.id)).length;
    const adjusted = async () =>
      (await studio.spentOf(run.id)).filter(({ kind }) => kind === "adjust");
    for (let round = 0; round < 2; round++) {
      await doChores(engineDeps);
      expect(await deliver(prompt)).toEqual([200]);
      expect(await studio.assetsOf(run.id)).toHaveLength(before + 1);
      expect(await adjusted()).toMatchObject([
        { micros: fluxMicros, ...sentTo(studio.models.fal) },
      ]);
    }
    expect(await studio.outcomes()).toContain("late result");
    expect(await studio.outcomes()).not.toContain("waits");
    await expectRightBooks(store.db);
  });

  it("the next attempt's token isn't accepted at the previous connection", async () => {
    const prompt = "refused by the first, told elsewhere";
    const run = await refusedAndTaken(prompt);
    await studio.ended(run.id);
    const last = (await studio.attempts(run.id)).at(-1)!;
    const url = `${studio.address()}/api/webhooks/${studio.models.fal.connectionId}/${run.id}?token=${last.clientToken}`;
    expect((await studio.fal.deliver(prompt, { url })).map(({ status }) => status)).toEqual([404]);
  });
});
