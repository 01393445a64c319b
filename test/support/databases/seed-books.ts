import { join } from "node:path";
import { v7 as uuid } from "uuid";
import { openSqlite } from "#store/database/sqlite.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { until } from "../server/instance.ts";

export type BookedRun = {
  projectId: string;
  userId: string;
  connectionId: string;
  modelId: string;
  /** When the run ended, in ms. */
  at: number;
  micros: number;
  tokens: number;
};

/** Writes runs with costs into the ledger of a running server, as settling them does. */
export async function seedBooks(dataFolder: string, runs: readonly BookedRun[]): Promise<void> {
  const store = openSqlite(join(dataFolder, "bottega.db"), { monotonic: () => performance.now() });
  try {
    // Retries while the server is writing.
    await until("the books are written", () => writeAll(store, runs).catch(() => false));
  } finally {
    await store.close();
  }
}

async function writeAll(
  store: ReturnType<typeof openSqlite>,
  runs: readonly BookedRun[],
): Promise<true> {
  await store.write(async (tx) => {
    for (const { micros, tokens, at, ...of } of runs) {
      await insertLedgerEntry(tx, {
        ...of,
        id: uuid(),
        runId: uuid(),
        apiKeyId: null,
        kind: "spend",
        micros,
        admittedAt: at,
        at,
      });
      await addUsage(tx, {
        ...of,
        apiKeyId: null,
        day: new Date(at).toISOString().slice(0, 10),
        runs: 1,
        tokens,
        micros,
      });
    }
  });
  return true;
}
