import { createHash } from "node:crypto";
import type { ArchiveRows, ArchiveTable } from "#contract/archive.ts";
import { refuseAboveLimit } from "#domain/files/storage-limit.ts";
import { createRename, renameIn } from "#domain/runs/imported-ids.ts";
import {
  countImported,
  type ImportTarget,
  insertImportedAssets,
  insertImportedConversations,
  insertImportedMessages,
  insertImportedRuns,
} from "#store/content/imported-rows.ts";
import { insertHiddenProject, showProject } from "#store/content/project-imports.ts";
import { listStorageUse, refuseStoring, sumProjectBytes } from "#store/content/storage-limits.ts";
import type { ProjectImportRow } from "#store/database/schema.ts";
import type { Tx } from "#store/database/store.ts";
import { listUsableConnections } from "#store/models/connections.ts";
import { giveDefaultBudgets } from "#store/money/budgets.ts";
import { recordAudit } from "#store/people/people.ts";
import type { Unit } from "#store/runs/unit.ts";
import { hashOf } from "../connections/catalogue.ts";
import type { EngineDeps } from "../deps.ts";
import { type Checked, checkArchive } from "./check-archive.ts";
import { holdForImporter, storeFiles } from "./import-files.ts";
import { type Archive, openArchive } from "./open-archive.ts";
import { inParts, readTable } from "./read-table.ts";

/** Rows per unit. Other writes wait for it, and a hundred rows with their text take 70 ms. */
const rowsAtOnce = 20;

/**
 * Imports a project: reads and checks the whole archive, stores and describes its files, writes its
 * rows in small units under a project without members, which nobody sees, and gives the project to
 * its importer in the last unit. Every step can be repeated: after a crash the import starts over,
 * and existing rows stay.
 * @throws Problem about the archive
 * @throws ImportLost if the import was canceled or another worker owns it
 */
export async function importProject(
  deps: EngineDeps,
  held: ProjectImportRow,
  signal: AbortSignal,
): Promise<void> {
  const archive = await openArchive(deps, { sha256: held.blob_sha256, bytes: held.bytes });
  const checked = await checkArchive(archive);
  await refuseAssets(deps, held, checked.assetBytes);
  await storeFiles(deps, held, archive, checked.titles, signal);
  const into = await openInto(deps, held, checked);
  await deps.commit(async ({ tx }) => {
    await holdForImporter(tx, held);
    await insertHiddenProject(
      tx,
      held,
      archive.project,
      renameIn(archive.project.defaults, into.renameInJson),
    );
  });
  await writeRows(deps, held, into, archive, signal);
  await refuseGaps(deps, held, checked);
  await deps.commit((unit) => show(unit, deps, held));
}

/**
 * Checks the storage limits before a file is stored. A file with several assets counts once for
 * each.
 * @throws Problem storage_limit
 */
async function refuseAssets(
  { store }: EngineDeps,
  held: ProjectImportRow,
  bytes: number,
): Promise<void> {
  const into = { userId: held.user_id, projectId: held.project_id };
  const uses = await listStorageUse(store.read, into);
  // Assets written by an interrupted attempt are counted already.
  refuseAboveLimit(uses, bytes - (await sumProjectBytes(store.read, held.project_id)));
}

async function writeRows(
  deps: EngineDeps,
  held: ProjectImportRow,
  into: ImportTarget,
  archive: Archive,
  signal: AbortSignal,
): Promise<void> {
  const write = async <T extends ArchiveTable>(
    table: T,
    insert: (tx: Tx, into: ImportTarget, rows: ArchiveRows[T][]) => Promise<void>,
  ): Promise<void> => {
    for await (const rows of inParts(readTable(archive, table), rowsAtOnce)) {
      signal.throwIfAborted();
      await deps.commit(async ({ tx }) => {
        await holdForImporter(tx, held);
        await insert(tx, into, rows);
        deps.failpoints?.at("import.rows");
      });
    }
  };
  await write("conversations", insertImportedConversations);
  await write("messages", insertImportedMessages);
  await write("runs", insertImportedRuns);
  await write("assets", insertImportedAssets);
}

async function openInto(
  deps: EngineDeps,
  held: ProjectImportRow,
  checked: Checked,
): Promise<ImportTarget> {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const renameFor = (what: string) => createRename(`${held.id} ${what}`, held.created_at, sha256);
  const renameConnection = renameFor("connection");
  const rename = renameFor("row");
  const here = await findConnections(deps, held, checked);
  const connectionOf = (id: string): string => here.get(id) ?? renameConnection(id);
  return {
    import: held,
    known: checked,
    rename,
    renameInJson: (id) => (checked.connections.has(id) ? connectionOf(id) : rename(id)),
    renameBatch: renameFor("batch"),
    renameUpload: renameFor("upload"),
    ids: deps.ids,
    connectionOf,
    hash: hashOf,
  };
}

/**
 * Maps the archive's connections to those that the importer may use: one of the same id and kind,
 * or the built-in one of its kind.
 */
async function findConnections(
  deps: EngineDeps,
  held: ProjectImportRow,
  { connections }: Checked,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const usable = await listUsableConnections(deps.store.read, held.user_id);
  for (const [id, kind] of connections) {
    if (kind === null) continue;
    const isBuiltin = deps.kinds.get(kind)?.builtin === true;
    const here = usable.find(
      (connection) => connection.kind === kind && (isBuiltin || connection.id === id),
    );
    if (here) found.set(id, here.id);
  }
  return found;
}

/**
 * Checks that the database accepted every row, because a skipped row would leave the project
 * incomplete.
 */
async function refuseGaps(
  deps: EngineDeps,
  held: ProjectImportRow,
  { conversations, messages, runs, assets }: Checked,
): Promise<void> {
  const there = await countImported(deps.store.read, held.project_id);
  const expected = {
    conversations: conversations.size,
    messages: messages.size,
    runs: runs.size,
    assets: assets.size,
  };
  if (JSON.stringify(there) !== JSON.stringify(expected))
    throw new Error(`an import wrote ${JSON.stringify(there)} of ${JSON.stringify(expected)}`);
}

async function show({ tx, at }: Unit, deps: EngineDeps, held: ProjectImportRow): Promise<void> {
  // The project's rows are written already, so it adds 0 bytes.
  await refuseStoring(deps.store, tx, { userId: held.user_id, projectId: held.project_id }, 0);
  await holdForImporter(tx, held, { state: "done", ended_at: at });
  await showProject(tx, held, at);
  await giveDefaultBudgets(tx, { scope: "project", scopeId: held.project_id, at }, deps.ids);
  const audit = {
    id: deps.ids(),
    actorId: held.user_id,
    action: "import-project" as const,
    targetKind: "project",
    targetId: held.project_id,
  };
  await recordAudit(tx, { ...audit, ip: null, at });
  deps.failpoints?.at("import.shown");
}
