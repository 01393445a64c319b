import { expect, it, onTestFinished } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { expectRightBooks } from "../../support/databases/right-books.ts";
import { openTestStore } from "../../support/databases/test-store.ts";
import {
  askServer,
  connectKind,
  makeOnServer,
  runEnds,
  setUpServer,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";

forEachDatabase((_, create) => {
  /**
   * A server with an alias whose first model refuses and whose second one works, killed at a
   * failpoint and restarted.
   */
  async function killedAt(failpoint: string) {
    const [openai, fal, database] = await Promise.all([
      startOpenAiCompatible(),
      startFal({ pace: { by: "time", stepMs: 10 } }),
      create(),
    ]);
    onTestFinished(async () => void (await Promise.all([openai.stop(), fal.stop()])));
    const start = (env: Record<string, string> = {}) =>
      startServer({ dataFolder: database.dataFolder, env: { ...database.env, ...env } });
    let server = await start({ BOTTEGA_FAILPOINTS: failpoint });
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const models = JSON.stringify([{ id: "sim-image", task: "image" }]);
    const openaiId = await connectKind(client, "openai-compatible", {
      api: openai.url,
      key: openai.key,
      models,
    });
    const falId = await connectKind(client, "fal", fal.values);
    const behind = [
      { connectionId: openaiId, modelId: "sim-image" },
      { connectionId: falId, modelId: "sim/flux/dev" },
    ];
    await client.call("createAlias", {
      body: { name: "house-image", task: "image", models: behind },
    });
    openai.script({ fault: { kind: "status", status: 429 } });
    const before = openai.posts.length;
    const run = await makeOnServer(
      client,
      { connectionId: aliasConnectionId, modelId: "house-image" },
      { prompt: "a quay" },
    );
    await server.ended;
    server = await start();
    client = client.at(server.url);
    const { run: ended } = await runEnds(client, run.id);
    return {
      ended,
      posts: {
        first: openai.posts.length - before,
        second: fal.ledger.posts.length,
        billed: fal.ledger.billed.length,
      },
    };
  }

  /**
   * The same situation for an answer: the first model's gateway fails, and the next one answers.
   */
  async function chatKilledAt(failpoint: string) {
    const [first, next, database] = await Promise.all([
      startOpenAiCompatible(),
      startOpenAiCompatible(),
      create(),
    ]);
    onTestFinished(() => Promise.all([first.stop(), next.stop()]).then(() => undefined));
    const start = (env: Record<string, string> = {}) =>
      startServer({ dataFolder: database.dataFolder, env: { ...database.env, ...env } });
    let server = await start({ BOTTEGA_FAILPOINTS: failpoint });
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const models: ModelRef[] = [];
    for (const [simulator, micros] of [
      [first, "3"],
      [next, "30"],
    ] as const) {
      const connectionId = await connectKind(client, "openai-compatible", {
        api: simulator.url,
        key: simulator.key,
      });
      const prices = [
        { unit: "input token", micros },
        { unit: "output token", micros },
      ];
      const priced = await client.call("setModelPrice", {
        params: { connectionId },
        body: { modelId: "sim-chat", prices },
      });
      expect(priced.status).toBe(200);
      models.push({ connectionId, modelId: "sim-chat" });
    }
    await client.call("createAlias", { body: { name: "house-chat", task: "chat", models } });
    first.script({ fault: { kind: "status", status: 502, body: "<html>Bad gateway</html>" } });
    const { run } = await askServer(
      client,
      { connectionId: aliasConnectionId, modelId: "house-chat" },
      "What is a quay?",
    );
    await server.ended;
    server = await start();
    client = client.at(server.url);
    const { run: ended } = await runEnds(client, run.id);
    await server.kill9();
    const { db } = openTestStore(database);
    await expectRightBooks(db);
    const booked = await db
      .selectFrom("ledger_entry")
      .select(["connection_id", "micros", "settlement"])
      .where("kind", "in", ["spend", "overage"])
      .orderBy("id")
      .execute();
    const spent = booked.map((entry) => ({
      on: entry.connection_id === models[0]!.connectionId ? "first" : "next",
      micros: Number(entry.micros),
      settles: entry.settlement !== null,
    }));
    return { ended, spent, posts: { first: first.posts.length, next: next.posts.length } };
  }

  it("killed between an attempt's booking and the next attempt, an answer keeps the booking and is settled once", async () => {
    const { ended, spent, posts } = await chatKilledAt("alias.passed=kill");
    expect(ended).toMatchObject({ alias: "house-chat", costBasis: "estimated", heldMicros: 0 });
    // The claim may be in the same transaction; the attempt being sent then has failed.
    expect(ended.state).toBe(posts.next === 1 ? "succeeded" : "failed");
    expect(posts.first).toBe(1);
    expect(spent.map(({ on, settles }) => [on, settles])).toEqual([
      ["first", false],
      ["next", true],
    ]);
    expect(spent[0]!.micros).toBeGreaterThan(0);
    expect(ended.costMicros).toBe(spent[0]!.micros + spent[1]!.micros);
  });

  it("killed before an attempt's booking was written, an answer fails at its first model and is booked once", async () => {
    const { ended, spent, posts } = await chatKilledAt("alias.commit=kill");
    expect(ended).toMatchObject({ state: "failed", costBasis: "estimated", heldMicros: 0 });
    expect(spent).toMatchObject([{ on: "first", settles: true, micros: ended.costMicros }]);
    expect(posts).toEqual({ first: 1, next: 0 });
  });

  it("killed after moving to the next model, that model is asked at most once, and the first never again", async () => {
    const { ended, posts } = await killedAt("alias.passed@quay=kill");
    expect(ended).toMatchObject({ alias: "house-image", modelId: "sim/flux/dev" });
    // The claim may be in the same transaction; whether its attempt was sent isn't known then.
    const made = ended.state === "succeeded" ? 1 : 0;
    expect(ended.state).toBe(made === 1 ? "succeeded" : "unconfirmed");
    expect(posts).toEqual({ first: 1, second: made, billed: made });
  });

  it("killed before the refusal was written, the run is unconfirmed and goes to no other model", async () => {
    const { ended, posts } = await killedAt("alias.commit=kill");
    expect(ended).toMatchObject({ state: "unconfirmed", modelId: "sim-image" });
    expect(posts).toEqual({ first: 1, second: 0, billed: 0 });
  });
});
