import type { ArchiveRows } from "#contract/archive.ts";
import type { Conversation, Message, MessagePart } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { wordsOfMessage } from "#domain/text/search-words.ts";
import type { ArchiveColumns } from "../database/archive-columns.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import { prepared, preparedChange, preparedRows } from "../database/prepared.ts";
import type { ConversationRow, MessageRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";
import { shareRuns } from "./chats/shared-runs.ts";

export const toConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  projectId: row.project_id,
  userId: row.user_id,
  visibility: row.visibility,
  title: row.title,
  systemPrompt: row.system_prompt,
  settings: fromJson(row.settings),
  pinned: row.pinned === 1,
  archivedAt: row.archived_at,
  trashedAt: row.trashed_at,
  headMessageId: row.head_message_id,
  expiresAt: row.temporary === 1 ? row.updated_at + limits.temporaryChatMs : null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
export const toMessage = (row: MessageRow): Message => ({
  id: row.id,
  conversationId: row.conversation_id,
  parentId: row.parent_id,
  role: row.role,
  state: row.state,
  parts: fromJson(row.parts),
  runId: row.run_id,
  createdAt: row.created_at,
  ...(row.copy_of !== null && { isCopy: true as const }),
  ...(row.ask_group !== null && {
    group: {
      id: row.ask_group,
      column: row.ask_column,
      pickedAt: row.picked_at,
      ...(row.merged_from !== null && { mergedFrom: fromJson<string[]>(row.merged_from) }),
    },
  }),
});

export const conversationColumns = {
  id: "id",
  project_id: "stays",
  user_id: "person",
  visibility: "isPrivate",
  title: "title",
  system_prompt: "systemPrompt",
  settings: "settings",
  pinned: "isPinned",
  // Temporary and trashed conversations are not exported.
  temporary: "stays",
  trashed_at: "stays",
  archived_at: "archivedAt",
  head_message_id: "headMessageId",
  // Folders and tags belong to one person, but an archive to its importer.
  folder_id: "stays",
  // Only this instance requests titles for its conversations.
  titling: "stays",
  forked_from: "forkedFrom",
  created_at: "createdAt",
  updated_at: "updatedAt",
  // Idempotency keys are valid on this instance only.
  idempotency_scope: "stays",
  idempotency_key: "stays",
  request_hash: "stays",
} as const satisfies ArchiveColumns<ConversationRow, ArchiveRows["conversations"]>;

export const messageColumns = {
  id: "id",
  conversation_id: "conversationId",
  parent_id: "parentId",
  role: "role",
  state: "state",
  parts: "parts",
  // Computed from the parts.
  search: "stays",
  run_id: "runId",
  copy_of: "copyOf",
  continues_id: "continuesId",
  ask_group: "askGroup",
  ask_column: "askColumn",
  picked_at: "pickedAt",
  merged_from: "mergedFrom",
  // The trash is not exported.
  trashed_at: "stays",
  idempotency_scope: "stays",
  idempotency_key: "stays",
  request_hash: "stays",
  created_at: "createdAt",
} as const satisfies ArchiveColumns<MessageRow, ArchiveRows["messages"]>;
const findRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("conversation").selectAll().where("id", "=", id),
);
const lockRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("conversation").selectAll().where("id", "=", id).forNoKeyUpdate(),
);
const updateRow = prepared(
  (db, { conversationId, ...set }: Partial<ConversationRow> & { conversationId: string }) =>
    db.updateTable("conversation").set(set).where("id", "=", conversationId).returningAll(),
);
const moveRow = preparedChange(
  (db, { conversationId, ...set }: Partial<ConversationRow> & { conversationId: string }) =>
    db.updateTable("conversation").set(set).where("id", "=", conversationId),
);
const insertMessageRows = preparedRows((db, rows: MessageRow[]) =>
  db.insertInto("message").values(rows),
);
const completeRow = preparedChange(
  (db, { id, ...set }: Pick<MessageRow, "id" | "state" | "parts" | "search">) =>
    db.updateTable("message").set(set).where("id", "=", id),
);
const touchRowOf = prepared((db, { messageId, at }: { messageId: string; at: number }) =>
  db
    .updateTable("conversation")
    .set({ updated_at: at })
    .where("id", "=", (e) =>
      e.selectFrom("message").select("conversation_id").where("id", "=", messageId),
    )
    .returning(["id", "project_id as projectId", "user_id as userId", "visibility", "titling"]),
);
const messagesOf = prepared((db, { conversationId }: { conversationId: string }) =>
  db
    .selectFrom("message")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .where("trashed_at", "is", null)
    .orderBy("id"),
);
type Place = Pick<Conversation, "id" | "projectId" | "visibility" | "userId">;

