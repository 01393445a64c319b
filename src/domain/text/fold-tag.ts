/** What makes two tags the same one: their letters, without regard to case and width. An emoji stays what it is. */
export const foldTag = (name: string): string =>
  name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
