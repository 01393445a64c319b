import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createHub } from "#engine/hub.ts";
import { createIds } from "#store/database/ids.ts";
import { migrate } from "#store/database/migrate.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import { holdInBudgets, putBudget } from "#store/money/budgets.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { ensureInstance, insertUser } from "#store/people/people.ts";
import { insertProject } from "#store/people/projects.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import { createCommit } from "#store/runs/unit.ts";
import type { Bench } from "../bench.ts";
import { beside, type Figure, p50p99, percentile, type Row, round } from "../figures.ts";

const uuid = createIds(Date.now);
const atOnce = 50;
/**
 * Until then the code is still being compiled, and the slowest rounds would all be among the first
 * hundred.
 */
const warmUpRounds = 100;
const holdMicros = 1_000;

/**
 * The unit that admits a run, composed like in the engine: reservations at four levels, the run
 * with its first event and its ledger entry, the project's notice. Fifty arrive at the same moment,
 * repeatedly, on a real file with fsync. There is no load and no provider that needs a core.
 */
async function measure(bench: Bench): Promise<Figure[]> {
  const clock = { monotonic: () => performance.now() };
  bench.cores.takeAll();
  const store = openSqlite(join(bench.createFolder("admission"), "bottega.db"), clock);
  try {
    await migrate(store, Date.now());
    const commit = createCommit({
      store,
      watchers: createHub(),
      ids: uuid,
      clock: Date,
    });
    const facts = await seed(commit, store);
    const payer = { projectId: facts.projectId, userId: facts.userId, apiKeyId: facts.apiKeyId };
    const admit = (asked: Asked): Promise<void> =>
      commit(async (unit) => {
        const at = Date.now();
        const verdict = await holdInBudgets(store, unit.tx, { payer, micros: holdMicros, at });
        if (verdict.is !== "held") throw new Error(`it was ${verdict.is}`);
        const run = toRun(payer, asked, at);
        await insertRun(unit, run);
        const entry = {
          ...payer,
          id: uuid(),
          runId: run.id,
          connectionId: "c",
          modelId: "m",
          admittedAt: at,
          at,
        };
        await insertLedgerEntry(unit.tx, { ...entry, kind: "hold", micros: holdMicros });
      });
    const rounds = bench.long ? 400 : 100;
    const took: number[] = [];
    const timed = async (asked: Asked): Promise<number> => {
      const since = performance.now();
      await admit(asked);
      return performance.now() - since;
    };
    for (let round = 0; round < rounds + warmUpRounds; round++) {
      const each = await Promise.all(Array.from({ length: atOnce }, ask).map(timed));
      if (round >= warmUpRounds) took.push(...each);
    }
    const alone: number[] = [];
    for (let i = 0; i < 200; i++) alone.push(await timed(ask()));
    const value = { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
    const whole = took.reduce((sum, ms) => sum + ms, 0) / atOnce;
    return [
      p50p99(
        `admission with holds at four levels, ${atOnce} at the same moment`,
        value,
        { p50: 5, p99: 5 },
        "ms",
        `${took.length} runs`,
      ),
      beside(
        "  one alone",
        `${round(percentile(alone, 0.5))} / ${round(percentile(alone, 0.99))} ms`,
        `${Math.round((took.length / whole) * 1_000)} a second at ${atOnce}`,
      ),
    ];
  } finally {
    await store.close();
  }
}

async function seed(commit: ReturnType<typeof createCommit>, store: ReturnType<typeof openSqlite>) {
  const at = Date.now();
  const [userId, projectId, apiKeyId] = [uuid(), uuid(), uuid()];
  await commit(async ({ tx }) => {
    await ensureInstance(tx, uuid(), at);
    await insertUser(tx, {
      id: userId,
      accountId: uuid(),
      name: "Ada",
      email: "ada@example.org",
      role: "owner",
      passwordHash: "x",
      at,
    });
    await insertProject(tx, { id: projectId, name: "p", description: "", ownerId: userId, at });
    const levels = [
      { scope: "instance", scopeId: null },
      { scope: "project", scopeId: projectId },
      { scope: "user", scopeId: userId },
      { scope: "api_key", scopeId: apiKeyId },
    ] as const;
    const setting = {
      period: "month",
      timeZone: "Europe/Rome",
      limitMicros: 1e14,
      onLimit: "block",
      authority: "admin",
    } as const;
    for (const level of levels)
      await putBudget(store, tx, { ...level, ...setting, id: uuid(), createdBy: userId, at });
  });
  return { userId, projectId, apiKeyId };
}

/** The values created by the request's sender. */
type Asked = { idempotencyKey: string; batchId: string };
const ask = (): Asked => ({ idempotencyKey: randomUUID(), batchId: uuid() });

const toRun = (
  payer: Pick<NewRun, "projectId" | "userId" | "apiKeyId">,
  asked: Asked,
  at: number,
): NewRun => ({
  ...payer,
  ...asked,
  id: uuid(),
  visibility: "project",
  connectionId: "c",
  modelId: "m",
  schemaHash: null,
  task: "image",
  input: { prompt: "a heron over the harbour" },
  inputHash: "bench",
  requestHash: "bench",
  idempotencyScope: "bench",
  messageId: null,
  retryOf: null,
  remixOf: null,
  priceSnapshot: [{ unit: "image", micros: "1000", source: "bench", at }],
  heldMicros: holdMicros,
  waitingFor: null,
  at,
});

export const admission: Row<Bench> = {
  name: "admission",
  what: "the unit that admits a run, with holds at four levels",
  measure,
};
