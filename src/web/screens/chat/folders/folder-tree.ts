import type { ConversationFolder } from "#contract/entities.ts";

/** A folder with its depth in the list, from 0. */
export type FolderLine = ConversationFolder & { depth: number };

/** Folders in the order of the list: each before those in it. */
export function folderLines(
  folders: readonly ConversationFolder[],
  parentId: string | null = null,
  depth = 0,
): FolderLine[] {
  return folders
    .filter((folder) => folder.parentId === parentId)
    .flatMap((folder) => [{ ...folder, depth }, ...folderLines(folders, folder.id, depth + 1)]);
}

/** A folder with all in it. */
export const idsWithin = (folders: readonly ConversationFolder[], id: string): Set<string> =>
  new Set([
    id,
    ...folders
      .filter((folder) => folder.parentId === id)
      .flatMap((folder) => [...idsWithin(folders, folder.id)]),
  ]);
