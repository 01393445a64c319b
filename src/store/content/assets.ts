import { sql } from "kysely";
import type { ArchiveRows } from "#contract/archive.ts";
import { type Asset, cleanText } from "#contract/entities.ts";
import { foldWords, searchText } from "#domain/text/search-words.ts";
import type { ArchiveColumns } from "../database/archive-columns.ts";
import { fromCursor, page, toCursor } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { AssetRow } from "../database/schema.ts";
import type { Reader, Searchable, Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";
import { hookOfKept } from "../webhooks/hooks.ts";
import { claimBlob, releaseBlobs } from "./blobs.ts";

export const toAsset = (row: AssetRow): Asset => ({
  id: row.id,
  projectId: row.project_id,
  visibility: row.visibility,
  runId: row.run_id,
  outputIndex: row.output_index,
  uploadId: row.upload_id,
  createdBy: row.created_by,
  sha256: row.blob_sha256,
  kind: row.kind as Asset["kind"],
  mime: row.mime,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  durationMs: row.duration_ms,
  thumbhash: row.thumbhash,
  variants: fromJson(row.variants),
  provenance: fromJsonOrNull(row.provenance),
  title: row.title,
  promptText: row.prompt_text,
  pick: row.pick,
  rating: row.rating,
  trashedAt: row.trashed_at,
  createdAt: row.created_at,
});

export const assetColumns = {
  id: "id",
  project_id: "stays",
  visibility: "isPrivate",
  run_id: "runId",
  // An export contains no runs of other projects.
  made_in: "stays",
  // The run has these already.
  connection_id: "stays",
  model_id: "stays",
  output_index: "outputIndex",
  upload_id: "stays",
  created_by: "person",
  blob_sha256: "sha256",
  kind: "kind",
  mime: "mime",
  bytes: "bytes",
  width: "width",
  height: "height",
  duration_ms: "durationMs",
  // An import, or a chore after it, computes these from the file's bytes, its title and its prompt.
  thumbhash: "stays",
  variants: "stays",
  search: "stays",
  phash: "stays",
  provenance: "stays",
  title: "title",
  prompt_text: "promptText",
  pick: "pick",
  rating: "rating",
  // The trash is not exported.
  trashed_at: "stays",
  deleted_at: "stays",
  created_at: "createdAt",
} as const satisfies ArchiveColumns<AssetRow, ArchiveRows["assets"]>;

export type NewAsset = Omit<Asset, "pick" | "rating" | "trashedAt"> & {
  modelName: string;
  phash?: string | null;
};

/**
 * Inserts an asset for a file that an earlier unit stored, after checking that its bytes are still
 * there.
 * @throws FileLeaving when they aren't and have to be stored again
 */
export async function insertKeptAsset(unit: Unit, asset: NewAsset): Promise<Asset> {
  await claimBlob(unit.tx, asset.sha256, asset.createdAt);
  return insertAsset(unit, asset);
}

const modelOf = prepared((db, { runId }: { runId: string }) =>
  db.selectFrom("run").select(["connection_id", "model_id"]).where("id", "=", runId),
);

/** Inserts the asset's row and its blob's. The bytes are already stored under their hash. */
export async function insertAsset(unit: Unit, asset: NewAsset): Promise<Asset> {
  await unit.tx
    .insertInto("blob")
    .values({
      sha256: asset.sha256,
      bytes: asset.bytes,
      mime: asset.mime,
      state: "stored",
      created_at: asset.createdAt,
    })
    .onConflict((conflict) => conflict.column("sha256").doUpdateSet({ mime: asset.mime }))
    .execute();
  const [made] = asset.runId === null ? [] : await modelOf(unit.tx, { runId: asset.runId });
  const row: AssetRow = {
    id: asset.id,
    project_id: asset.projectId,
    visibility: asset.visibility,
    run_id: asset.runId,
    made_in: null,
    connection_id: made?.connection_id ?? null,
    model_id: made?.model_id ?? null,
    output_index: asset.outputIndex,
    upload_id: asset.uploadId,
    created_by: asset.createdBy,
    blob_sha256: asset.sha256,
    kind: asset.kind,
    mime: asset.mime,
    bytes: asset.bytes,
    width: asset.width,
    height: asset.height,
    duration_ms: asset.durationMs,
    thumbhash: asset.thumbhash,
    variants: toJson(asset.variants),
    phash: asset.phash ?? null,
    provenance: toJsonOrNull(asset.provenance),
    title: cleanText(asset.title),
    prompt_text: cleanText(asset.promptText),
    search: searchText(asset.title, asset.promptText, asset.modelName),
    pick: "none",
    rating: 0,
    trashed_at: null,
    deleted_at: null,
    created_at: asset.createdAt,
  };
  await unit.tx.insertInto("asset").values(row).execute();
  unit.outbox.changes.push({
    projectId: asset.projectId,
    userId: asset.visibility === "author" ? asset.createdBy : null,
    kind: "asset",
    id: asset.id,
    at: asset.createdAt,
  });
  return toAsset(row);
}

export type AssetFilter = {
  projectId: string;
  userId: string;
  q?: string;
  kind?: Asset["kind"];
  pick?: Asset["pick"];
  source?: "made" | "uploaded";
  /**
   * The model used. Filters only together with `modelId`, because a model id alone is ambiguous.
   */
  connectionId?: string;
  modelId?: string;
  trash: boolean;
};

/**
 * @param isRare when few rows have the words or tags, SQLite finds those rows instead of scanning
 *   the project's
 * @param newest restricts the search to this many newest rows with the words
 */
function filtered(store: Searchable, filter: AssetFilter, isRare = false, newest?: number) {
  let query = store.read
    .selectFrom("asset")
    .where(isRare ? sql<string>`(asset.project_id || '')` : "project_id", "=", filter.projectId)
    .where("deleted_at", "is", null)
    .where("trashed_at", filter.trash ? "is not" : "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", filter.userId)]));
  if (filter.kind) query = query.where("kind", "=", filter.kind);
  if (filter.pick) query = query.where("pick", "=", filter.pick);
  if (filter.source)
    query = query.where("upload_id", filter.source === "uploaded" ? "is not" : "is", null);
  const { connectionId, modelId } = filter;
  if (connectionId !== undefined && modelId !== undefined)
    query = query.where("connection_id", "=", connectionId).where("model_id", "=", modelId);
  const words = foldWords(filter.q ?? "");
  if (words.length > 0) query = query.where(store.search("asset", words, filter.projectId, newest));
  return query;
}

