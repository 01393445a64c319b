import type { ArchivedProject } from "#contract/archive.ts";
import type { ProjectImport } from "#contract/entities.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { toJson } from "../database/json.ts";
import type { ProjectImportRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { nameOf } from "../people/projects.ts";
import { idsOf, removeContent, removed } from "./deletions/project-content.ts";
import type { FileFacts } from "./imported-rows.ts";

const toImport = (row: ProjectImportRow): ProjectImport => ({
  id: row.id,
  state: row.state,
  name: row.name,
  filesDone: row.files_done,
  filesTotal: row.files_total,
  filesMissing: row.files_missing,
  projectId: row.state === "done" ? row.project_id : null,
  problem: row.problem,
  createdAt: row.created_at,
});

/**
 * Starts an import.
 * @returns undefined when the person already has a running one
 */
export async function insertImport(
  tx: Tx,
  wanted: {
    id: string;
    projectId: string;
    userId: string;
    sha256: string;
    bytes: number;
    name: string;
    filesTotal: number;
    filesMissing: number;
    at: number;
  },
): Promise<ProjectImport | undefined> {
  const row: ProjectImportRow = {
    id: wanted.id,
    user_id: wanted.userId,
    project_id: wanted.projectId,
    blob_sha256: wanted.sha256,
    bytes: wanted.bytes,
    name: wanted.name,
    state: "open",
    files_done: 0,
    files_total: wanted.filesTotal,
    files_missing: wanted.filesMissing,
    problem: null,
    worker_id: null,
    failures: 0,
    created_at: wanted.at,
    ended_at: null,
    cleaned_at: null,
    dismissed_at: null,
  };
  const inserted = await tx
    .insertInto("project_import")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n ? toImport(row) : undefined;
}

export const hasOpenImport = async (db: Reader, userId: string): Promise<boolean> =>
  (await db
    .selectFrom("project_import")
    .select("id")
    .where("user_id", "=", userId)
    .where("state", "=", "open")
    .executeTakeFirst()) !== undefined;

/**
 * Returns a page of a person's imports, newest first: running ones, and ended ones not dismissed.
 */
export async function listImports(
  db: Reader,
  of: { userId: string; cursor?: string; limit: number },
): Promise<{ imports: ProjectImport[]; next: string | null }> {
  let query = db
    .selectFrom("project_import")
    .selectAll()
    .where("user_id", "=", of.userId)
    .where("state", "!=", "cancelled")
    .where("dismissed_at", "is", null)
    .orderBy("id", "desc")
    .limit(of.limit + 1);
  if (of.cursor) query = query.where("id", "<", fromCursor(of.cursor, ["string"])[0] as string);
  const shown = page(await query.execute(), of.limit, (row) => [row.id]);
  return { imports: shown.rows.map(toImport), next: shown.next };
}

/**
 * Cancels a running import, or dismisses the notice of an ended one.
 * @returns false when the person has no import with this id
 */
export async function dismissImport(
  tx: Tx,
  id: string,
  userId: string,
  at: number,
): Promise<boolean> {
  const own = () =>
    tx.updateTable("project_import").where("id", "=", id).where("user_id", "=", userId);
  const cancelled = await own()
    .set({ state: "cancelled", ended_at: at })
    .where("state", "=", "open")
    .executeTakeFirst();
  if (cancelled.numUpdatedRows > 0n) return true;
  return (await own().set({ dismissed_at: at }).executeTakeFirst()).numUpdatedRows > 0n;
}

const othersThan = (db: Reader, workerId: string) =>
  db.selectFrom("worker").select("id").where("id", "!=", workerId);

const freeImports = (db: Reader, workerId: string) =>
  db
    .selectFrom("project_import")
    .select("id")
    .where("cleaned_at", "is", null)
    .where((e) =>
      e.or([e("worker_id", "is", null), e("worker_id", "not in", othersThan(db, workerId))]),
    )
    .orderBy("failures")
    .orderBy("id")
    .limit(1);

/** Whether `claimImport` would find an import. Checked far more often than there is one. */
export const hasFreeImport = async (db: Reader, workerId: string): Promise<boolean> =>
  (await freeImports(db, workerId).executeTakeFirst()) !== undefined;

/**
 * Claims an unfinished import that no other live worker holds, to continue it or to clean it up. An
 * import recorded as this worker's own was dropped by an error, because the worker asks only when
 * it has none.
 */
export async function claimImport(tx: Tx, workerId: string): Promise<ProjectImportRow | undefined> {
  const others = othersThan(tx, workerId);
  const free = await freeImports(tx, workerId).forNoKeyUpdate().executeTakeFirst();
  if (!free) return undefined;
  // The row is locked only now, so a faster worker may have changed it.
  return tx
    .updateTable("project_import")
    .set({ worker_id: workerId })
    .where("id", "=", free.id)
    .where("cleaned_at", "is", null)
    .where((e) => e.or([e("worker_id", "is", null), e("worker_id", "not in", others)]))
    .returningAll()
    .executeTakeFirst();
}

/**
 * Thrown when a unit finds that its import has another worker or was canceled. Every unit checks
 * first, and then writes nothing.
 */
export class ImportLost extends Error {
  override readonly name = "ImportLost";
}

type Change = Partial<
  Pick<ProjectImportRow, "worker_id" | "state" | "problem" | "ended_at" | "cleaned_at">
>;
type ImportLease = Pick<ProjectImportRow, "id" | "state" | "worker_id">;

/**
 * Locks the import's row until the unit ends.
 * @throws ImportLost
 */
export async function holdImport(tx: Tx, held: ImportLease, change: Change = {}): Promise<void> {
  const result = await tx
    .updateTable("project_import")
    .set({ ...change, worker_id: "worker_id" in change ? change.worker_id : held.worker_id })
    .where("id", "=", held.id)
    .where("state", "=", held.state)
    .where("worker_id", "=", held.worker_id)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new ImportLost();
}

/**
 * Counts an interruption by a transient error.
 * @returns how many there have been since the last progress
 */
export async function countImportFailure(tx: Tx, held: ImportLease): Promise<number> {
  const row = await tx
    .updateTable("project_import")
    .set((e) => ({ failures: e("failures", "+", 1) }))
    .where("id", "=", held.id)
    .where("worker_id", "=", held.worker_id)
    .returning("failures")
    .executeTakeFirst();
  return row?.failures ?? 0;
}

/** Releases the import to the next worker. */
export async function releaseImport(tx: Tx, held: ImportLease): Promise<void> {
  await tx
    .updateTable("project_import")
    .set({ worker_id: null })
    .where("id", "=", held.id)
    .where("worker_id", "=", held.worker_id)
    .execute();
}

/** Creates the import's project. Without members, it and its content are invisible. */
export async function insertHiddenProject(
  tx: Tx,
  held: ProjectImportRow,
  project: ArchivedProject,
  defaults: object,
): Promise<void> {
  await tx
    .insertInto("project")
    .values({
      id: held.project_id,
      name: project.name,
      description: project.description,
      instructions: project.instructions,
      owner_id: held.user_id,
      defaults: toJson(defaults),
      seq: 0,
      archived_at: null,
      created_at: held.created_at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Makes the importer a member of the project, which makes it visible, complete. */
export async function showProject(tx: Tx, held: ProjectImportRow, at: number): Promise<void> {
  await tx
    .insertInto("project_member")
    .values({
      project_id: held.project_id,
      user_id: held.user_id,
      role: "manager",
      created_at: at,
      name: nameOf(held.user_id),
    })
    .execute();
}

/** Lists files that are stored and described. */
export async function listImportFiles(db: Reader, importId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("import_file")
    .select("sha256")
    .where("import_id", "=", importId)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

export async function insertImportFile(
  tx: Tx,
  importId: string,
  sha256: string,
  facts: FileFacts,
): Promise<void> {
  const inserted = await tx
    .insertInto("import_file")
    .values({ import_id: importId, sha256, facts: toJson(facts) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return;
  await tx.updateTable("blob").set({ mime: facts.mime }).where("sha256", "=", sha256).execute();
  // Progress resets the count of failures.
  await tx
    .updateTable("project_import")
    .set((e) => ({ failures: 0, files_done: e("files_done", "+", 1) }))
    .where("id", "=", importId)
    .execute();
}

const atOnce = 500;

/**
 * Deletes part of an import's leftovers: its file records, and the hidden project of an import that
 * didn't finish.
 * @returns false when nothing is left
 */
export async function cleanImport(tx: Tx, held: ProjectImportRow): Promise<boolean> {
  const files = tx
    .selectFrom("import_file")
    .select("sha256")
    .where("import_id", "=", held.id)
    .limit(atOnce);
  if (
    await removed(
      tx.deleteFrom("import_file").where("import_id", "=", held.id).where("sha256", "in", files),
    )
  )
    return true;
  if (held.state === "done") return false;
  const runs = idsOf(tx, "run", held.project_id).limit(atOnce);
  if (await removeContent(tx, held.project_id, atOnce)) return true;
  if (await removed(tx.deleteFrom("run_input").where("run_id", "in", runs))) return true;
  if (await removed(tx.deleteFrom("run").where("id", "in", runs))) return true;
  await tx.deleteFrom("project").where("id", "=", held.project_id).execute();
  return false;
}

/** Deletes rows of ended imports whose notice is no longer needed. */
export async function pruneImports(tx: Tx, before: number): Promise<void> {
  await tx
    .deleteFrom("project_import")
    .where("cleaned_at", "is not", null)
    .where((e) =>
      e.or([
        e("ended_at", "<", before),
        e("dismissed_at", "is not", null),
        e("state", "=", "cancelled"),
      ]),
    )
    .execute();
}
