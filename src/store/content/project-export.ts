import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { ArchiveRows, ArchiveTable } from "#contract/archive.ts";
import type { MessagePart, Model, RunExpansion } from "#contract/entities.ts";
import { finalStates } from "#domain/runs/run-machine.ts";
import { leavingColumns, toArchiveRow } from "../database/archive-columns.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, fromJsonOrNull, toJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import type { FeedbackRow } from "../database/schema.ts";
import type { Reader } from "../database/store.ts";
import { type ImportedFacts, runColumns } from "../runs/run-rows.ts";
import { assetColumns } from "./assets.ts";
import { conversationColumns, messageColumns } from "./conversations.ts";

/** Rows per query. */
const rowsAtOnce = 200;

/**
 * The project and the person of an export: it contains only rows that the person may see and that
 * existed when it started.
 */
export type ExportOf = { projectId: string; userId: string; lastId: string };

type Page<T> = { rows: T[]; last: string | null };
const toPage = <Row extends { id: string }, T>(rows: Row[], toRow: (row: Row) => T): Page<T> => ({
  rows: rows.map(toRow),
  last: rows.length === rowsAtOnce ? (rows.at(-1)?.id ?? null) : null,
});

/** All fields of an archive's table. The archive's reader checks their values. */
type FieldsOf<T extends ArchiveTable> = Record<keyof ArchiveRows[T], unknown>;

/** An exported asset; its hash locates its file. */
export type ExportedAsset = Awaited<ReturnType<typeof listAssetsToExport>>["rows"][number];

/**
 * Lists the library by id, without the trash.
 * @param after the last id of the previous page; "" for the first page
 */
export async function listAssetsToExport(db: Reader, of: ExportOf, after: string) {
  const rows = await db
    .selectFrom("asset")
    .innerJoin("user", "user.id", "asset.created_by")
    .select(leavingColumns(assetColumns).map((column) => `asset.${column}` as const))
    .select(["user.name as person", "asset.made_in"])
    .where("project_id", "=", of.projectId)
    .where("trashed_at", "is", null)
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", of.userId)]))
    .where("asset.id", ">", after)
    .where("asset.id", "<=", of.lastId)
    .orderBy("asset.id")
    .limit(rowsAtOnce)
    .execute();
  const tagged = await db
    .selectFrom("asset_tag")
    .innerJoin("tag", "tag.id", "asset_tag.tag_id")
    .select(["asset_tag.asset_id", "tag.name"])
    .where(isOneOf(db, "asset_tag.asset_id", toJson(rows.map(({ id }) => id))))
    .orderBy("tag.folded")
    .execute();
  const tagsOf = Map.groupBy(tagged, (tag) => tag.asset_id);
  const collected = await db
    .selectFrom("collection_item")
    .innerJoin("collection", "collection.id", "collection_item.collection_id")
    .select(["asset_id", "order_key", "collection.id", "collection.name", "cover_asset_id"])
    .where(isOneOf(db, "collection_item.asset_id", toJson(rows.map(({ id }) => id))))
    .where("collection.trashed_at", "is", null)
    .orderBy("collection.id")
    .execute();
  const collectionsOf = Map.groupBy(collected, (item) => item.asset_id);
  return toPage(
    rows,
    (row) =>
      ({
        ...toArchiveRow(row, assetColumns),
        // The run of a file that was moved here is in another project's archive.
        ...(row.made_in !== null && { runId: null, outputIndex: null }),
        tags: (tagsOf.get(row.id) ?? []).map(({ name }) => name),
        collections: (collectionsOf.get(row.id) ?? []).map((item) => ({
          id: item.id,
          name: item.name,
          orderKey: item.order_key,
          isCover: item.cover_asset_id === row.id,
        })),
        isPrivate: row.visibility === "author",
        person: row.person,
      }) satisfies FieldsOf<"assets">,
  );
}

/**
 * Lists ended runs, each as a recipe: its input, model, price and results, without URLs and
 * provider ids.
 */
