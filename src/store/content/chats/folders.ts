import type { ConversationFolder } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import type { FolderRow } from "../../database/schema.ts";
import type { Reader, Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";

type Owner = { projectId: string; userId: string };

const toFolder = ({ id, parent_id, name, position }: FolderRow): ConversationFolder => ({
  id,
  parentId: parent_id,
  name,
  position,
});

const rowsOf = (db: Reader, { projectId, userId }: Owner): Promise<FolderRow[]> =>
  db
    .selectFrom("folder")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId)
    .orderBy("position")
    .orderBy("id")
    .execute();

/** Lists a person's folders in a project, by position. */
export const listFolders = async (db: Reader, owner: Owner): Promise<ConversationFolder[]> =>
  (await rowsOf(db, owner)).map(toFolder);

/** Lists the tags of a person's conversations in a project, with the number of conversations. */
export async function listConversationTags(
  db: Reader,
  { projectId, userId }: Owner,
): Promise<{ name: string; conversations: number }[]> {
  const rows = await db
    .selectFrom("conversation_tag")
    .innerJoin("conversation", "conversation.id", "conversation_tag.conversation_id")
    .select((e) => [
      "folded",
      e.fn.max("conversation_tag.name").as("name"),
      e.fn.countAll<number>().as("n"),
    ])
    .where("conversation.project_id", "=", projectId)
    .where("conversation.user_id", "=", userId)
    .where("conversation.trashed_at", "is", null)
    .groupBy("folded")
    .orderBy("folded")
    .execute();
  return rows.map(({ name, n }) => ({ name, conversations: Number(n) }));
}

const notifyFolders = ({ outbox, at }: Unit, { projectId, userId }: Owner, id: string): void => {
  outbox.changes.push({ projectId, userId, kind: "conversation", id, at });
};

/**
 * Locks all of a person's folders in a project, for a unit that changes them: their positions
 * depend on each other.
 */
