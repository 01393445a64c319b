/**
 * Normalizes a tag for comparison: its letters, ignoring case and width. Emoji stay as they are.
 */
export const foldTag = (name: string): string =>
  name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
