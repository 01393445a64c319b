import { prepared } from "../database/prepared.ts";
import type { LedgerEntryRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

export type LedgerEntry = {
  id: string;
  runId: string;
  projectId: string;
  userId: string;
  apiKeyId: string | null;
  connectionId: string;
  modelId: string;
  kind: "hold" | "release" | "spend" | "overage" | "adjust";
  micros: number;
  /** When its run was admitted. */
  admittedAt: number;
  at: number;
  /** The reason and the author, when a person changed the booked amount. */
  note?: string;
  actorId?: string;
};

const insertRow = prepared((db, row: LedgerEntryRow) => db.insertInto("ledger_entry").values(row));

/**
 * Appends to the ledger. `settles` makes the entry its run's one settlement: the database refuses a
 * second.
 */
export async function insertLedgerEntry(
  tx: Tx,
  entry: LedgerEntry,
  settles = false,
): Promise<void> {
  await insertRow(tx, {
    id: entry.id,
    run_id: entry.runId,
    project_id: entry.projectId,
    user_id: entry.userId,
    api_key_id: entry.apiKeyId,
    connection_id: entry.connectionId,
    model_id: entry.modelId,
    kind: entry.kind,
    settlement: settles ? entry.runId : null,
    micros: entry.micros,
    admitted_at: entry.admittedAt,
    note: entry.note ?? null,
    actor_id: entry.actorId ?? null,
    at: entry.at,
  });
}

/**
 * What is booked for a run: by its settlement as corrected by a bill, and in total, with the late
 * results that its provider reported, whose entries have no note.
 */
export async function bookedOf(
  db: Reader,
  runId: string,
): Promise<{ settledMicros: number; totalMicros: number }> {
  const rows = await db
    .selectFrom("ledger_entry")
    .select(["kind", "micros", "note"])
    .where("run_id", "=", runId)
    .where("kind", "in", ["spend", "overage", "adjust"])
    .execute();
  const sum = (entries: typeof rows): number =>
    entries.reduce((total, { micros }) => total + micros, 0);
  return {
    settledMicros: sum(rows.filter(({ kind, note }) => kind !== "adjust" || note !== null)),
    totalMicros: sum(rows),
  };
}
