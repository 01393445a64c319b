import { expect, it, onTestFinished } from "vitest";
import { recordFailure, recordSuccess } from "#engine/connections/circuit.ts";
import { type InHand, takeInHand } from "#engine/in-hand.ts";
import { ProviderError } from "#providers/adapter.ts";
import type { Reader } from "#store/database/store.ts";
import { listCircuits } from "#store/models/circuits.ts";
import { createTestDatabase, forEachDatabase } from "../../../support/databases/databases.ts";
import { createInstance, until } from "../../../support/server/instance.ts";
import { createStudio, testAdapters } from "../../../support/studio/studio.ts";

/** The same database, counting its queries. */
function counting(db: Reader) {
  const counted = { statements: 0 };
  const reader = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      counted.statements++;
      return result;
    },
  });
  return { reader, counted };
}

/** In the provider's own shape. */
const overloaded = () => new ProviderError("provider_overloaded", "no", { ownShape: true });

const answeredWith = (status: number, hand: InHand): InHand => ({
  ...hand,
  wire: { ...hand.wire, status },
});

forEachDatabase((_, create) => {
  it("answers of a healthy service check once whether anything failed, and again after a failure", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { engineDeps } = studio.instance;
    const { run } = await studio.ask("hello");
    await studio.ended(run.id);
    const { reader, counted } = counting(engineDeps.store.read);
    const deps = { ...engineDeps, store: { ...engineDeps.store, read: reader } };
    const hand = await takeInHand(engineDeps, await studio.runOf(run.id), false);
    engineDeps.quiet.forget(run.connectionId);
    for (let answers = 0; answers < 20; answers++) await recordSuccess(deps, hand);
    expect(counted.statements).toBe(1);
    await recordFailure(engineDeps, answeredWith(503, hand), overloaded());
    expect(await listCircuits(engineDeps.store.db, run.connectionId)).toMatchObject([
      { failures: 1 },
    ]);
    await recordSuccess(deps, hand);
    expect(await listCircuits(engineDeps.store.db, run.connectionId)).toEqual([]);
  });
});

it("an answer at one server resets the failures that another counts", async () => {
  const database = await createTestDatabase("postgres");
  const here = await createStudio(database, { endsWithTest: true });
  const { engineDeps } = here.instance;
  const there = await createInstance(database, {
    adapters: testAdapters,
    secrets: engineDeps.secrets,
  });
  onTestFinished(() => there.close());
  const { run } = await here.ask("hello");
  await here.ended(run.id);
  const owned = await here.runOf(run.id);
  const hand = await takeInHand(engineDeps, owned, false);
  await recordSuccess(engineDeps, hand);
  const failing = answeredWith(503, await takeInHand(there.engineDeps, owned, false));
  for (let failures = 0; failures < 4; failures++)
    await recordFailure(there.engineDeps, failing, overloaded());
  await until("the answer ends the row", async () => {
    await recordSuccess(engineDeps, hand);
    return (await listCircuits(engineDeps.store.db, run.connectionId)).length === 0;
  });
});
