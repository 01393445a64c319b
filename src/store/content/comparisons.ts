import type { Comparison, Vote } from "#contract/entities.ts";
import { shuffledOrder } from "#domain/votes/ballots.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson, toJsonOrNull } from "../database/json.ts";
import type { ComparisonEntryRow, ComparisonRow, VoteRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";

const toComparison = (row: ComparisonRow): Comparison => ({
  id: row.id,
  projectId: row.project_id,
  userId: row.user_id,
  visibility: row.visibility,
  task: row.task as Comparison["task"],
  title: row.title,
  blind: row.blind === 1,
  createdAt: row.created_at,
  trashedAt: row.trashed_at,
});

const toVote = (row: VoteRow): Vote => ({
  shownOrder: fromJson(row.shown_order),
  best: row.best === null ? null : fromJson(row.best),
  revealedBefore: row.revealed_before === 1,
  revealedAt: row.revealed_at,
  at: row.at,
});

/**
 * A result in a comparison: an answer by its message, a file by its run and index, or a run without
 * a file.
 */
export type Entry = {
  comparisonId: string;
  position: number;
  runId: string | null;
  outputIndex: number | null;
  messageId: string | null;
};
export type NewEntry = Omit<Entry, "comparisonId" | "position">;

const toEntry = (row: ComparisonEntryRow): Entry => ({
  comparisonId: row.comparison_id,
  position: row.position,
  runId: row.run_id,
  outputIndex: row.output_index,
  messageId: row.message_id,
});

/** Notifies the people who may see a comparison of a change to it. */
function notifyComparisons(unit: Unit, { id, projectId, userId, visibility }: Comparison): void {
  unit.outbox.changes.push({
    projectId,
    userId: visibility === "author" ? userId : null,
    kind: "comparison",
    id,
    at: unit.at,
  });
}

const insertEntries = (tx: Tx, comparisonId: string, from: number, entries: readonly NewEntry[]) =>
  tx
    .insertInto("comparison_entry")
    .values(
      entries.map(({ runId, outputIndex, messageId }, index) => ({
        comparison_id: comparisonId,
        position: from + index,
        run_id: runId,
        output_index: outputIndex,
        message_id: messageId,
      })),
    )
    .execute();

export async function insertComparison(
  unit: Unit,
  comparison: Omit<Comparison, "createdAt" | "trashedAt">,
  entries: readonly NewEntry[],
): Promise<Comparison> {
  const made = { ...comparison, createdAt: unit.at, trashedAt: null };
  await unit.tx
    .insertInto("comparison")
    .values({
      id: made.id,
      project_id: made.projectId,
      user_id: made.userId,
      visibility: made.visibility,
      task: made.task,
      title: made.title,
      blind: made.blind ? 1 : 0,
      created_at: made.createdAt,
      trashed_at: null,
    })
    .execute();
  await insertEntries(unit.tx, made.id, 0, entries);
  notifyComparisons(unit, made);
  return made;
}

export async function getComparison(db: Reader, id: string): Promise<Comparison | undefined> {
  const row = await db.selectFrom("comparison").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toComparison(row);
}

/** Call before any change to a comparison, its entries or its votes. */
export async function lockComparison(tx: Tx, id: string): Promise<Comparison | undefined> {
  const row = await tx
    .selectFrom("comparison")
    .selectAll()
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && toComparison(row);
}

/** Returns a page of a project's comparisons that the person may see, newest first. */
export async function listComparisons(
  db: Reader,
  filter: { projectId: string; userId: string; trash: boolean; cursor?: string; limit: number },
): Promise<{ comparisons: Comparison[]; next: string | null }> {
  let query = db
    .selectFrom("comparison")
    .selectAll()
    .where("project_id", "=", filter.projectId)
    .where("trashed_at", filter.trash ? "is not" : "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", filter.userId)]));
  if (filter.cursor)
    query = query.where("id", "<", fromCursor(filter.cursor, ["string"])[0] as string);
  const rows = await query
    .orderBy("id", "desc")
    .limit(filter.limit + 1)
    .execute();
  const shown = page(rows, filter.limit, (row) => [row.id]);
  return { comparisons: shown.rows.map(toComparison), next: shown.next };
}

/** Ordered by comparison and position. */
export async function listEntries(db: Reader, comparisonIds: readonly string[]): Promise<Entry[]> {
  if (comparisonIds.length === 0) return [];
  const rows = await db
    .selectFrom("comparison_entry")
    .selectAll()
    .where(isOneOf(db, "comparison_id", toJson(comparisonIds)))
    .orderBy("comparison_id")
    .orderBy("position")
    .execute();
  return rows.map(toEntry);
}

