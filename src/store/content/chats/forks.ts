import { sql } from "kysely";
import type { Conversation } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import type { Ids } from "#domain/runs/ids.ts";
import { wordsOfMessage } from "#domain/text/search-words.ts";
import { isOneOf } from "../../database/is-one-of.ts";
import { fromJson, toJson } from "../../database/json.ts";
import { preparedRows } from "../../database/prepared.ts";
import type { MessageRow } from "../../database/schema.ts";
import type { Reader, Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";
import { type Idempotency, insertConversation } from "../conversations.ts";

const insertRows = preparedRows((db, rows: MessageRow[]) => db.insertInto("message").values(rows));

/** The messages that a fork at a message copies, without their text. */
export type ForkPlan = {
  /** The branch, and the context selections that apply to it. */
  ids: string[];
  bytes: number;
  isRunning: boolean;
  /** Whether tool messages follow, which are part of the answer. */
  hasTools: boolean;
};

export async function planFork(
  tx: Tx,
  conversationId: string,
  messageId: string,
): Promise<ForkPlan> {
  const rows = await tx
    .selectFrom("message")
    .select(["id", "parent_id", "role", "state"])
    .select((e) => e.fn<number>("octet_length", ["parts"]).as("bytes"))
    .where("conversation_id", "=", conversationId)
    .where("trashed_at", "is", null)
    .orderBy("id")
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const onBranch = new Set<string>();
  for (let row = byId.get(messageId); row; row = byId.get(row.parent_id ?? ""))
    onBranch.add(row.id);
  const copied = rows.filter(
    ({ id, role, state, parent_id }) =>
      onBranch.has(id) ||
      (role === "context" && state === "complete" && onBranch.has(parent_id ?? "")),
  );
  return {
    ids: copied.map(({ id }) => id),
    bytes: copied.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    isRunning: copied.some(({ state }) => state === "streaming"),
    hasTools: rows.some(({ role, parent_id }) => role === "tool" && parent_id === messageId),
  };
}

/**
 * Creates a conversation that starts with copies of these messages. The copies refer to the same
 * runs, which still belong to the originals.
 */
export async function insertFork(
  unit: Unit,
  ids: Ids,
  fork: {
    source: Conversation;
    title: string;
    messageId: string;
    /** The messages to copy. */
    ids: readonly string[];
    idempotency: Idempotency | undefined;
  },
): Promise<Conversation> {
  const { source, messageId } = fork;
  // New ids follow the order of the old ones, which is the time order.
  const inOrder = await unit.tx
    .selectFrom("message")
    .selectAll()
    .where(isOneOf(unit.tx, "id", toJson(fork.ids)))
    .orderBy("id")
    .execute();
  const newIds = new Map(inOrder.map(({ id }) => [id, ids()]));
  const conversation = await insertConversation(unit, {
    id: ids(),
    projectId: source.projectId,
    userId: source.userId,
    visibility: source.visibility,
    title: fork.title,
    systemPrompt: source.systemPrompt,
    settings: source.settings,
    headMessageId: newIds.get(messageId)!,
    forkedFrom: messageId,
    idempotency: fork.idempotency,
    at: unit.at,
  });
  const copies = inOrder.map(
    ({ row: _, ...row }: MessageRow & { row?: number }): MessageRow => ({
      ...row,
      id: newIds.get(row.id)!,
      conversation_id: conversation.id,
      parent_id: row.parent_id === null ? null : (newIds.get(row.parent_id) ?? null),
      // SQLite keeps the words only in its index.
      search: wordsOfMessage(fromJson(row.parts)),
      copy_of: row.copy_of ?? row.id,
      continues_id: null,
      // Of answers side by side, only the one on the branch is copied.
      ask_group: null,
      ask_column: null,
      picked_at: null,
      merged_from: null,
      idempotency_scope: null,
      idempotency_key: null,
      request_hash: null,
    }),
  );
  await insertRows(unit.tx, copies);
  return conversation;
}

/**
 * Returns the source of a fork. The conversation is named only to people who may read it, and to
 * nobody while it is in the trash.
 */
export async function getForkSource(
  db: Reader,
  conversationId: string,
  userId: string,
): Promise<RouteOutput<"getConversation">["forkedFrom"]> {
  const fork = await db
    .selectFrom("conversation")
    .select((e) => [
      "forked_from",
      e
        .selectFrom("message")
        .select((max) => max.fn.max("message.id").as("id"))
        .whereRef("message.conversation_id", "=", "conversation.id")
        .where("message.copy_of", "is not", null)
        .where("message.trashed_at", "is", null)
        .where("message.role", "<>", sql.lit("context"))
        .as("up_to"),
    ])
    .where("id", "=", conversationId)
    .where("forked_from", "is not", null)
    .executeTakeFirst();
  if (!fork?.forked_from) return null;
  const source = await db
    .selectFrom("message")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .select(["message.id as messageId", "conversation.id as conversationId", "title"])
    .where("message.id", "=", fork.forked_from)
    .where("conversation.trashed_at", "is", null)
    .where((e) =>
      e.or([e("conversation.visibility", "=", "project"), e("conversation.user_id", "=", userId)]),
    )
    .executeTakeFirst();
  return { upTo: fork.up_to, source: source ?? null };
}
