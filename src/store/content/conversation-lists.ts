import { type ExpressionBuilder, sql } from "kysely";
import type { Conversation, MessagePart } from "#contract/entities.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import { foldWords, hasEveryWord } from "#domain/text/search-words.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { fromJson } from "../database/json.ts";
import type { Database } from "../database/schema.ts";
import type { Reader, Searchable } from "../database/store.ts";
import { toConversation } from "./conversations.ts";

/** Restricts the list to the person's own conversations in a folder or with a tag. */
export type FolderFilter = { folderId?: string | undefined; tag?: string | undefined };

const isFiled = ({ folderId, tag }: FolderFilter): boolean =>
  folderId !== undefined || tag !== undefined;

const isIn =
  ({ folderId, tag }: FolderFilter) =>
  (e: ExpressionBuilder<Database, "conversation">) =>
    e.and([
      ...(folderId === undefined ? [] : [e("conversation.folder_id", "=", folderId)]),
      ...(tag === undefined
        ? []
        : [
            e.exists(
              e
                .selectFrom("conversation_tag")
                .select("folded")
                .whereRef("conversation_id", "=", "conversation.id")
                .where("folded", "=", foldTag(tag)),
            ),
          ]),
    ]);

/**
 * Lists the person's own conversations and those shared with the project: pinned ones first, then
 * by last change.
 */
export async function listConversations(
  db: Reader,
  filter: FolderFilter & {
    projectId: string;
    userId: string;
    archived: boolean;
    cursor?: string;
    limit: number;
  },
): Promise<{ conversations: Conversation[]; next: string | null }> {
  const [ofPinned, ...place] = filter.cursor
    ? (fromCursor(filter.cursor, ["number", "number", "string"]) as [number, number, string])
    : [1];
  const newest = (pinned: 0 | 1) => {
    let all = db
      .selectFrom("conversation")
      .selectAll()
      .where("project_id", "=", filter.projectId)
      .where("trashed_at", "is", null)
      .where("temporary", "=", sql.lit(0))
      .where("archived_at", filter.archived ? "is not" : "is", null)
      .where("pinned", "=", sql.lit(pinned))
      .orderBy("updated_at", "desc")
      .orderBy("id", "desc");
    if (isFiled(filter)) all = all.where(isIn(filter));
    const [updatedAt, id] = ofPinned === pinned ? place : [];
    return updatedAt === undefined || id === undefined
      ? all
      : all.where((e) => e(e.refTuple("updated_at", "id"), "<", e.tuple(updatedAt, id)));
  };
  const rows = ofPinned
    ? await newest(1)
        .where((e) =>
          isFiled(filter)
            ? e("user_id", "=", filter.userId)
            : e.or([e("user_id", "=", filter.userId), e("visibility", "=", "project")]),
        )
        .limit(filter.limit + 1)
        .execute()
    : [];
  const left = filter.limit + 1 - rows.length;
  if (left > 0 && isFiled(filter))
    rows.push(...(await newest(0).where("user_id", "=", filter.userId).limit(left).execute()));
  else if (left > 0) {
    // A page from each index: for a combined condition, both databases would read and sort all
    // conversations.
    const [own, shared] = [
      newest(0).where("user_id", "=", filter.userId).limit(left),
      newest(0).where("visibility", "=", sql.lit("project")).limit(left),
    ];
    const others = db
      .selectFrom(own.as("own"))
      .selectAll()
      .union(db.selectFrom(shared.as("shared")).selectAll())
      .orderBy("updated_at", "desc")
      .orderBy("id", "desc")
      .limit(left);
    rows.push(...(await others.execute()));
  }
  const shown = page(rows, filter.limit, (row) => [row.pinned, row.updated_at, row.id]);
  return { conversations: shown.rows.map(toConversation), next: shown.next };
}

/**
 * Lists a person's own conversations in the trash, last deleted first. Expired ones are left out.
 */
