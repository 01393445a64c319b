import type { ChatTurn } from "#providers/adapter.ts";

/** Before everything else, when a model is asked for a summary. */
export const summarySystemPrompt =
  "You write summaries of conversations between a person and an assistant. Your summary takes the place of what it sums up: whoever goes on with the conversation reads it and nothing else of the earlier part.";

export const summaryQuestion =
  "Summarise our conversation up to here, in the language that it is in. Keep what was decided, facts, numbers, names, open questions, wishes about style, and code or wording that is still needed. Write the summary alone, without an introduction.";

/** The last turn of such a request. */
export const askSummary: ChatTurn = {
  role: "user",
  parts: [{ type: "text", text: summaryQuestion }],
};

/** The summary stands before the first words that are sent: in a turn of the same person, for many models take no two in a row. */
export function withSummary(turns: ChatTurn[], summary: string): ChatTurn[] {
  const [first, ...rest] = turns;
  if (!first || summary === "") return turns;
  const before = {
    type: "text" as const,
    text: `[A summary of our conversation up to here]\n${summary}\n[End of the summary]`,
  };
  return [{ ...first, parts: [before, ...first.parts] }, ...rest];
}
