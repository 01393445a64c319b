import { expect, it } from "vitest";
import { forEachDatabase } from "../../support/databases.ts";
import { createStudio } from "../../support/studio.ts";

forEachDatabase((_, create) => {
  it("a price that changes while a run is under way does not change what the run costs", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const dear = JSON.stringify([{ unit: "image", micros: "999000000", source: "test", at: 0 }]);
    const admitted = await studio.make("priced before");
    await studio.instance.store.db.updateTable("model").set({ price: dear }).where("model_id", "=", "sim/flux/dev").execute();
    const before = await studio.ended(admitted.id);
    const after = await studio.ended((await studio.make("priced after")).id);
    expect(before.costMicros).not.toBeNull();
    expect(after.costMicros).toBeGreaterThan(before.costMicros! * 100);
  });
});