/**
 * Notifies the people who may see a conversation that it changed, or that a message was added or
 * changed.
 */
export function notifyConversation(
  { outbox, at }: Unit,
  conversation: Place,
  messageId?: string,
): void {
  outbox.changes.push({
    projectId: conversation.projectId,
    userId: conversation.visibility === "author" ? conversation.userId : null,
    kind: "conversation",
    id: conversation.id,
    ...(messageId !== undefined && { messageIds: [messageId] }),
    at,
  });
}

export async function insertConversation(
  unit: Unit,
  conversation: {
    id: string;
    projectId: string;
    userId: string;
    title: string;
    systemPrompt: string;
    settings: Record<string, unknown>;
    temporary?: boolean;
    /** Set for a fork. */
    visibility?: Conversation["visibility"];
    headMessageId?: string;
    forkedFrom?: string;
    idempotency?: Idempotency | undefined;
    at: number;
  },
): Promise<Conversation> {
  const row: ConversationRow = {
    id: conversation.id,
    project_id: conversation.projectId,
    user_id: conversation.userId,
    visibility: conversation.visibility ?? "author",
    title: conversation.title,
    system_prompt: conversation.systemPrompt,
    settings: toJson(conversation.settings),
    pinned: 0,
    temporary: conversation.temporary ? 1 : 0,
    archived_at: null,
    trashed_at: null,
    head_message_id: conversation.headMessageId ?? null,
    folder_id: null,
    titling:
      conversation.title === "" && !conversation.temporary && !conversation.forkedFrom
        ? "open"
        : "done",
    forked_from: conversation.forkedFrom ?? null,
    created_at: conversation.at,
    updated_at: conversation.at,
    idempotency_scope: conversation.idempotency?.scope ?? null,
    idempotency_key: conversation.idempotency?.key ?? null,
    request_hash: conversation.idempotency?.requestHash ?? null,
  };
  await unit.tx.insertInto("conversation").values(row).execute();
  const made = toConversation(row);
  notifyConversation(unit, made);
  return made;
}

export async function getConversation(db: Reader, id: string): Promise<Conversation | undefined> {
  const [row] = await findRow(db, { id });
  return row && toConversation(row);
}

export async function findConversationByIdempotencyKey(
  db: Reader,
  scope: string,
  key: string,
): Promise<{ conversation: Conversation; requestHash: string | null } | undefined> {
  const row = await db
    .selectFrom("conversation")
    .selectAll()
    .where("idempotency_scope", "=", scope)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  return row && { conversation: toConversation(row), requestHash: row.request_hash };
}

/**
 * Locks and returns a conversation, for a unit that decides by it: its visibility can't change
 * before the unit commits.
 */
export async function lockConversation(tx: Tx, id: string): Promise<Conversation | undefined> {
  const [row] = await lockRow(tx, { id });
  return row && toConversation(row);
}

export type ConversationChange = Partial<{
  title: string;
  /** A person set the title, so no model writes one. */
  isTitled: true;
  pinned: boolean;
  archivedAt: number | null;
  trashedAt: number | null;
  visibility: "author" | "project";
  systemPrompt: string;
  settings: Record<string, unknown>;
  headMessageId: string | null;
  updatedAt: number;
}>;

/** Changes a conversation that this unit has locked, without changing who may read it. */
export async function moveConversation(
  unit: Unit,
  conversation: Place,
  change: Pick<ConversationChange, "title" | "headMessageId" | "updatedAt">,
): Promise<void> {
  await moveRow(unit.tx, { ...columnsOf(change), conversationId: conversation.id });
  notifyConversation(unit, conversation);
}

const columnsOf = (change: ConversationChange): Partial<ConversationRow> => ({
  ...(change.title !== undefined && { title: change.title }),
  ...(change.isTitled && { titling: "done" as const }),
  ...(change.pinned !== undefined && { pinned: change.pinned ? 1 : 0 }),
  ...(change.archivedAt !== undefined && { archived_at: change.archivedAt }),
  ...(change.trashedAt !== undefined && { trashed_at: change.trashedAt }),
  // A repeated request must not end in a conversation that the person deleted since.
  ...(typeof change.trashedAt === "number" && {
    idempotency_scope: null,
    idempotency_key: null,
    request_hash: null,
  }),
  ...(change.visibility !== undefined && { visibility: change.visibility }),
  ...(change.systemPrompt !== undefined && { system_prompt: change.systemPrompt }),
  ...(change.settings !== undefined && { settings: toJson(change.settings) }),
  ...(change.headMessageId !== undefined && { head_message_id: change.headMessageId }),
  ...(change.updatedAt !== undefined && { updated_at: change.updatedAt }),
});