async function isRare(store: Searchable, { q, projectId }: AssetFilter): Promise<boolean> {
  const words = foldWords(q ?? "");
  return words.length > 0 && !(await store.isCommon("asset", words, projectId));
}

async function readRows(
  store: Searchable,
  filter: AssetFilter & { cursor?: string; limit: number },
  rare: boolean,
): Promise<AssetRow[]> {
  let query = filtered(store, filter, rare).selectAll();
  if (filter.cursor)
    query = query.where("id", "<=", fromCursor(filter.cursor, ["string"])[0] as string);
  return query
    .orderBy("id", "desc")
    .limit(filter.limit + 1)
    .execute();
}

/** If this many newest rows don't fill the page, all rows with the words are searched. */
const maxNewest = 1_000;

/**
 * Reads the first page for words that thousands of rows have, from the most recently saved rows
 * only: for words such as a single letter, listing all matching files takes longer than reading
 * their page. Undefined when the page isn't full, or when an asset saved earlier has an id that
 * belongs on it.
 */
async function readNewest(
  store: Searchable,
  filter: AssetFilter & { cursor?: string; limit: number },
): Promise<AssetRow[] | undefined> {
  const { q, projectId, cursor, limit } = filter;
  const words = foldWords(q ?? "");
  if (words.length === 0 || cursor || !store.isOlder) return undefined;
  const rows = await filtered(store, filter, false, maxNewest)
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const last = rows[limit];
  if (!last) return undefined;
  const { q: _, ...others } = filter;
  const missed = await filtered(store, others)
    .select("id")
    .where("id", ">", last.id)
    .where(store.isOlder("asset", words, projectId, maxNewest))
    .limit(1)
    .executeTakeFirst();
  return missed ? undefined : rows;
}