export async function listRunsToExport(db: Reader, of: ExportOf, after: string) {
  const rows = await db
    .selectFrom("run")
    .innerJoin("user", "user.id", "run.user_id")
    .leftJoin("connection", "connection.id", "run.connection_id")
    .leftJoin("model", (join) =>
      join
        .onRef("model.connection_id", "=", "run.connection_id")
        .onRef("model.model_id", "=", "run.model_id"),
    )
    .selectAll("run")
    .select(["user.name as person", "connection.kind as kind", "model.name as model_name"])
    .where("run.project_id", "=", of.projectId)
    .where("run.state", "in", literals(finalStates))
    .where((e) => e.or([e("run.visibility", "=", "project"), e("run.user_id", "=", of.userId)]))
    .where("run.id", ">", after)
    .where("run.id", "<=", of.lastId)
    .orderBy("run.id")
    .limit(rowsAtOnce)
    .execute();
  const details = await detailsOf(
    db,
    of,
    rows.map(({ id }) => id),
  );
  return toPage(
    rows,
    (row) =>
      ({
        ...toArchiveRow(row, runColumns),
        model: {
          id: row.model_id,
          name: row.model_name ?? row.model_id,
          kind: row.kind,
          connection: row.connection_id,
        },
        input: fromJson<unknown>(row.input),
        result: withoutAddresses(fromJsonOrNull<unknown>(row.result)),
        usage: fromJsonOrNull<unknown>(row.usage),
        prices: (fromJsonOrNull<Model["prices"]>(row.price_snapshot) ?? []).map(withoutHost),
        warnings: fromJson<unknown>(row.warnings),
        expansion: fromJsonOrNull<RunExpansion>(row.expansion),
        error: fromJsonOrNull<{ code: string }>(row.error)?.code ?? null,
        isPrivate: row.visibility === "author",
        person: row.person,
        ...details(row.id),
        ...(row.imported && elsewhere(row, fromJson<ImportedFacts>(row.imported))),
      }) satisfies FieldsOf<"runs">,
  );
}

/** An imported run is exported as it was imported: with its original author, input and cost. */
const elsewhere = (
  row: { model_id: string; connection_id: string },
  { person, modelName, kind, costMicros, costBasis, attempts, books }: ImportedFacts,
) => ({
  model: { id: row.model_id, name: modelName, kind, connection: row.connection_id },
  person,
  costMicros,
  costBasis,
  attempts,
  books,
});

/**
 * Returns details by run: the inputs that the person may see, the outcome of each attempt, and the
 * ledger's sums by kind, in micro-dollars.
 */
async function detailsOf(db: Reader, { userId, projectId }: ExportOf, runIds: readonly string[]) {
  if (runIds.length === 0) return () => ({ inputs: [], attempts: [], books: {} });
  const [inputs, attempts, books] = await Promise.all([
    db
      .selectFrom("run_input")
      .innerJoin("asset", "asset.id", "run_input.asset_id")
      .selectAll("run_input")
      .where("run_input.run_id", "in", runIds)
      // Found by their runs: with an index of the project, SQLite would read all its assets.
      .where(sql<string>`(asset.project_id || '')`, "=", projectId)
      .where((e) =>
        e.or([e("asset.visibility", "=", "project"), e("asset.created_by", "=", userId)]),
      )
      .execute(),
    db
      .selectFrom("attempt")
      .select(["run_id", "number", "state", "http_status", "sent_at", "ended_at"])
      .where("run_id", "in", runIds)
      .orderBy("number")
      .execute(),
    db
      .selectFrom("ledger_entry")
      .select((e) => ["run_id", "kind", e.fn.sum<number | string>("micros").as("micros")])
      .where("run_id", "in", runIds)
      .groupBy(["run_id", "kind"])
      .execute(),
  ]);
  const inputsOf = Map.groupBy(inputs, (row) => row.run_id);
  const attemptsOf = Map.groupBy(attempts, (row) => row.run_id);
  const booksOf = Map.groupBy(books, (row) => row.run_id);
  return (runId: string) => ({
    inputs: (inputsOf.get(runId) ?? []).map((row) => ({ assetId: row.asset_id, role: row.role })),
    attempts: (attemptsOf.get(runId) ?? []).map((row) => ({
      number: row.number,
      state: row.state,
      httpStatus: row.http_status,
      sentAt: row.sent_at,
      endedAt: row.ended_at,
    })),
    books: Object.fromEntries(
      (booksOf.get(runId) ?? []).map((row) => [row.kind, Number(row.micros)]),
    ),
  });
}

/** A price from a provider names its host, which may be a private gateway. */
const withoutHost = ({ source, ...price }: Model["prices"][number]) => ({
  ...price,
  source: ["person", "genai-prices", "built in"].includes(source) ? source : "provider",
});

