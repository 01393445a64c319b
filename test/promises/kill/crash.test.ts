import { createHash, randomBytes, randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Asset, Message } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  type Asked,
  askServer,
  connectKind,
  fileOnServer,
  makeOnServer,
  runEnds,
  type SeenEvent,
  type ServerClient,
  setUpServer,
  shownText,
  uploadToServer,
  watchRun,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { textOfMessage } from "../../support/studio/studio.ts";

const kills = 3;
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

forEachDatabase((name, create) => {
  it(`kill -9 at ${kills} random moments of a mixed load leaves every acknowledged run, text and file, and sends nothing twice`, async () => {
    const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31));
    console.log(`crash on ${name}: CRASH_SEED=${seed}`);
    const random = createRandom(seed);
    const between = (from: number, to: number) => Math.floor(from + random() * (to - from));
    const [openai, fal, database] = await Promise.all([
      startOpenAiCompatible({ defaults: { tokens: 50, betweenMs: 15, firstTokenMs: 100 } }),
      startFal({ pace: { by: "time", stepMs: 60 } }),
      create(),
    ]);
    onTestFinished(async () => void (await Promise.all([openai.stop(), fal.stop()])));
    const start = () => startServer({ dataFolder: database.dataFolder, env: database.env });
    let server = await start();
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const models = {
      chat: {
        connectionId: await connectKind(client, "openai-compatible", {
          api: openai.url,
          key: openai.key,
        }),
        modelId: "sim-chat",
      },
      fal: { connectionId: await connectKind(client, "fal", fal.values), modelId: "sim/flux/dev" },
      pattern: { connectionId: await builtinId(client), modelId: "pattern" },
    };

    // The runs that the server has acknowledged, and those shown to anyone.
    const chats: (Asked & { prompt: string; watch: ReturnType<typeof watchRun> })[] = [];
    const pictures: { runId: string; prompt: string }[] = [];
    const uploads: { asset: Asset; hash: string }[] = [];
    let asked = 0;
    const acts: ((to: ServerClient) => Promise<void>)[] = [
      async (to) => {
        const prompt = `question ${asked++}`;
        const said = await askServer(to, models.chat, prompt);
        chats.push({ ...said, prompt, watch: watchRun(to, said.run.id) });
      },
      async (to) => {
        const prompt = `picture ${asked++}`;
        const run = await makeOnServer(to, models.fal, {
          prompt,
          image_size: { width: 64, height: 64 },
          seed: asked,
        });
        pictures.push({ runId: run.id, prompt });
      },
      async (to) => {
        const prompt = `pattern ${asked++}`;
        const run = await makeOnServer(to, models.pattern, {
          prompt,
          seed: asked,
          image_size: { width: 256, height: 256 },
        });
        pictures.push({ runId: run.id, prompt });
      },
      async (to) => {
        const bytes = randomBytes(between(1_000, 300_000));
        const asset = await uploadToServer(to, `file ${asked++}.bin`, new Uint8Array(bytes));
        uploads.push({ asset, hash: hashOf(bytes) });
      },
    ];

    // One of each exists, however little a busy machine acknowledges before it is killed.
    for (const act of acts) await act(client);
    for (let kill = 0; kill < kills; kill++) {
      const to = client;
      const planned = Array.from({ length: 14 }, () => ({
        atMs: between(0, 900),
        act: acts[between(0, acts.length)]!,
      }));
      // A request that dies with the server wasn't acknowledged, so nothing is promised about it.
      const going = planned.map(async ({ atMs, act }) => {
        await wait(atMs);
        await act(to);
      });
      const settled = Promise.allSettled(going);
      await wait(between(150, 1_400));
      await server.kill9();
      const refused = (await settled).flatMap((result) =>
        result.status === "rejected" && /^not /.test(result.reason.message) ? [result.reason] : [],
      );
      expect(refused).toEqual([]);
      server = await start();
      client = client.at(server.url);
    }

    const runIds = [...chats.map(({ run }) => run.id), ...pictures.map(({ runId }) => runId)];
    const ends = await Promise.all(runIds.map((id) => runEnds(client, id)));
    expect(new Set(ends.map(({ run }) => run.task))).toEqual(new Set(["chat", "image"]));
    const states = Map.groupBy(ends, ({ run }) => run.state);
    console.log(
      [...states].map(([state, runs]) => `${runs.length} ${state}`).join(", "),
      `, ${uploads.length} uploads`,
    );

    for (const { asset, hash } of uploads)
      expect(hashOf(await fileOnServer(client, asset.id))).toBe(hash);
    for (const { run, assets } of ends) {
      if (run.task === "image" && run.state === "succeeded")
        expect(assets.length).toBeGreaterThan(0);
      for (const asset of assets)
        expect(hashOf(await fileOnServer(client, asset.id))).toBe(asset.sha256);
    }
    for (const { conversationId, answer, run, watch, prompt } of chats) {
      watch.stop();
      await watch.ended;
      const shown = await client.call<{ messages: Message[] }>("getConversation", {
        params: { conversationId },
      });
      const message = shown.body.messages.find(({ id }) => id === answer.id)!;
      const state = ends.find((end) => end.run.id === run.id)!.run.state;
      if (state !== "unconfirmed") {
        const replay = watchRun(client, run.id);
        await replay.ended;
        const seen = stored(watch.events);
        expect(stored(replay.events).slice(0, seen.length)).toEqual(seen);
        const [kept, shown] = [textOfMessage(message), shownText(watch.events)];
        expect(kept.startsWith(shown) || shown.startsWith(kept)).toBe(true);
        expect(message.state).toBe(state === "succeeded" ? "complete" : "interrupted");
      }
      if (state === "unconfirmed") expect(stored(watch.events)).not.toContain("text-delta");
      expect(
        openai.posts.filter((post) => JSON.stringify(post.body).includes(`"${prompt}"`)).length,
      ).toBeLessThanOrEqual(1);
    }
    for (const { prompt } of pictures) expect(fal.ledger.postsOf(prompt)).toBeLessThanOrEqual(1);
    for (const { run } of ends)
      expect(run.state === "unconfirmed" || run.finishedAt !== null).toBe(true);
    // Free pictures are restarted rather than lost.
    for (const { run } of ends.filter((end) => end.run.modelId === "pattern"))
      expect(run.state).toBe("succeeded");
    await until(
      "the server still answers",
      async () => (await fetch(`${server.url}/readyz`)).status === 200,
    );
  });
});

async function builtinId(client: ServerClient): Promise<string> {
  const listed = await client.call<{ connections: { id: string; kind: string }[] }>(
    "listConnections",
  );
  return listed.body.connections.find((connection) => connection.kind === "builtin")!.id;
}

/**
 * The logged events that a reader has seen; text shown before it is written has no log position.
 */
const stored = (events: readonly SeenEvent[]): string[] =>
  events.filter(({ id }) => !Number.isNaN(id)).map(({ type }) => type);
