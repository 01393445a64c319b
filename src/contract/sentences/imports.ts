/** Projects that are imported from an archive. */
export const imports = {
  tooManyRows: ({ most }: { most: string }) =>
    `A project with more than ${most} rows can’t be imported.`,
  tooManyTags: ({ most }: { most: string }) =>
    `A project with more than ${most} tags can’t be imported. Merge or delete tags, then export it again.`,
  active: "You are already importing a project. Wait for it, or stop it first.",
  ownerSuspended: "The person who started this import is suspended.",
  changed: ({ reason }: { reason: string }) =>
    `This archive has been changed since its export: ${reason}. Export the project again.`,
  notBottega: "This ZIP is not an exported Bottega project.",
  tooManyFiles: "This ZIP has more files than a project can have.",
  tooLarge: "This ZIP unpacks to more data than a project can have.",
  incomplete: "This ZIP is incomplete. Download or export the project again.",
  notZip: "This is not a ZIP. Choose the file that “Export project” created.",
  newer: "This project was exported from a newer Bottega. Update this one, then import it again.",
  lineTooLong: "This archive has a line that exceeds the limits of a project.",
};
