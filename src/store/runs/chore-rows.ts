import type { Reader, Tx } from "../database/store.ts";

/** What is done again and again for the whole instance; one row each, shared by its servers. */
export type ChoreKind = "upkeep" | "backup";

export type ChoreState = {
  /** When it is due, or for one under way when its lease ends. */
  dueAt: number;
  /** The living server that does it now; null while none does. */
  workerId: string | null;
  /** Failures since it last succeeded. */
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

/** Sets when it is due, whatever became of the last time. */
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

/** Takes what is due, if no living server has it. @returns whether this server does it now */
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

/** Gives it back undone: the next server that looks takes it. */
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

/** The outcome of a round, and when the next one is due. @param outcome.error of one that was done: what it could not do */
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