/** Changes a conversation. Sharing it shares its runs and their results in the same unit. */
export async function updateConversation(
  unit: Unit,
  id: string,
  change: ConversationChange,
): Promise<Conversation | undefined> {
  const set = columnsOf(change);
  // A restored conversation shows runs again that another conversation may have made private
  // meanwhile.
  const changesReaders = change.visibility !== undefined || change.trashedAt === null;
  // Runs are locked before their conversation, as in their settlement.
  const [before] = changesReaders ? await findRow(unit.tx, { id }) : [];
  if (before) await shareRuns(unit, { ...before, ...set });
  const [row] =
    Object.keys(set).length > 0
      ? await updateRow(unit.tx, { ...set, conversationId: id })
      : await findRow(unit.tx, { id });
  if (!row) return undefined;
  // Again, for runs added before this unit locked the row.
  if (changesReaders) await shareRuns(unit, row);
  unit.outbox.changes.push({
    projectId: row.project_id,
    userId: change.visibility || row.visibility === "project" ? null : row.user_id,
    kind: "conversation",
    id,
    at: unit.at,
  });
  return toConversation(row);
}

/**
 * The idempotency key of a request, with its scope (project and person) and the hash of the
 * request.
 */
export type Idempotency = { scope: string; key: string; requestHash: string };

export type NewMessage = {
  id: string;
  parentId: string | null;
  role: Message["role"];
  state: Message["state"];
  parts: MessagePart[];
  runId: string | null;
  continuesId: string | null;
  /** For an answer that is requested side by side with others, or merges them. */
  group?: { id: string; column: number | null; mergedFrom?: readonly string[] } | undefined;
  idempotency?: Idempotency | undefined;
};

/** Inserts messages of one conversation, in order, in one statement. */
export async function insertMessages(
  unit: Unit,
  conversation: Place,
  messages: readonly NewMessage[],
): Promise<Message[]> {
  const rows = messages.map(
    (message): MessageRow => ({
      id: message.id,
      conversation_id: conversation.id,
      parent_id: message.parentId,
      role: message.role,
      state: message.state,
      parts: toJson(message.parts),
      search: wordsOfMessage(message.parts),
      run_id: message.runId,
      copy_of: null,
      continues_id: message.continuesId,
      ask_group: message.group?.id ?? null,
      ask_column: message.group?.column ?? null,
      picked_at: null,
      merged_from: message.group?.mergedFrom ? toJson(message.group.mergedFrom) : null,
      trashed_at: null,
      idempotency_scope: message.idempotency?.scope ?? null,
      idempotency_key: message.idempotency?.key ?? null,
      request_hash: message.idempotency?.requestHash ?? null,
      created_at: unit.at,
    }),
  );
  await insertMessageRows(unit.tx, rows);
  for (const { id } of rows) notifyConversation(unit, conversation, id);
  return rows.map(toMessage);
}

export async function insertMessage(
  unit: Unit,
  conversation: Place,
  message: NewMessage,
): Promise<Message> {
  const [inserted] = await insertMessages(unit, conversation, [message]);
  return inserted!;
}

/** Locks an open message; undefined when it is complete. */
export async function lockOpenMessage(tx: Tx, id: string): Promise<Message | undefined> {
  const row = await tx
    .selectFrom("message")
    .selectAll()
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.state === "streaming" ? toMessage(row) : undefined;
}

/** Replaces the parts of an open message. */
export async function updateOpenMessage(
  unit: Unit,
  message: Message,
  parts: MessagePart[],
): Promise<void> {
  await unit.tx
    .updateTable("message")
    .set({ parts: toJson(parts) })
    .where("id", "=", message.id)
    .execute();
  const conversation = await getConversation(unit.tx, message.conversationId);
  if (conversation) notifyConversation(unit, conversation, message.id);
}

/**
 * Completes a streamed answer with its final parts.
 * @returns its conversation, and whether that still needs a title
 */
export async function completeMessage(
  unit: Unit,
  id: string,
  state: "complete" | "interrupted",
  parts: MessagePart[],
): Promise<{ id: string; isUntitled: boolean } | undefined> {
  const set = { state, parts: toJson(parts), search: wordsOfMessage(parts) };
  if ((await completeRow(unit.tx, { id, ...set })) === 0) return undefined;
  const [conversation] = await touchRowOf(unit.tx, { messageId: id, at: unit.at });
  if (!conversation) throw new Error(`the conversation of the message ${id} is not there`);
  notifyConversation(unit, conversation, id);
  return { id: conversation.id, isUntitled: conversation.titling === "open" };
}