/** A provider's URLs may be signed: anyone with one can read the file. */
function withoutAddresses(value: unknown): unknown {
  if (typeof value === "string") return /^(https?|wss?):\/\//i.test(value) ? null : value;
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withoutAddresses(part)]),
  );
}

/** Lists the conversations that the person may see, by id, without trashed and temporary ones. */
export async function listConversationsToExport(db: Reader, of: ExportOf, after: string) {
  const rows = await db
    .selectFrom("conversation")
    .innerJoin("user", "user.id", "conversation.user_id")
    .selectAll("conversation")
    .select((e) => [
      "user.name as person",
      // A reference to somebody else's private conversation is left out.
      e
        .selectFrom("message as source")
        .innerJoin("conversation as forked", "forked.id", "source.conversation_id")
        .select("source.id")
        .whereRef("source.id", "=", "conversation.forked_from")
        .where((or) =>
          or.or([or("forked.visibility", "=", "project"), or("forked.user_id", "=", of.userId)]),
        )
        .as("source_id"),
    ])
    .where("project_id", "=", of.projectId)
    .where("trashed_at", "is", null)
    .where("temporary", "=", 0)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", of.userId)]))
    .where("conversation.id", ">", after)
    .where("conversation.id", "<=", of.lastId)
    .orderBy("conversation.id")
    .limit(rowsAtOnce)
    .execute();
  return toPage(
    rows,
    (row) =>
      ({
        ...toArchiveRow(row, conversationColumns),
        settings: fromJson<unknown>(row.settings),
        isPrivate: row.visibility === "author",
        isPinned: row.pinned === 1,
        forkedFrom: row.source_id,
        person: row.person,
      }) satisfies FieldsOf<"conversations">,
  );
}

/** Lists the messages of those conversations, by id, except unfinished ones. */
export async function listMessagesToExport(db: Reader, of: ExportOf, after: string) {
  const rows = await db
    .selectFrom("message")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .leftJoin("feedback", (join) =>
      join.onRef("feedback.message_id", "=", "message.id").on("feedback.user_id", "=", of.userId),
    )
    .select(leavingColumns(messageColumns).map((column) => `message.${column}` as const))
    .select(["feedback.value", "feedback.reasons", "feedback.text", "feedback.at"])
    .where("conversation.project_id", "=", of.projectId)
    .where("conversation.trashed_at", "is", null)
    .where("conversation.temporary", "=", 0)
    .where((e) =>
      e.or([
        e("conversation.visibility", "=", "project"),
        e("conversation.user_id", "=", of.userId),
      ]),
    )
    .where("message.state", "!=", sql.lit("streaming"))
    .where("message.trashed_at", "is", null)
    .where("message.id", ">", after)
    .where("message.id", "<=", of.lastId)
    .orderBy("message.id")
    .limit(rowsAtOnce)
    .execute();
  return toPage(
    rows,
    (row) =>
      ({
        ...toArchiveRow(row, messageColumns),
        // A provider's container belongs to the conversation it was created for.
        parts: fromJson<MessagePart[]>(row.parts).filter(({ type }) => type !== "tool-record"),
        mergedFrom: row.merged_from === null ? null : fromJson<string[]>(row.merged_from),
        feedback: toFeedback(row),
      }) satisfies FieldsOf<"messages">,
  );
}

const toFeedback = ({
  value,
  reasons,
  text,
  at,
}: {
  [C in "value" | "reasons" | "text" | "at"]: FeedbackRow[C] | null;
}): ArchiveRows["messages"]["feedback"] =>
  value === null
    ? null
    : { value, reasons: fromJson(reasons ?? "[]"), text: text ?? "", at: at ?? 0 };

export type Exported = { id: string };
export type ListToExport<T extends Exported> = (
  db: Reader,
  of: ExportOf,
  after: string,
) => Promise<Page<T>>;

/** Yields every row of a list, holding one page in memory at a time. */
export async function* readToExport<T extends Exported>(
  db: Reader,
  of: ExportOf,
  list: ListToExport<T>,
): AsyncGenerator<T> {
  for (let after: string | null = ""; after !== null; ) {
    const page: Page<T> = await list(db, of, after);
    yield* page.rows;
    // node:sqlite answers synchronously: awaiting it alone lets no other work run.
    await nextTurn();
    after = page.last;
  }
}
