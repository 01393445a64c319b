import type { ExpressionBuilder } from "kysely";
import type { ArchiveRows, archiveTables } from "#contract/archive.ts";
import { cleanText, type Provenance } from "#contract/entities.ts";
import { errors } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Ids } from "#domain/runs/ids.ts";
import { type Rename, renameIn } from "#domain/runs/imported-ids.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import { searchText, wordsOfMessage } from "#domain/text/search-words.ts";
import { fromArchiveRow } from "../database/archive-columns.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson, toJsonOrNull } from "../database/json.ts";
import type {
  AssetRow,
  ConversationRow,
  Database,
  MessageRow,
  ProjectImportRow,
  RunRow,
} from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { type ImportedFacts, runColumns } from "../runs/run-rows.ts";
import { assetColumns } from "./assets.ts";
import { conversationColumns, messageColumns } from "./conversations.ts";
import { putTags } from "./tags.ts";

/**
 * The contents of an archive, by its own ids: messages with their conversations, runs with their
 * models' names, and assets that have their file.
 */
export type Known = {
  conversations: ReadonlySet<string>;
  messages: ReadonlyMap<string, string>;
  runs: ReadonlyMap<string, string>;
  assets: ReadonlySet<string>;
};

/** The target of imported rows. All of them belong to the importer. */
export type ImportTarget = {
  import: Pick<ProjectImportRow, "id" | "project_id" | "user_id" | "created_at">;
  known: Known;
  rename: Rename;
  /** `rename` for ids inside JSON, which may refer to connections. */
  renameInJson: Rename;
  /** Create ids for things the archive has no id for: a run's batch, an asset's upload. */
  renameBatch: Rename;
  renameUpload: Rename;
  /** Creates ids for rows that are recognized by their content. */
  ids: Ids;
  /**
   * Maps a connection of the archive to the importer's own, or to an id that refers to nothing, as
   * for a deleted connection.
   */
  connectionOf(id: string): string;
  hash(value: unknown): string;
};

/** Facts read from a file's own bytes. */
export type FileFacts = Pick<
  AssetRow,
  "kind" | "mime" | "bytes" | "width" | "height" | "duration_ms" | "thumbhash"
> & {
  variants: string[];
  /** Missing when an older version analyzed the file. */
  provenance?: Provenance | null;
};

/** Caps a time from the archive: nothing may be newer than its import. */
const upTo = (into: ImportTarget, at: number): number => Math.min(at, into.import.created_at);
const upToOrNull = (into: ImportTarget, at: number | null): number | null =>
  at === null ? null : upTo(into, at);
const visibilityOf = ({ isPrivate }: { isPrivate: boolean }) =>
  isPrivate ? ("author" as const) : ("project" as const);

/** The archive names tools. Only the importer may allow them to spend without approval. */
function withoutLeave(settings: unknown): unknown {
  const tools = (settings as { tools?: { models?: unknown } } | null)?.tools;
  if (!tools || !Array.isArray(tools.models)) return settings;
  return {
    ...(settings as object),
    tools: { ...tools, models: tools.models.map((tool: object) => ({ ...tool, allowed: false })) },
  };
}

/** These inserts can be repeated: existing rows stay unchanged. */
export async function insertImportedConversations(
  tx: Tx,
  into: ImportTarget,
  conversations: ArchiveRows["conversations"][],
): Promise<void> {
  const rows = conversations.map((conversation): ConversationRow => {
    const head = conversation.headMessageId;
    return {
      ...fromArchiveRow(conversation, conversationColumns),
      id: into.rename(conversation.id),
      project_id: into.import.project_id,
      user_id: into.import.user_id,
      visibility: visibilityOf(conversation),
      settings: toJson(withoutLeave(renameIn(conversation.settings, into.renameInJson))),
      pinned: conversation.isPinned ? 1 : 0,
      temporary: 0,
      archived_at: upToOrNull(into, conversation.archivedAt),
      trashed_at: null,
      head_message_id:
        head !== null && into.known.messages.get(head) === conversation.id
          ? into.rename(head)
          : null,
      folder_id: null,
      titling: "done",
      forked_from:
        conversation.forkedFrom !== null && into.known.messages.has(conversation.forkedFrom)
          ? into.rename(conversation.forkedFrom)
          : null,
      created_at: upTo(into, conversation.createdAt),
      updated_at: upTo(into, conversation.updatedAt),
      idempotency_scope: null,
      idempotency_key: null,
      request_hash: null,
    };
  });
  await insertNew(tx, "conversation", rows);
}

