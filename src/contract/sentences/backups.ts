/** Backups that are made by themselves. */
export const backups = {
  folderNotAbsolute: "Enter the whole path of the folder, such as /backups/bottega.",
  folderInUse: "The folder contains something else. Use an empty folder, or one with an earlier backup.",
  folderUnwritable: ({ code }: { code: string }) =>
    `The folder can’t be written (${code}). Give the server the right to write there, or use another folder.`,
  ownersOnly: "Only owners can set the folder of backups. Ask an owner.",
  off: "No folder for backups is set. Set one first.",
  filesLost: ({ count }: { count: number }) =>
    `The backup is complete, but the storage has lost ${count === 1 ? "1 file" : `${count} files`}. Run “bottega doctor” to see what needs ${count === 1 ? "it" : "them"}.`,
  ended: ({ code }: { code: string }) => `The backup ended early (${code}).`,
};