export async function listTrashedConversations(
  db: Reader,
  of: { projectId: string; userId: string; after: number; cursor?: string; limit: number },
): Promise<{ conversations: Conversation[]; next: string | null }> {
  let query = db
    .selectFrom("conversation")
    .selectAll()
    .where("project_id", "=", of.projectId)
    .where("user_id", "=", of.userId)
    .where("trashed_at", ">", of.after)
    .where("temporary", "=", sql.lit(0))
    .orderBy("trashed_at", "desc")
    .orderBy("id", "desc")
    .limit(of.limit + 1);
  if (of.cursor) {
    const [trashedAt, id] = fromCursor(of.cursor, ["number", "string"]) as [number, string];
    query = query.where((e) => e(e.refTuple("trashed_at", "id"), "<", e.tuple(trashedAt, id)));
  }
  const shown = page(await query.execute(), of.limit, (row) => [row.trashed_at ?? 0, row.id]);
  return { conversations: shown.rows.map(toConversation), next: shown.next };
}

/**
 * The number of newest titles searched: for older conversations, people remember the content better
 * than the title.
 */
const maxTitles = 1_000;

/** Finds readable conversations whose titles contain all these words, by last change. */
export async function searchTitles(
  { read }: Pick<Searchable, "read">,
  of: { projectId: string; userId: string; q: string; limit: number },
): Promise<Conversation[]> {
  if (foldWords(of.q).length === 0) return [];
  const newest = (archived: "is" | "is not") =>
    read
      .selectFrom("conversation")
      .select(["id", "title", "updated_at"])
      .where("project_id", "=", of.projectId)
      .where("trashed_at", "is", null)
      .where("temporary", "=", sql.lit(0))
      .where("archived_at", archived, null)
      .orderBy("updated_at", "desc")
      .orderBy("id", "desc")
      .limit(maxTitles);
  // Each through its own index, as in the list.
  const places = (["is", "is not"] as const).flatMap((archived) => [
    newest(archived).where("user_id", "=", of.userId),
    newest(archived).where("visibility", "=", sql.lit("project")).where("user_id", "<>", of.userId),
  ]);
  const rows = (await Promise.all(places.map((place) => place.execute()))).flat();
  const found = rows
    .filter(({ title }) => hasEveryWord(title, of.q))
    .sort((a, b) => b.updated_at - a.updated_at)
    .slice(0, of.limit)
    .map(({ id }) => id);
  if (found.length === 0) return [];
  const whole = await read
    .selectFrom("conversation")
    .selectAll()
    .where("id", "in", found)
    .orderBy("updated_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return whole.map(toConversation);
}

const maxNewest = 500;

export async function searchMessages(
  store: Searchable,
  filter: FolderFilter & { projectId: string; userId: string; q: string; limit: number },
): Promise<{ conversation: Conversation; messageId: string; parts: MessagePart[] }[]> {
  const words = foldWords(filter.q);
  if (words.length === 0) return [];
  const found = store.read
    .selectFrom("message")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .selectAll("conversation")
    .select(["message.id as message_id", "message.parts as message_parts"])
    .where("conversation.project_id", "=", filter.projectId)
    .where("conversation.trashed_at", "is", null)
    .where("message.trashed_at", "is", null)
    .where("conversation.temporary", "=", sql.lit(0))
    .$if(isFiled(filter), (all) =>
      all.where("conversation.user_id", "=", filter.userId).where(isIn(filter)),
    )
    .where((e) =>
      e.or([
        e("conversation.user_id", "=", filter.userId),
        e("conversation.visibility", "=", "project"),
      ]),
    )
    .orderBy("message.id", "desc")
    .limit(filter.limit);
  const having = (newest?: number) =>
    found.where(store.search("message", words, filter.projectId, newest)).execute();
  // Of thousands, only the most recently saved are read first; if other people's private ones leave
  // the page short, all are read.
  const isCommon = await store.isCommon("message", words, filter.projectId);
  const last = isCommon ? await having(maxNewest) : [];
  const rows = last.length < filter.limit ? await having() : last;
  return rows.map((row) => ({
    conversation: toConversation(row),
    messageId: row.message_id,
    parts: fromJson<MessagePart[]>(row.message_parts),
  }));
}