export async function insertImportedMessages(
  tx: Tx,
  into: ImportTarget,
  messages: ArchiveRows["messages"][],
): Promise<void> {
  const { known, rename } = into;
  const inMessages = (id: string | null) =>
    id !== null && known.messages.has(id) ? rename(id) : null;
  const rows = messages.map(
    (message): MessageRow => ({
      ...fromArchiveRow(message, messageColumns),
      id: rename(message.id),
      conversation_id: rename(message.conversationId),
      parent_id: inMessages(message.parentId),
      parts: toJson(message.parts.flatMap((part) => toImportedPart(part, into))),
      search: wordsOfMessage(message.parts),
      run_id:
        message.runId !== null && known.runs.has(message.runId) ? rename(message.runId) : null,
      // Like a run's message, it need not be in the archive: it tells which message the runs belong
      // to.
      copy_of: message.copyOf === null ? null : rename(message.copyOf),
      continues_id: inMessages(message.continuesId),
      ask_group: message.askGroup === null ? null : rename(message.askGroup),
      picked_at: upToOrNull(into, message.pickedAt),
      trashed_at: null,
      merged_from: message.mergedFrom && toJson(message.mergedFrom.map(rename)),
      idempotency_scope: null,
      idempotency_key: null,
      request_hash: null,
      created_at: upTo(into, message.createdAt),
    }),
  );
  await insertNew(tx, "message", rows);
  await insertNew(
    tx,
    "feedback",
    messages.flatMap(({ id, role, feedback }) =>
      feedback && role === "assistant"
        ? {
            message_id: rename(id),
            user_id: into.import.user_id,
            value: feedback.value,
            reasons: toJson([...new Set(feedback.reasons)]),
            text: feedback.text,
            at: upTo(into, feedback.at),
          }
        : [],
    ),
  );
}

type Part = ArchiveRows["messages"]["parts"][number];

function toImportedPart(part: Part, { known, rename }: ImportTarget): Part | [] {
  // Exports contain none, and a handwritten archive could name somebody else's container.
  if (part.type === "tool-record") return [];
  if (part.type === "file") return { ...part, assetId: rename(part.assetId) };
  if (part.type === "source") return toImportedSource(part, { known, rename });
  if (part.type !== "tool-result") return part;
  const { runId, assetIds, pictureIds, state } = part;
  const here = (ids: readonly string[]) => ids.filter((id) => known.assets.has(id)).map(rename);
  return {
    ...part,
    // A tool that was running elsewhere isn't running here.
    state: state === "open" ? "stopped" : state,
    runId: runId !== null && known.runs.has(runId) ? rename(runId) : null,
    assetIds: here(assetIds),
    ...(pictureIds && { pictureIds: here(pictureIds) }),
  };
}

