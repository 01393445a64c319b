import type { ConversationFolder } from "#contract/entities.ts";

/** A folder with its depth in the list, from 0. */
export type FolderLine = ConversationFolder & { depth: number };

/** Folders in list order: each before its children. */
export function folderLines(
  folders: readonly ConversationFolder[],
  parentId: string | null = null,
  depth = 0,
): FolderLine[] {
  return folders
    .filter((folder) => folder.parentId === parentId)
    .flatMap((folder) => [{ ...folder, depth }, ...folderLines(folders, folder.id, depth + 1)]);
}

/** A folder's id with those of all folders inside it. */
export const idsWithin = (folders: readonly ConversationFolder[], id: string): Set<string> =>
  new Set([
    id,
    ...folders
      .filter((folder) => folder.parentId === id)
      .flatMap((folder) => [...idsWithin(folders, folder.id)]),
  ]);
