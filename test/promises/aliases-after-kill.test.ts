import { expect, it, onTestFinished } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import { startFal } from "../simulators/fal.ts";
import { startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { forEachDatabase } from "../support/databases.ts";
import { connectKind, makeOnServer, runEnds, setUpServer } from "../support/server-client.ts";
import { startServer } from "../support/server-process.ts";

forEachDatabase((_, create) => {
  /** A server whose alias has a model that refuses first and one that makes second, killed at a failpoint and started again. */
  async function killedAt(failpoint: string) {
    const [openai, fal, database] = await Promise.all([startOpenAiCompatible(), startFal({ pace: { by: "time", stepMs: 10 } }), create()]);
    onTestFinished(async () => void (await Promise.all([openai.stop(), fal.stop()])));
    const start = (env: Record<string, string> = {}) => startServer({ dataFolder: database.dataFolder, env: { ...database.env, ...env } });
    let server = await start({ BOTTEGA_FAILPOINTS: failpoint });
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const models = JSON.stringify([{ id: "sim-image", task: "image" }]);
    const openaiId = await connectKind(client, "openai-compatible", { api: openai.url, key: openai.key, models });
    const falId = await connectKind(client, "fal", fal.values);
    const behind = [
      { connectionId: openaiId, modelId: "sim-image" },
      { connectionId: falId, modelId: "sim/flux/dev" },
    ];
    await client.call("createAlias", { body: { name: "house-image", task: "image", models: behind } });
    openai.script({ fault: { kind: "status", status: 429 } });
    const before = openai.posts.length;
    const run = await makeOnServer(client, { connectionId: aliasConnectionId, modelId: "house-image" }, { prompt: "a quay" });
    await server.ended;
    server = await start();
    client = client.at(server.url);
    const { run: ended } = await runEnds(client, run.id);
    return { ended, posts: { first: openai.posts.length - before, second: fal.ledger.posts.length, billed: fal.ledger.billed.length } };
  }

  it("killed after the run went to the next model, that one is asked once or not at all, and the first never again", async () => {
    const { ended, posts } = await killedAt("alias.passed@quay=kill");
    expect(ended).toMatchObject({ alias: "house-image", modelId: "sim/flux/dev" });
    // The claim may be of the same transaction; whether its attempt left is then not known.
    const made = ended.state === "succeeded" ? 1 : 0;
    expect(ended.state).toBe(made === 1 ? "succeeded" : "unknown");
    expect(posts).toEqual({ first: 1, second: made, billed: made });
  });

  it("killed before the refusal was written down, nobody knows of it: the run is unconfirmed and goes to nobody else", async () => {
    const { ended, posts } = await killedAt("alias.commit=kill");
    expect(ended).toMatchObject({ state: "unknown", modelId: "sim-image" });
    expect(posts).toEqual({ first: 1, second: 0, billed: 0 });
  });
});