/** Drops unsafe URLs, and assets that the archive doesn't contain. */
function toImportedSource(
  { url, assetId, ...source }: Extract<Part, { type: "source" }>,
  { known, rename }: Pick<ImportTarget, "known" | "rename">,
): Part {
  return {
    ...source,
    ...(url !== undefined && /^https?:\/\//i.test(url) && { url }),
    ...(assetId !== undefined && known.assets.has(assetId) && { assetId: rename(assetId) }),
  };
}

/**
 * Inserts runs, each with a batch of its own so that it is listed like any other, and their inputs.
 */
export async function insertImportedRuns(
  tx: Tx,
  into: ImportTarget,
  runs: ArchiveRows["runs"][],
): Promise<void> {
  const alone = runs.filter(({ task }) => task !== "chat");
  await insertNew(
    tx,
    "batch",
    alone.map((run) => ({
      id: into.renameBatch(run.id),
      project_id: into.import.project_id,
      kind: "one" as const,
      task: run.task,
      input: toJson(renameIn(run.input, into.renameInJson)),
      axes: null,
      created_by: into.import.user_id,
      created_at: upTo(into, run.createdAt),
    })),
  );
  await insertNew(
    tx,
    "run",
    runs.map((run) => toRunRow(into, run)),
  );
  const inputs = runs.flatMap((run) =>
    run.inputs.map(({ assetId, role }) => ({
      run_id: into.rename(run.id),
      asset_id: into.rename(assetId),
      role,
    })),
  );
  await insertNew(tx, "run_input", inputs);
}

function toRunRow(into: ImportTarget, run: ArchiveRows["runs"]): RunRow {
  const { known, rename } = into;
  const input = renameIn(run.input, into.renameInJson);
  const inRuns = (id: string | null) => (id !== null && known.runs.has(id) ? rename(id) : null);
  const connectionId = into.connectionOf(run.model.connection);
  const imported: ImportedFacts = {
    costMicros: run.costMicros,
    costBasis: run.costBasis,
    person: run.person,
    modelName: run.model.name,
    kind: run.model.kind,
    attempts: run.attempts,
    books: run.books,
  };
  return {
    ...fromArchiveRow(run, runColumns),
    id: rename(run.id),
    project_id: into.import.project_id,
    user_id: into.import.user_id,
    visibility: visibilityOf(run),
    api_key_id: null,
    connection_id: connectionId,
    model_id: run.model.id,
    schema_hash: null,
    input: toJson(input),
    input_hash: into.hash(input),
    progress: null,
    queue_place: null,
    priority: 0,
    not_before: null,
    cancel_requested_at: null,
    idempotency_scope: null,
    idempotency_key: null,
    request_hash: "",
    batch_id: run.task === "chat" ? null : into.renameBatch(run.id),
    // A conversation missing from the archive is treated as deleted.
    message_id: run.messageId === null ? null : rename(run.messageId),
    retry_of: inRuns(run.retryOf),
    remix_of: inRuns(run.remixOf),
    prompt_version_id: null,
    waiting_for: null,
    held_micros: 0,
    cost_micros: null,
    cost_basis: null,
    placeless: 0,
    probes: 0,
    price_snapshot: toJson(run.prices),
    usage: toJsonOrNull(run.usage),
    result: toJsonOrNull(renameIn(run.result, into.renameInJson)),
    warnings: toJson(run.warnings),
    expansion: toJsonOrNull(run.expansion),
    error: run.error === null ? null : toJson(errorOf(run.error, connectionId)),
    worker_id: null,
    fence: 0,
    seq: 0,
    attempts: run.attempts.length,
    created_at: upTo(into, run.createdAt),
    started_at: upToOrNull(into, run.startedAt),
    first_output_at: null,
    finished_at: upTo(into, run.finishedAt ?? run.createdAt),
    pruned_at: into.import.created_at,
    imported: toJson(imported),
    alias: null,
    asked: null,
    next_models: null,
  };
}

/** Uses this catalog's texts, because archives don't contain error texts. */
function errorOf(code: keyof typeof errors, connectionId: string) {
  const { text, advice } = errors[code];
  return { code, message: text, advice, retryable: false, connectionId };
}

/**
 * Inserts the assets that have their file, with the facts from its bytes. An asset without a run
 * becomes an upload of the importer.
 */
export async function insertImportedAssets(
  tx: Tx,
  into: ImportTarget,
  archived: ArchiveRows["assets"][],
): Promise<void> {
  const { known, rename } = into;
  const assets = archived.filter(({ id }) => known.assets.has(id));
  const facts = await readFileFacts(
    tx,
    into.import.id,
    assets.map(({ sha256 }) => sha256),
  );
  const rows = assets.map((asset): AssetRow => {
    const { variants, provenance, ...found } = facts.get(asset.sha256)!;
    const run = asset.runId !== null && known.runs.has(asset.runId) ? asset.runId : null;
    return {
      ...fromArchiveRow(asset, assetColumns),
      id: rename(asset.id),
      project_id: into.import.project_id,
      visibility: visibilityOf(asset),
      run_id: run === null ? null : rename(run),
      made_in: null,
      connection_id: null,
      model_id: null,
      output_index: run === null ? null : asset.outputIndex,
      upload_id: run === null ? into.renameUpload(asset.id) : null,
      created_by: into.import.user_id,
      ...found,
      // The provider's values, for facts that the bytes don't contain.
      width: found.width ?? asset.width,
      height: found.height ?? asset.height,
      duration_ms: found.duration_ms ?? asset.durationMs,
      variants: toJson(variants),
      phash: null,
      provenance: toJsonOrNull(provenance),
      search: searchText(asset.title, asset.promptText, run === null ? "" : known.runs.get(run)!),
      trashed_at: null,
      deleted_at: null,
      created_at: upTo(into, asset.createdAt),
    };
  });
  const uploads = rows.flatMap((row) =>
    row.upload_id === null ? [] : [toUploadRow(row, row.upload_id)],
  );
  await insertNew(tx, "upload", uploads);
  await insertNew(tx, "asset", rows);
  await tagImported(tx, into, assets);
  await collectImported(tx, into, assets);
  const ofRun = (e: ExpressionBuilder<Database, "asset">) =>
    e.selectFrom("run").whereRef("run.id", "=", "asset.run_id");
  await tx
    .updateTable("asset")
    .set((e) => ({
      connection_id: ofRun(e).select("run.connection_id"),
      model_id: ofRun(e).select("run.model_id"),
    }))
    .where(isOneOf(tx, "id", toJson(rows.map(({ id }) => id))))
    .where("run_id", "is not", null)
    .execute();
}

async function tagImported(
  tx: Tx,
  into: ImportTarget,
  assets: readonly Pick<ArchiveRows["assets"], "id" | "tags">[],
): Promise<void> {
  const { project_id: projectId, user_id: userId, created_at: at } = into.import;
  const names = [...new Set(assets.flatMap(({ tags }) => tags))];
  if (names.length === 0) return;
  const tags = await putTags(tx, into.ids, { projectId, userId, at }, names);
  const rows = assets.flatMap((asset) =>
    asset.tags.flatMap((name) => {
      const tag = tags.get(foldTag(name));
      return tag ? { asset_id: into.rename(asset.id), tag_id: tag.id, user_id: userId, at } : [];
    }),
  );
  await insertNew(tx, "asset_tag", rows);
}

/** Restores collections with their order and cover. */
async function collectImported(
  tx: Tx,
  into: ImportTarget,
  assets: readonly Pick<ArchiveRows["assets"], "id" | "collections">[],
): Promise<void> {
  const { project_id: projectId, user_id: userId, created_at: at } = into.import;
  const items = assets.flatMap(({ id, collections }) =>
    collections.map((collection) => ({ ...collection, assetId: into.rename(id) })),
  );
  if (items.length === 0) return;
  const wanted = new Map(items.map(({ id, name }) => [into.rename(id), name]));
  const there = await tx
    .selectFrom("collection")
    .select("id")
    .where("project_id", "=", projectId)
    .execute();
  const known = new Set(there.map(({ id }) => id));
  // Anyone may have written the archive, so the project's limit on collections applies.
  const made = [...wanted]
    .filter(([id]) => !known.has(id))
    .slice(0, Math.max(0, limits.collectionsPerProject - known.size));
  for (const [id] of made) known.add(id);
  await insertNew(
    tx,
    "collection",
    made.map(([id, name]) => ({
      id,
      project_id: projectId,
      kind: "manual" as const,
      name: cleanText(name),
      query: null,
      cover_asset_id: null,
      created_by: userId,
      trashed_at: null,
      created_at: at,
      updated_at: at,
    })),
  );
  const placed = items.filter(({ id }) => known.has(into.rename(id)));
  await insertNew(
    tx,
    "collection_item",
    placed.map(({ id, assetId, orderKey }) => ({
      collection_id: into.rename(id),
      asset_id: assetId,
      order_key: orderKey,
      added_by: userId,
      added_at: at,
    })),
  );
  for (const { id, assetId } of placed.filter(({ isCover }) => isCover))
    await tx
      .updateTable("collection")
      .set({ cover_asset_id: assetId })
      .where("id", "=", into.rename(id))
      .where("cover_asset_id", "is", null)
      .execute();
}

const toUploadRow = (asset: AssetRow, id: string) => ({
  id,
  project_id: asset.project_id,
  user_id: asset.created_by,
  name: asset.title,
  bytes: asset.bytes,
  received: asset.bytes,
  sha256: asset.blob_sha256,
  state: "complete" as const,
  created_at: asset.created_at,
});

async function readFileFacts(
  db: Reader,
  importId: string,
  hashes: readonly string[],
): Promise<Map<string, FileFacts>> {
  if (hashes.length === 0) return new Map();
  const rows = await db
    .selectFrom("import_file")
    .selectAll()
    .where("import_id", "=", importId)
    .where("sha256", "in", hashes)
    .execute();
  return new Map(rows.map((row) => [row.sha256, fromJson<FileFacts>(row.facts)]));
}

async function insertNew(
  tx: Tx,
  table:
    | "conversation"
    | "message"
    | "feedback"
    | "batch"
    | "run"
    | "run_input"
    | "upload"
    | "asset"
    | "asset_tag"
    | "collection"
    | "collection_item",
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto(table)
    .values(rows as never)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Counts the imported rows by table of the archive. */
export async function countImported(
  db: Reader,
  projectId: string,
): Promise<Record<(typeof archiveTables)[number], number>> {
  const count = async (table: "conversation" | "run" | "asset"): Promise<number> => {
    const { n } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as("n"))
      .where("project_id", "=", projectId)
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  const { n } = await db
    .selectFrom("message")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("conversation.project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return {
    conversations: await count("conversation"),
    messages: Number(n),
    runs: await count("run"),
    assets: await count("asset"),
  };
}