/** Returns those of the comparisons in which the person has voted. */
export async function listVotedIds(
  db: Reader,
  comparisonIds: readonly string[],
  userId: string,
): Promise<string[]> {
  if (comparisonIds.length === 0) return [];
  const rows = await db
    .selectFrom("vote")
    .select("comparison_id")
    .where(isOneOf(db, "comparison_id", toJson(comparisonIds)))
    .where("user_id", "=", userId)
    .where("best", "is not", null)
    .execute();
  return rows.map((row) => row.comparison_id);
}

export async function countVotes(db: Reader, comparisonId: string): Promise<number> {
  const { n } = await db
    .selectFrom("vote")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("comparison_id", "=", comparisonId)
    .where("best", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Whether anyone has voted or revealed the models. */
export async function hasVotes(db: Reader, comparisonId: string): Promise<boolean> {
  const row = await db
    .selectFrom("vote")
    .select("id")
    .where("comparison_id", "=", comparisonId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns a person's vote; before they vote, only the order in which they see the results. */
export async function getVote(
  db: Reader,
  of: { comparisonId: string; userId: string; entries: number },
): Promise<Vote> {
  const row = await db
    .selectFrom("vote")
    .selectAll()
    .where("comparison_id", "=", of.comparisonId)
    .where("user_id", "=", of.userId)
    .executeTakeFirst();
  if (row) return toVote(row);
  return {
    shownOrder: shuffledOrder(of.entries, `${of.comparisonId} ${of.userId}`),
    best: null,
    revealedBefore: false,
    revealedAt: null,
    at: 0,
  };
}

/** Writes the changes to a person's vote. The comparison must be locked. */
export async function putVote(
  unit: Unit,
  comparison: Comparison,
  of: {
    id: string;
    userId: string;
    before: Vote;
    set: Partial<Pick<Vote, "best" | "revealedBefore" | "revealedAt">>;
  },
): Promise<Vote> {
  const after = { ...of.before, ...of.set, at: unit.at };
  const { best, revealedBefore, revealedAt } = of.set;
  await unit.tx
    .insertInto("vote")
    .values({
      id: of.id,
      comparison_id: comparison.id,
      user_id: of.userId,
      shown_order: toJson(after.shownOrder),
      best: toJsonOrNull(after.best ?? undefined),
      revealed_before: after.revealedBefore ? 1 : 0,
      revealed_at: after.revealedAt,
      at: after.at,
    })
    .onConflict((conflict) =>
      conflict.columns(["comparison_id", "user_id"]).doUpdateSet({
        ...(best !== undefined && { best: toJsonOrNull(best ?? undefined) }),
        ...(revealedBefore !== undefined && { revealed_before: revealedBefore ? 1 : 0 }),
        ...(revealedAt !== undefined && { revealed_at: revealedAt }),
        at: after.at,
      }),
    )
    .execute();
  notifyComparisons(unit, comparison);
  return after;
}

export type ComparisonChange = {
  title?: string;
  visibility?: Comparison["visibility"];
  task?: Comparison["task"];
  trashedAt?: number | null;
  add?: { from: number; entries: readonly NewEntry[] };
};

/** Writes the changed columns. The comparison must be locked. */
export async function updateComparison(
  unit: Unit,
  before: Comparison,
  { add, ...set }: ComparisonChange,
): Promise<Comparison> {
  const columns = {
    ...(set.title !== undefined && { title: set.title }),
    ...(set.visibility !== undefined && { visibility: set.visibility }),
    ...(set.task !== undefined && { task: set.task }),
    ...(set.trashedAt !== undefined && { trashed_at: set.trashedAt }),
  };
  if (Object.keys(columns).length > 0)
    await unit.tx.updateTable("comparison").set(columns).where("id", "=", before.id).execute();
  if (add) await insertEntries(unit.tx, before.id, add.from, add.entries);
  // Also notifies people who can't see it any more.
  notifyComparisons(unit, before);
  return { ...before, ...set };
}

/**
 * Deletes up to `most` comparisons that were trashed before a time.
 * @returns whether more may be left
 */
export async function purgeComparisons(tx: Tx, before: number, most: number): Promise<boolean> {
  const gone = await tx
    .selectFrom("comparison")
    .select("id")
    .where("trashed_at", "<", before)
    .orderBy("trashed_at")
    .limit(most)
    // Locked so that nobody restores one before it is deleted.
    .forNoKeyUpdate()
    .execute();
  if (gone.length === 0) return false;
  const ids = toJson(gone.map(({ id }) => id));
  await tx
    .deleteFrom("vote")
    .where(isOneOf(tx, "comparison_id", ids))
    .execute();
  await tx
    .deleteFrom("comparison_entry")
    .where(isOneOf(tx, "comparison_id", ids))
    .execute();
  await tx
    .deleteFrom("comparison")
    .where(isOneOf(tx, "id", ids))
    .execute();
  return gone.length === most;
}
