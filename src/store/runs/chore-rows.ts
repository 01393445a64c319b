import type { Reader, Tx } from "../database/store.ts";

/** What is done again and again for the whole instance; one row each, shared by its servers. */
export type ChoreKind = "upkeep" | "backup";

export type ChoreState = {
  /** When it is due, or for one under way when its lease ends. */
  dueAt: number;
  /** The server that does it now; null while none does. */
  workerId: string | null;
  /** Failures since it last succeeded. */
  failures: number;
  lastError: string | null;
};

export async function getChore(db: Reader, kind: ChoreKind): Promise<ChoreState | undefined> {
  const row = await db
    .selectFrom("chore")
    .selectAll()
    .where("kind", "=", kind)
    .where("key", "=", kind)
    .executeTakeFirst();
  return (
    row && {
      dueAt: Number(row.due_at),
      workerId: row.worker_id,
      failures: Number(row.attempts),
      lastError: row.last_error,
    }
  );
}

/** The outcome of a round, and when the next one is due. @param error null for a success */
export async function recordChore(
  tx: Tx,
  { id, kind, dueAt, error }: { id: string; kind: ChoreKind; dueAt: number; error: string | null },
): Promise<void> {
  await tx
    .insertInto("chore")
    .values({
      id,
      kind,
      key: kind,
      due_at: dueAt,
      worker_id: null,
      attempts: error === null ? 0 : 1,
      last_error: error,
    })
    .onConflict((conflict) =>
      conflict.columns(["kind", "key"]).doUpdateSet((e) => ({
        due_at: dueAt,
        worker_id: null,
        attempts: error === null ? 0 : e("chore.attempts", "+", 1),
        last_error: error,
      })),
    )
    .execute();
}
