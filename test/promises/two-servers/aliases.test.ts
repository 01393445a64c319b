import { expect, it, onTestFinished } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { Run } from "#contract/entities.ts";
import { expectRightBooks } from "../../support/databases/right-books.ts";
import { openStore } from "../../support/databases/test-store.ts";
import { until } from "../../support/server/instance.ts";
import { connectKind, makeOnServer, runEnds } from "../../support/server/server-client.ts";
import { startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";

/** The simulated Flux's default size. */
const fluxMicros = 25_000;

/**
 * Two servers with an alias whose first model refuses; the server that receives the refusal is
 * killed at a failpoint.
 */
async function killedAt(failpoints: string) {
  const two = await startTwoServers({ failpoints });
  onTestFinished(() => two.stop());
  const { here, openai, fal } = two;
  const images = JSON.stringify([{ id: "sim-image", task: "image" }]);
  const connectionId = await connectKind(here, "openai-compatible", {
    api: openai.url,
    key: openai.key,
    models: images,
  });
  const models = [{ connectionId, modelId: "sim-image" }, two.flux];
  expect(
    await here.call("createAlias", { body: { name: "house-image", task: "image", models } }),
  ).toMatchObject({ status: 200 });
  const prices = [{ unit: "image", micros: "70000" }];
  expect(
    (
      await here.call("setModelPrice", {
        params: { connectionId },
        body: { modelId: "sim-image", prices },
      })
    ).status,
  ).toBe(200);
  const budget = {
    scope: "instance",
    scopeIds: [null],
    period: "total",
    timeZone: "UTC",
    onLimit: "block",
    limitMicros: 10_000_000,
  };
  expect((await here.call("setBudgets", { body: budget })).status).toBe(200);
  // Nobody tries the next model before the server that received the refusal is gone.
  const atOnceOfFal = (most: number) =>
    two.query("update connection set text_places = $1, media_places = $1 where id = $2", [
      most,
      two.flux.connectionId,
    ]);
  await atOnceOfFal(0);

  openai.script({ fault: { kind: "status", status: 429 } });
  const before = { first: openai.posts.length, second: fal.ledger.posts.length };
  const run = await makeOnServer(
    here,
    { connectionId: aliasConnectionId, modelId: "house-image" },
    { prompt: "a quay" },
  );
  const living = await Promise.race([
    two.first.ended.then(() => two.there),
    two.second.ended.then(() => two.here),
  ]);
  await atOnceOfFal(8);
  const { posts } = fal.ledger;
  const posted = () => ({
    first: openai.posts.length - before.first,
    second: posts.length - before.second,
    billed: fal.ledger.billed.length,
  });
  return { two, living, runId: run.id, posted };
}

async function expectBooksAreRight({ databaseUrl }: TwoServers): Promise<void> {
  const store = openStore(
    { databaseUrl, dataFolder: "", env: { BOTTEGA_DATA: "" } },
    { monotonic: () => performance.now() },
  );
  try {
    await expectRightBooks(store.db);
  } finally {
    await store.close();
  }
}

it("killed between a refusal and the next model's try, the other server asks that model, once, and the first never again", async () => {
  const { two, living, runId, posted } = await killedAt("alias.passed=kill");
  const { run } = await runEnds(living, runId);
  expect(run).toMatchObject({
    state: "succeeded",
    alias: "house-image",
    ...two.flux,
    costMicros: fluxMicros,
    heldMicros: 0,
  });
  expect(posted()).toEqual({ first: 1, second: 1, billed: 1 });
  const { passedOver } = (
    await living.call<{ passedOver: { modelId: string }[] }>("getRun", { params: { runId } })
  ).body;
  expect(passedOver).toMatchObject([{ modelId: "sim-image" }]);
  await expectBooksAreRight(two);
});

it("killed before the refusal was written, the run that the other server takes over is unconfirmed and goes to no other model", async () => {
  const { two, living, runId, posted } = await killedAt("alias.commit=kill");
  const shown = async () =>
    (await living.call<{ run: Run }>("getRun", { params: { runId } })).body.run;
  const run = await until(
    "it is taken over",
    async () => ((await shown()).state === "unconfirmed" ? shown() : undefined),
    30_000,
  );
  expect(run).toMatchObject({ alias: "house-image", modelId: "sim-image" });
  expect(posted()).toEqual({ first: 1, second: 0, billed: 0 });
  await expectBooksAreRight(two);
});
