import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuid } from "uuid";
import { insertConversation } from "#store/content/conversations.ts";
import type { Store } from "#store/database/store.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import type { Bench } from "../bench.ts";
import { atMost, beside, type Figure, type Row, round } from "../figures.ts";
import { startBuiltServer } from "../server.ts";
import { openStudio } from "../studio.ts";

const openRuns = 10_000;
const rowsAtOnce = 500;
const limitMs = 180_000;

/** Runs that were active on a server when it died, each with its attempt. */
async function seedOpenRuns(
  store: Store,
  facts: { projectId: string; userId: string; connectionId: string },
): Promise<void> {
  const at = Date.now();
  const conversation = {
    id: uuid(),
    projectId: facts.projectId,
    userId: facts.userId,
    title: "Open",
    systemPrompt: "",
    settings: {},
    at,
  };
  await store.write((tx) => insertConversation(newUnit(tx, at), conversation));
  for (let from = 0; from < openRuns; from += rowsAtOnce)
    await store.write(async (tx) => {
      for (let i = from; i < from + rowsAtOnce; i++) {
        const run = toRun(facts, at);
        await insertRun(newUnit(tx, at), run);
        await tx
          .insertInto("attempt")
          .values({
            run_id: run.id,
            number: 1,
            request_hash: "bench",
            client_token: uuid(),
            provider_request_id: null,
            provider_urls: null,
            state: "committed",
            bytes_written: null,
            http_status: null,
            sent_at: at,
            accepted_at: null,
            ended_at: null,
          })
          .execute();
      }
    });
  await store.write((tx) =>
    tx
      .updateTable("run")
      .set({
        state: "submitting",
        worker_id: "a worker that died",
        fence: 1,
        attempts: 1,
        started_at: at,
      })
      .execute(),
  );
}

const toRun = (
  facts: { projectId: string; userId: string; connectionId: string },
  at: number,
): NewRun => ({
  id: uuid(),
  ...facts,
  apiKeyId: null,
  visibility: "project",
  modelId: "sim-chat",
  schemaHash: null,
  task: "chat",
  input: {},
  inputHash: "bench",
  requestHash: "bench",
  idempotencyScope: null,
  idempotencyKey: null,
  batchId: null,
  messageId: null,
  retryOf: null,
  remixOf: null,
  priceSnapshot: null,
  heldMicros: 0,
  waitingFor: null,
  at,
});

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: (store, { projectId, userId, connectionId }) =>
      seedOpenRuns(store, { projectId, userId, connectionId }),
  });
  await studio.server.kill9();
  const database = new DatabaseSync(join(studio.dataFolder, "bottega.db"));
  // Their state before this row's own first server adopted them.
  database.exec(
    "update run set state = 'submitting', worker_id = 'a worker that died', finished_at = null, error = null",
  );
  const count = (where: string): number =>
    Number(
      (database.prepare(`select count(*) as n from run where ${where}`).get() as { n: number }).n,
    );
  const server = await startBuiltServer(bench.cores, {
    dataFolder: studio.dataFolder,
    nodeArgs: bench.serverArgs,
  });
  const since = performance.now() - server.startMs;
  const until = async (where: string): Promise<number> => {
    while (count(where) > 0 && performance.now() - since < limitMs) await sleep(50);
    return performance.now() - since;
  };
  try {
    const ownedMs = await until("worker_id = 'a worker that died'");
    const endedMs = await until("state = 'submitting'");
    return [
      atMost(`start to the first 200 with ${openRuns} open runs`, server.startMs, 2_000, "ms"),
      atMost("  until each run has an owner", ownedMs, 15_000, "ms"),
      beside(
        "  until each outcome is saved",
        `${round(endedMs)} ms`,
        `${count("state = 'unconfirmed'")} unconfirmed`,
      ),
    ];
  } finally {
    database.close();
    await server.stop();
    await studio.stop();
  }
}

export const recovery: Row<Bench> = {
  name: "recovery",
  what: "start after a crash with 10,000 open runs",
  measure,
};