/** Lists the library newest first, by ids, which are in creation order. */
export async function listAssets(
  store: Searchable,
  filter: AssetFilter & { cursor?: string; limit: number },
): Promise<{ assets: Asset[]; next: string | null }> {
  const rare = await isRare(store, filter);
  const rows =
    (rare ? undefined : await readNewest(store, filter)) ?? (await readRows(store, filter, rare));
  const after = rows.length > filter.limit ? rows.at(-1) : undefined;
  return {
    assets: page(rows, filter.limit, (row) => [row.id]).rows.map(toAsset),
    next: after ? toCursor([after.id]) : null,
  };
}

/**
 * Lists the newest assets with these words in their text or in the names of their tags, like
 * `findInLibrary`, but without reading the library: an asset has all words in its text, or a tag for
 * one of them.
 * @param tagged for each word that tag names contain, those tags
 */
export async function searchAssets(
  store: Searchable,
  filter: AssetFilter & { q: string; limit: number },
  tagged: Readonly<Record<string, readonly string[]>>,
): Promise<Asset[]> {
  const { q, ...others } = filter;
  const { assets } = await listAssets(store, filter);
  if (Object.keys(tagged).length === 0) return assets;
  const found = new Map(assets.map((asset) => [asset.id, asset]));
  const hasOneOf = (tagIds: readonly string[]) =>
    sql<boolean>`asset.id in ${store.read
      .selectFrom("asset_tag")
      .select("asset_id")
      .where(isOneOf(store.read, "tag_id", toJson(tagIds)))}`;
  const has = (words: string[]) => store.search("asset", words, filter.projectId);
  const words = [...new Set(foldWords(q))];
  // `in` would find the word "constructor" in every object.
  const plain = words.filter((word) => !Object.hasOwn(tagged, word));
  const tagIds = [...new Set(Object.values(tagged).flat())];
  let query = filtered(store, others, true).selectAll().where(hasOneOf(tagIds));
  if (plain.length > 0) query = query.where(has(plain));
  // A single word needs no test besides its tags.
  if (words.length > 1)
    for (const [word, ids] of Object.entries(tagged))
      query = query.where((e) => e.or([has([word]), hasOneOf(ids)]));
  const rows = await query.orderBy("id", "desc").limit(filter.limit).execute();
  for (const row of rows) found.set(row.id, toAsset(row));
  return [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, filter.limit);
}

export async function getAsset(db: Reader, id: string): Promise<Asset | undefined> {
  const row = await db
    .selectFrom("asset")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row && toAsset(row);
}

/**
 * Returns those of the assets that are in the project and visible to the person, trashed ones
 * included.
 */
