/**
 * A saved entry in the browser's format (src/web/data/saved/saved-entries.ts): a person's choice or draft.
 */
export const savedEntry = (
  kind: "choice" | "draft",
  userId: string,
  name: string,
  value: unknown,
  id = "",
): readonly [key: string, text: string] => [
  `bottega:${kind}:${userId}:${name}:${id}`,
  JSON.stringify({ version: 1, savedAt: 0, value }),
];