async function lockFolders(tx: Tx, { projectId, userId }: Owner): Promise<FolderRow[]> {
  return tx
    .selectFrom("folder")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

const depthOf = (folders: readonly FolderRow[], id: string | null): number => {
  const folder = folders.find((one) => one.id === id);
  return folder ? 1 + depthOf(folders, folder.parent_id) : 0;
};
const heightOf = (folders: readonly FolderRow[], id: string): number =>
  1 +
  Math.max(
    0,
    ...folders.filter((one) => one.parent_id === id).map((one) => heightOf(folders, one.id)),
  );
const isWithin = (folders: readonly FolderRow[], id: string | null, outer: string): boolean => {
  if (id === null) return false;
  return (
    id === outer ||
    isWithin(folders, folders.find((one) => one.id === id)?.parent_id ?? null, outer)
  );
};

/**
 * @throws Problem not_found for a folder that isn't this person's in this project; conflict when it
 *   would be nested too deep
 */
function requireRoom(folders: readonly FolderRow[], parentId: string | null, height: number): void {
  if (parentId === null) return;
  if (!folders.some(({ id }) => id === parentId))
    throw new Problem("not_found", { field: "parentId" });
  if (depthOf(folders, parentId) + height > limits.folderDepth)
    throw new Problem("conflict", {
      field: "parentId",
      message: sentences.chat.folderTooDeep({ most: limits.folderDepth }),
    });
}

/** @throws Problem not_found, conflict */
export async function insertFolder(
  unit: Unit,
  folder: Owner & { id: string; parentId: string | null; name: string },
): Promise<ConversationFolder> {
  const folders = await lockFolders(unit.tx, folder);
  if (folders.length >= limits.foldersPerPerson)
    throw new Problem("conflict", {
      message: sentences.chat.tooManyFolders({ most: limits.foldersPerPerson }),
    });
  requireRoom(folders, folder.parentId, 1);
  const row: FolderRow = {
    id: folder.id,
    project_id: folder.projectId,
    user_id: folder.userId,
    parent_id: folder.parentId,
    name: folder.name,
    position: Math.max(0, ...folders.map(({ position }) => position)) + 1,
    created_at: unit.at,
  };
  await unit.tx.insertInto("folder").values(row).execute();
  notifyFolders(unit, folder, row.id);
  return toFolder(row);
}

const ownerOf = async (tx: Tx, id: string): Promise<Owner> => {
  const row = await tx
    .selectFrom("folder")
    .select(["project_id as projectId", "user_id as userId"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return row;
};

/**
 * Renames a folder, or moves it with its content.
 * @throws Problem not_found, conflict
 */
export async function updateFolder(
  unit: Unit,
  id: string,
  change: { name?: string | undefined; parentId?: string | null | undefined },
): Promise<ConversationFolder> {
  const owner = await ownerOf(unit.tx, id);
  const folders = await lockFolders(unit.tx, owner);
  const folder = folders.find((one) => one.id === id);
  if (!folder) throw new Problem("not_found");
  if (change.parentId !== undefined) {
    if (isWithin(folders, change.parentId, id))
      throw new Problem("conflict", { field: "parentId", message: sentences.chat.folderInItself });
    requireRoom(folders, change.parentId, heightOf(folders, id));
  }
  const set = {
    name: change.name ?? folder.name,
    parent_id: change.parentId === undefined ? folder.parent_id : change.parentId,
  };
  await unit.tx.updateTable("folder").set(set).where("id", "=", id).execute();
  notifyFolders(unit, owner, id);
  return toFolder({ ...folder, ...set });
}

/**
 * Deletes a folder, and moves its conversations and folders to its parent.
 * @throws Problem not_found
 */
export async function deleteFolder(unit: Unit, id: string): Promise<void> {
  const owner = await ownerOf(unit.tx, id);
  const folder = (await lockFolders(unit.tx, owner)).find((one) => one.id === id);
  if (!folder) throw new Problem("not_found");
  const { parent_id } = folder;
  await unit.tx.updateTable("folder").set({ parent_id }).where("parent_id", "=", id).execute();
  await unit.tx
    .updateTable("conversation")
    .set({ folder_id: parent_id })
    .where("folder_id", "=", id)
    .execute();
  await unit.tx.deleteFrom("folder").where("id", "=", id).execute();
  notifyFolders(unit, owner, id);
}

/** The folder and tags that the author gave a conversation. */
export type Filing = { folderId: string | null; tags: string[] };

export async function getFiling(db: Reader, conversationId: string): Promise<Filing> {
  const row = await db
    .selectFrom("conversation")
    .select("folder_id")
    .where("id", "=", conversationId)
    .executeTakeFirst();
  const tags = await db
    .selectFrom("conversation_tag")
    .select("name")
    .where("conversation_id", "=", conversationId)
    .orderBy("folded")
    .execute();
  return { folderId: row?.folder_id ?? null, tags: tags.map(({ name }) => name) };
}

/**
 * Moves a conversation to one of its author's folders, or sets its tags.
 * @throws Problem not_found, conflict for a temporary chat
 */
export async function fileConversation(
  unit: Unit,
  conversationId: string,
  filing: { folderId?: string | null | undefined; tags?: readonly string[] | undefined },
): Promise<void> {
  const { tx } = unit;
  const row = await tx
    .selectFrom("conversation")
    .select(["project_id as projectId", "user_id as userId", "temporary"])
    .where("id", "=", conversationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  if (row.temporary === 1)
    throw new Problem("conflict", { message: sentences.chat.temporaryNotListed });
  const { folderId, tags } = filing;
  if (folderId !== undefined) {
    if (folderId !== null && !(await rowsOf(tx, row)).some(({ id }) => id === folderId))
      throw new Problem("not_found", { field: "folderId" });
    await tx
      .updateTable("conversation")
      .set({ folder_id: folderId })
      .where("id", "=", conversationId)
      .execute();
  }
  if (tags) {
    await tx.deleteFrom("conversation_tag").where("conversation_id", "=", conversationId).execute();
    const named = new Map(tags.map((name) => [foldTag(name), name]));
    if (named.size > 0)
      await tx
        .insertInto("conversation_tag")
        .values(
          [...named].map(([folded, name]) => ({ conversation_id: conversationId, folded, name })),
        )
        .execute();
  }
  notifyFolders(unit, row, conversationId);
}

/** Renames a tag on all of a person's conversations in a project, or with null removes it. */
export async function renameConversationTag(
  unit: Unit,
  owner: Owner,
  name: string,
  to: string | null,
): Promise<void> {
  const { tx } = unit;
  const folded = foldTag(name);
  const tagged = await tx
    .selectFrom("conversation_tag")
    .innerJoin("conversation", "conversation.id", "conversation_tag.conversation_id")
    .select("conversation.id")
    .where("conversation_tag.folded", "=", folded)
    .where("conversation.project_id", "=", owner.projectId)
    .where("conversation.user_id", "=", owner.userId)
    .orderBy("conversation.id")
    .execute();
  for (const { id } of tagged) {
    await tx
      .deleteFrom("conversation_tag")
      .where("conversation_id", "=", id)
      .where("folded", "=", folded)
      .execute();
    // A conversation that already has the other tag keeps it once.
    if (to !== null)
      await tx
        .insertInto("conversation_tag")
        .values({ conversation_id: id, folded: foldTag(to), name: to })
        .onConflict((conflict) =>
          conflict.columns(["conversation_id", "folded"]).doUpdateSet({ name: to }),
        )
        .execute();
  }
  notifyFolders(unit, owner, owner.projectId);
}