export async function getAssetsIn(
  db: Reader,
  projectId: string,
  userId: string,
  ids: readonly string[],
): Promise<Asset[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("asset")
    .selectAll()
    .where(isOneOf(db, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", userId)]))
    .execute();
  // With the project in the query, SQLite would read all its assets for a few ids.
  const inProject = rows.filter((row) => row.project_id === projectId);
  const byId = new Map(inProject.map((row) => [row.id, toAsset(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Lists the runs' assets still in the runs' projects; a moved file shows in its new project. */
export async function listAssetsOfRuns(db: Reader, runIds: readonly string[]): Promise<Asset[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom("asset")
    .selectAll()
    .where(isOneOf(db, "run_id", toJson(runIds)))
    .where("made_in", "is", null)
    .where("deleted_at", "is", null)
    .orderBy("run_id")
    .orderBy("output_index")
    .execute();
  return rows.map(toAsset);
}

/** The number of files that represent a run in a list. */
const maxFirst = 4;

/** Returns the first files of each run that the person may see and that aren't in the trash. */
export async function listFirstAssets(
  db: Reader,
  userId: string,
  runIds: readonly string[],
): Promise<Asset[]> {
  const shown = new Map<string, number>();
  return (await listAssetsOfRuns(db, runIds)).filter((asset) => {
    if (asset.trashedAt !== null || asset.runId === null) return false;
    if (asset.visibility !== "project" && asset.createdBy !== userId) return false;
    const before = shown.get(asset.runId) ?? 0;
    shown.set(asset.runId, before + 1);
    return before < maxFirst;
  });
}

/**
 * Returns a page of the assets made in the project with this asset as input, oldest first. For
 * frames of a session, the frame's own input decides.
 */
export async function listMadeFrom(
  db: Reader,
  of: { assetId: string; projectId: string; userId: string; cursor?: string; limit: number },
): Promise<{ assets: Asset[]; next: string | null }> {
  const { assetId, projectId, userId, cursor, limit } = of;
  let query = db
    .selectFrom("asset")
    .selectAll("asset")
    .leftJoin("output", (on) =>
      on
        .onRef("output.run_id", "=", "asset.run_id")
        .onRef("output.index", "=", "asset.output_index"),
    )
    .where(
      "asset.run_id",
      "in",
      db.selectFrom("run_input").select("run_id").where("asset_id", "=", assetId),
    )
    .where((e) =>
      e.or([e("output.input", "is", null), e("output.input", "like", `%asset:${assetId}%`)]),
    )
    .where("asset.made_in", "is", null)
    // Found through their runs: with an index of the project, SQLite would read all its assets.
    .where(sql<string>`(asset.project_id || '')`, "=", projectId)
    .where("asset.deleted_at", "is", null)
    .where((e) => e.or([e("asset.visibility", "=", "project"), e("asset.created_by", "=", userId)]))
    .orderBy("asset.id")
    .limit(limit + 1);
  if (cursor) query = query.where("asset.id", ">", fromCursor(cursor, ["string"])[0] as string);
  const shown = page(await query.execute(), limit, (row) => [row.id]);
  return { assets: shown.rows.map(toAsset), next: shown.next };
}

const inputRows = prepared((db, { runId }: { runId: string }) =>
  db
    .selectFrom("run_input")
    .select(["asset_id", "role"])
    .where("run_id", "=", runId)
    .orderBy("role"),
);

export async function listRunInputs(
  db: Reader,
  runId: string,
): Promise<{ assetId: string; role: string }[]> {
  const rows = await inputRows(db, { runId });
  return rows.map((row) => ({ assetId: row.asset_id, role: row.role }));
}

export async function insertRunInputs(
  tx: Tx,
  runId: string,
  inputs: readonly { assetId: string; role: string }[],
): Promise<void> {
  if (inputs.length === 0) return;
  await tx
    .insertInto("run_input")
    .values(inputs.map((input) => ({ run_id: runId, asset_id: input.assetId, role: input.role })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export type AssetChange = Partial<{
  title: string;
  pick: Asset["pick"];
  rating: number;
  trashedAt: number | null;
  deletedAt: number;
}>;

export async function updateAssets(
  unit: Unit,
  ids: readonly string[],
  change: AssetChange,
): Promise<Asset[]> {
  const changed: Asset[] = [];
  const files: string[] = [];
  for (const id of [...ids].sort()) {
    const set: Partial<AssetRow> = {
      ...(change.title !== undefined && { title: cleanText(change.title) }),
      ...(change.pick !== undefined && { pick: change.pick }),
      ...(change.rating !== undefined && { rating: change.rating }),
      ...(change.trashedAt !== undefined && { trashed_at: change.trashedAt }),
      ...(change.deletedAt !== undefined && {
        deleted_at: change.deletedAt,
        title: "",
        prompt_text: "",
        search: "",
        thumbhash: null,
        provenance: null,
      }),
    };
    const wasKept = change.pick === "kept" && (await isKept(unit.tx, id));
    const row = await unit.tx
      .updateTable("asset")
      .set(set)
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (!row) continue;
    if (change.deletedAt !== undefined) files.push(row.blob_sha256);
    if (change.title !== undefined) {
      const search = searchText(row.title, row.prompt_text, await modelNameOf(unit.tx, row.run_id));
      await unit.tx.updateTable("asset").set({ search }).where("id", "=", id).execute();
    }
    unit.outbox.changes.push({
      projectId: row.project_id,
      userId: row.visibility === "author" ? row.created_by : null,
      kind: "asset",
      id,
      at: unit.at,
    });
    const asset = toAsset(row);
    if (change.pick === "kept" && !wasKept) unit.outbox.hooks.push(hookOfKept(asset, unit.at));
    changed.push(asset);
  }
  if (change.deletedAt !== undefined)
    for (const table of ["asset_tag", "collection_item"] as const)
      await unit.tx
        .deleteFrom(table)
        .where(isOneOf(unit.tx, "asset_id", toJson(changed.map(({ id }) => id))))
        .execute();
  await releaseBlobs(unit.tx, files);
  return changed;
}

const isKept = async (db: Reader, id: string): Promise<boolean> =>
  (await db.selectFrom("asset").select("pick").where("id", "=", id).executeTakeFirst())?.pick ===
  "kept";

/**
 * Returns the name of the model of an asset's run; empty for an upload, and when the model's
 * connection is gone.
 */
async function modelNameOf(tx: Tx, runId: string | null): Promise<string> {
  if (runId === null) return "";
  const model = await tx
    .selectFrom("run")
    .innerJoin("model", (on) =>
      on
        .onRef("model.connection_id", "=", "run.connection_id")
        .onRef("model.model_id", "=", "run.model_id"),
    )
    .select("model.name")
    .where("run.id", "=", runId)
    .executeTakeFirst();
  return model?.name ?? "";
}

export async function listTrashedBefore(
  db: Reader,
  before: number,
  limit: number,
): Promise<string[]> {
  return (
    await db
      .selectFrom("asset")
      .select("id")
      .where("trashed_at", "<", before)
      .where("deleted_at", "is", null)
      .orderBy("trashed_at")
      .limit(limit)
      .execute()
  ).map((row) => row.id);
}

/**
 * Finds an earlier upload of the same bytes by this person to this project that isn't in the trash.
 */
export async function findUpload(
  db: Reader,
  of: { projectId: string; userId: string; sha256: string },
): Promise<Asset | undefined> {
  const row = await db
    .selectFrom("asset")
    .selectAll()
    .where("blob_sha256", "=", of.sha256)
    .where("project_id", "=", of.projectId)
    .where("created_by", "=", of.userId)
    .where("upload_id", "is not", null)
    .where("trashed_at", "is", null)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row && toAsset(row);
}

/** Records a completed upload, for the asset created from it. */
export async function insertUpload(
  tx: Tx,
  upload: {
    id: string;
    projectId: string;
    userId: string;
    name: string;
    bytes: number;
    sha256: string;
    at: number;
  },
): Promise<void> {
  await tx
    .insertInto("upload")
    .values({
      id: upload.id,
      project_id: upload.projectId,
      user_id: upload.userId,
      name: upload.name,
      bytes: upload.bytes,
      received: upload.bytes,
      sha256: upload.sha256,
      state: "complete",
      created_at: upload.at,
    })
    .execute();
}

/** Lists pictures and videos that have a thumbnail but no hash yet. */
export async function listUnhashed(
  db: Reader,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<{ id: string; sha256: string }[]> {
  return db
    .selectFrom("asset")
    .select(["id", "blob_sha256 as sha256"])
    .where("phash", "is", null)
    .where("thumbhash", "is not", null)
    .where("deleted_at", "is", null)
    .$if(before !== undefined, (query) => query.where("id", "<", before!))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/**
 * Stores the similarity hashes; an empty one means that nothing can be compared. Assets hashed or
 * deleted meanwhile stay unchanged.
 */
export async function setHashes(unit: Unit, hashes: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, phash] of [...hashes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const row = await unit.tx
      .updateTable("asset")
      .set({ phash })
      .where("id", "=", id)
      .where("phash", "is", null)
      .where("deleted_at", "is", null)
      .returning(["project_id", "visibility", "created_by"])
      .executeTakeFirst();
    if (!row) continue;
    unit.outbox.changes.push({
      projectId: row.project_id,
      userId: row.visibility === "author" ? row.created_by : null,
      kind: "assets",
      id: row.project_id,
      assetIds: [id],
      at: unit.at,
    });
  }
}

/**
 * Returns the similarity hash of an asset in this project that the person may see; undefined when
 * there is none.
 */
export async function getHash(
  db: Reader,
  { projectId, userId }: { projectId: string; userId: string },
  id: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("asset")
    .select(["phash", "project_id"])
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", userId)]))
    .executeTakeFirst();
  return (row?.project_id === projectId && row.phash) || undefined;
}
