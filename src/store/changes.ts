import type { Change } from "#contract/entities.ts";
import type { FeedChange, Outbox } from "./outbox.ts";
import type { Reader, Tx } from "./store.ts";

/** Adds a notice to a project's feed. Its seq is taken under the project's row lock, so that its order is commit order. */
export async function recordChange(
  tx: Tx,
  outbox: Outbox,
  change: { projectId: string; userId: string | null; kind: Change["kind"]; id: string; at: number },
): Promise<void> {
  const { seq } = await tx
    .updateTable("project")
    .set((e) => ({ seq: e("seq", "+", 1) }))
    .where("id", "=", change.projectId)
    .returning("seq")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("change")
    .values({ project_id: change.projectId, seq, user_id: change.userId, kind: change.kind, id: change.id, at: change.at })
    .execute();
  outbox.changes.push({ ...change, seq });
}

/** Notices after a seq, in order, of everyone and of this person. */
export async function listChanges(db: Reader, projectId: string, userId: string, after: number, limit: number): Promise<FeedChange[]> {
  const rows = await db
    .selectFrom("change")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("seq", ">", after)
    .where((e) => e.or([e("user_id", "is", null), e("user_id", "=", userId)]))
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    projectId: row.project_id,
    userId: row.user_id,
    seq: row.seq,
    kind: row.kind as Change["kind"],
    id: row.id,
    at: row.at,
  }));
}

/** The feed's end, and the oldest notice that is still kept. */
export async function feedEnds(db: Reader, projectId: string): Promise<{ seq: number; oldest: number }> {
  const project = await db.selectFrom("project").select("seq").where("id", "=", projectId).executeTakeFirst();
  const oldest = await db.selectFrom("change").select("seq").where("project_id", "=", projectId).orderBy("seq").limit(1).executeTakeFirst();
  const seq = project?.seq ?? 0;
  return { seq, oldest: oldest?.seq ?? seq + 1 };
}

export async function pruneChanges(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom("change").where("at", "<", before).execute();
}
