/**
 * A saved entry in the browser's format (src/web/data/kept/kept.ts): a person's choice or draft.
 */
export const keptEntry = (
  kind: "choice" | "draft",
  userId: string,
  name: string,
  value: unknown,
  id = "",
): readonly [key: string, text: string] => [
  `bottega:${kind}:${userId}:${name}:${id}`,
  JSON.stringify({ version: 1, savedAt: 0, value }),
];
