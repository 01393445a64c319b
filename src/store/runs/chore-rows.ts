import type { Reader, Tx } from "../database/store.ts";

/** Recurring work of the whole instance. Each chore has one row, shared by all servers. */
export type ChoreKind = "upkeep" | "backup";

export type ChoreState = {
  /** When the chore is due; while it runs, when its lease ends. */
  dueAt: number;
  /** The live server that runs it; null when none does. */
  workerId: string | null;
  /** Failures since the last success. */
  failures: number;
  lastError: string | null;
};

export async function getChore(db: Reader, kind: ChoreKind): Promise<ChoreState | undefined> {
  const row = await db
    .selectFrom("chore")
    .leftJoin("worker", "worker.id", "chore.worker_id")
    .selectAll("chore")
    .select("worker.id as living_id")
    .where("chore.kind", "=", kind)
    .where("chore.key", "=", kind)
    .executeTakeFirst();
  return (
    row && {
      dueAt: Number(row.due_at),
      workerId: row.living_id,
      failures: Number(row.attempts),
      lastError: row.last_error,
    }
  );
}

/** Sets when the chore is due, regardless of its last outcome. */
export async function setChoreDue(
  tx: Tx,
  { id, kind, dueAt }: { id: string; kind: ChoreKind; dueAt: number },
): Promise<void> {
  await tx
    .insertInto("chore")
    .values({
      id,
      kind,
      key: kind,
      due_at: dueAt,
      worker_id: null,
      attempts: 0,
      last_error: null,
    })
    .onConflict((conflict) => conflict.columns(["kind", "key"]).doUpdateSet({ due_at: dueAt }))
    .execute();
}

/**
 * Claims the chore if it is due and no live server holds it.
 * @returns whether this server now holds it
 */
export async function claimChore(
  tx: Tx,
  { kind, workerId, now }: { kind: ChoreKind; workerId: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("chore")
    .set({ worker_id: workerId })
    .where("kind", "=", kind)
    .where("key", "=", kind)
    .where("due_at", "<=", now)
    .where((e) =>
      e.or([
        e("worker_id", "is", null),
        e("worker_id", "not in", e.selectFrom("worker").select("worker.id")),
      ]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases the chore without running it, so that the next server to look claims it. */
export async function releaseChore(
  tx: Tx,
  { kind, workerId }: { kind: ChoreKind; workerId: string },
): Promise<void> {
  await tx
    .updateTable("chore")
    .set({ worker_id: null })
    .where("kind", "=", kind)
    .where("worker_id", "=", workerId)
    .execute();
}

/**
 * Records the outcome of one execution, and when the next is due.
 * @param outcome.error also set on a success: the part that could not be done
 */
export async function recordChore(
  tx: Tx,
  {
    id,
    kind,
    dueAt,
    isDone,
    error,
  }: { id: string; kind: ChoreKind; dueAt: number; isDone: boolean; error: string | null },
): Promise<void> {
  await tx
    .insertInto("chore")
    .values({
      id,
      kind,
      key: kind,
      due_at: dueAt,
      worker_id: null,
      attempts: isDone ? 0 : 1,
      last_error: error,
    })
    .onConflict((conflict) =>
      conflict.columns(["kind", "key"]).doUpdateSet((e) => ({
        due_at: dueAt,
        worker_id: null,
        attempts: isDone ? 0 : e("chore.attempts", "+", 1),
        last_error: error,
      })),
    )
    .execute();
}
