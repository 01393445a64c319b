import { join } from "node:path";
import { v7 as uuid } from "uuid";
import { insertAsset, updateAssets } from "#store/content/assets.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { insertRun } from "#store/runs/runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import { until } from "../server/instance.ts";
import { buildAsset, buildRun } from "./store-rows.ts";

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

type Books = ReturnType<typeof openSqlite>;
const openBooks = (dataFolder: string): Books =>
  openSqlite(join(dataFolder, "bottega.db"), { monotonic: () => performance.now() });

/** Writes runs with costs into the ledger of a running server, as settling them does. */
export async function seedBooks(dataFolder: string, runs: readonly BookedRun[]): Promise<void> {
  const store = openBooks(dataFolder);
  try {
    // Retries while the server is writing.
    await until("the books are written", () => writeAll(store, runs).catch(() => false));
  } finally {
    await store.close();
  }
}

/** A finished run's files, as many kept as stated. */
export type MadeFiles = Omit<BookedRun, "micros" | "tokens"> & {
  prompt: string;
  /** Null: the price is unknown. */
  micros: number | null;
  files: number;
  kept: number;
};

/** Writes finished runs with their files into the database of a running server. */
export async function seedFiles(dataFolder: string, made: readonly MadeFiles[]): Promise<void> {
  const store = openBooks(dataFolder);
  try {
    await until("the files are written", () => writeFiles(store, made).catch(() => false));
  } finally {
    await store.close();
  }
}

async function writeFiles(store: Books, made: readonly MadeFiles[]): Promise<true> {
  await store.write(async (tx) => {
    for (const { prompt, micros, files, kept, at, ...of } of made) {
      const unit = newUnit(tx, at);
      const run = buildRun({ ...of, input: { prompt } });
      await insertRun(unit, run);
      await tx
        .updateTable("run")
        .set({ cost_micros: micros, state: "succeeded", finished_at: at })
        .where("id", "=", run.id)
        .execute();
      for (let place = 0; place < files; place += 1) {
        const facts = { runId: run.id, outputIndex: place, promptText: prompt };
        const asset = buildAsset({ ...facts, projectId: of.projectId, createdBy: of.userId });
        await insertAsset(unit, asset);
        if (place < kept) await updateAssets(unit, [asset.id], { pick: "kept" });
      }
    }
  });
  return true;
}

async function writeAll(store: Books, runs: readonly BookedRun[]): Promise<true> {
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
