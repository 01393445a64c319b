import type { Batch } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { BatchRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

const toBatch = (row: BatchRow): Batch => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  input: fromJson(row.input),
  createdBy: row.created_by,
  createdAt: row.created_at,
});

export async function insertBatch(
  tx: Tx,
  batch: {
    id: string;
    projectId: string;
    kind: Batch["kind"];
    task: Task;
    input: unknown;
    createdBy: string;
    at: number;
  },
): Promise<Batch> {
  const row: BatchRow = {
    id: batch.id,
    project_id: batch.projectId,
    kind: batch.kind,
    task: batch.task,
    input: toJson(batch.input),
    axes: null,
    created_by: batch.createdBy,
    created_at: batch.at,
  };
  await tx.insertInto("batch").values(row).execute();
  return toBatch(row);
}

export async function getBatch(db: Reader, id: string): Promise<Batch | undefined> {
  const row = await db.selectFrom("batch").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toBatch(row);
}

/**
 * Lists the batches of Create's feed, newest first, except those made from another person's private
 * files.
 */
export async function listBatches(
  db: Reader,
  filter: { projectId: string; userId: string; task?: Task; cursor?: string; limit: number },
): Promise<{ batches: Batch[]; next: string | null }> {
  let query = db
    .selectFrom("batch")
    .selectAll()
    .where("project_id", "=", filter.projectId)
    .where((e) =>
      e.or([
        e("created_by", "=", filter.userId),
        // Checked per batch: for "not exists", PostgreSQL would read every private run first.
        e(
          e
            .selectFrom("run")
            .select("run.id")
            .whereRef("run.batch_id", "=", "batch.id")
            .where("run.visibility", "=", "author")
            .limit(1),
          "is",
          null,
        ),
      ]),
    );
  if (filter.task) query = query.where("task", "=", filter.task);
  if (filter.cursor)
    query = query.where("id", "<", fromCursor(filter.cursor, ["string"])[0] as string);
  const rows = await query
    .orderBy("id", "desc")
    .limit(filter.limit + 1)
    .execute();
  const shown = page(rows, filter.limit, (row) => [row.id]);
  return { batches: shown.rows.map(toBatch), next: shown.next };
}
