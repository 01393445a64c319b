import { expect, it } from "vitest";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  it("a price change during a run doesn't change the run's cost", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const dear = JSON.stringify([{ unit: "image", micros: "999000000", source: "test", at: 0 }]);
    const admitted = await studio.make("priced before");
    await studio.instance.store.db
      .updateTable("model")
      .set({ price: dear })
      .where("model_id", "=", "sim/flux/dev")
      .execute();
    const before = await studio.ended(admitted.id);
    const after = await studio.ended((await studio.make("priced after")).id);
    expect(before.costMicros).not.toBeNull();
    expect(after.costMicros).toBeGreaterThan(before.costMicros! * 100);
  });

  it("a whole answer without counts is booked by its words, or as reserved if the model's reasoning is hidden", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { connectionId } = studio.models.openai;
    const prices = [
      { unit: "input token", micros: "1" },
      { unit: "output token", micros: "10" },
    ];
    const body = { modelId: "sim-chat", prices };
    expect(
      await studio.person.call("setModelPrice", { params: { connectionId }, body }),
    ).toMatchObject({ status: 200 });
    const chunk = (choice: object) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
    const whole = `${chunk({ delta: { content: "Yes." } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;
    const ask = async () => {
      studio.openai.script({ fault: { kind: "raw", body: whole } });
      const { run } = await studio.ask("Is it?");
      return { held: run.heldMicros, ended: await studio.ended(run.id) };
    };
    const wrong = { modelId: "sim-chat", prices: [{ unit: "furlong", micros: "1" }] };
    expect(
      await studio.person.call("setModelPrice", { params: { connectionId }, body: wrong }),
    ).toMatchObject({ status: 422, body: { field: "prices.0.unit" } });
    const { ended } = await ask();
    expect(ended).toMatchObject({
      state: "succeeded",
      costBasis: "estimated",
      usage: { outputTokens: 1, units: { estimated: "yes" } },
    });
    expect(ended.costMicros).toBeLessThan(1_000);

    const capabilities = JSON.stringify({ reasoning: true });
    await studio.instance.store.db
      .updateTable("model")
      .set({ capabilities })
      .where("model_id", "=", "sim-chat")
      .execute();
    const unseen = await ask();
    expect(unseen.ended).toMatchObject({
      state: "succeeded",
      costBasis: "held",
      costMicros: unseen.held,
    });
  });
});