export async function getMessage(
  db: Reader,
  id: string,
): Promise<(Message & { continuesId: string | null }) | undefined> {
  const row = await db.selectFrom("message").selectAll().where("id", "=", id).executeTakeFirst();
  return row && { ...toMessage(row), continuesId: row.continues_id };
}

/** Finds a message named by a person or program, to whom deleted ones don't exist. */
export async function findMessage(db: Reader, id: string): Promise<Message | undefined> {
  const row = await db
    .selectFrom("message")
    .selectAll()
    .where("id", "=", id)
    .where("trashed_at", "is", null)
    .executeTakeFirst();
  return row && toMessage(row);
}

export async function findMessageByIdempotencyKey(
  db: Reader,
  scope: string,
  key: string,
): Promise<{ message: Message; requestHash: string | null } | undefined> {
  const row = await db
    .selectFrom("message")
    .selectAll()
    .where("idempotency_scope", "=", scope)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  return row && { message: toMessage(row), requestHash: row.request_hash };
}

export async function listMessages(db: Reader, conversationId: string): Promise<Message[]> {
  return (await messagesOf(db, { conversationId })).map(toMessage);
}

/** Returns the branch from the root to this message, oldest first. */
export async function listBranch(
  db: Reader,
  conversationId: string,
  messageId: string,
): Promise<Message[]> {
  return branchOf(await listMessages(db, conversationId), messageId);
}

export function branchOf(messages: readonly Message[], messageId: string): Message[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch: Message[] = [];
  for (
    let message = byId.get(messageId);
    message;
    message = message.parentId === null ? undefined : byId.get(message.parentId)
  )
    branch.unshift(message);
  return branch;
}

/**
 * The `trashed_at` of a conversation deleted early, which makes it expired for every list and for
 * the chore.
 */
const expired = 1;

/**
 * Expires a conversation in the trash, so that `purgeConversations` deletes it, at once or in the
 * chore after a crash.
 * @throws Problem conflict outside of the trash, and while an answer is being written
 */
export async function expireConversation(unit: Unit, id: string): Promise<void> {
  const conversation = await lockConversation(unit.tx, id);
  if (!conversation) throw new Problem("not_found");
  if (conversation.trashedAt === null)
    throw new Problem("conflict", { message: sentences.chat.notInTrash });
  const writing = await unit.tx
    .selectFrom("message")
    .select("id")
    .where("conversation_id", "=", id)
    .where("state", "=", "streaming")
    .limit(1)
    .executeTakeFirst();
  if (writing) throw new Problem("conflict", { message: sentences.chat.deleteRunning });
  await moveRow(unit.tx, { conversationId: id, trashed_at: expired });
  notifyConversation(unit, conversation);
}

/**
 * Deletes expired conversations from the trash. Their runs and ledger entries stay.
 * @param only restricts the purge to this conversation
 */
export async function purgeConversations(
  tx: Tx,
  before: number,
  most: number,
  only?: string,
): Promise<boolean> {
  let past = tx
    .selectFrom("conversation")
    .select("id")
    .where("trashed_at", "<", before)
    .orderBy("trashed_at")
    .limit(most);
  if (only !== undefined) past = past.where("id", "=", only);
  const gone = await past.execute();
  if (gone.length === 0) return false;
  const ids = toJson(gone.map(({ id }) => id));
  const messages = await tx
    .deleteFrom("message")
    .where("id", "in", (e) =>
      e
        .selectFrom("message")
        .select("id")
        .where(isOneOf(tx, "conversation_id", ids))
        .limit(most),
    )
    .executeTakeFirst();
  if (Number(messages.numDeletedRows) === most) return true;
  await tx
    .deleteFrom("conversation")
    .where(isOneOf(tx, "id", ids))
    .execute();
  return gone.length === most;
}

export type ChatRunInput = {
  conversationId: string;
  parentMessageId: string;
  systemPrompt: string;
  settings: JsonObject;
  continueFrom?: string;
  /** The "context" message that defines which part of the branch is left out. */
  context?: string;
  /** The JSON Schema that the answer must match, with the name that providers require. */
  answerShape?: { name: string; schema: JsonObject };
  /** The answers to merge into one, each as the messages of its rounds. */
  merges?: string[][];
  /** Requests a summary of the branch instead of an answer. */
  summarises?: true;
  /** The tools that the model may use, under the names it knows them by. */
  tools?: JsonObject[];
};
