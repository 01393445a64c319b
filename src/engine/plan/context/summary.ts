import type { ChatTurn } from "#providers/adapter.ts";

export const summarySystemPrompt =
  "You write summaries of conversations between a person and an assistant. Your summary takes the place of what it sums up: the conversation continues with it, and nothing else of the earlier part is read.";

export const summaryQuestion =
  "Summarize our conversation up to here, in the language that it is in. Keep what was decided, facts, numbers, names, open questions, wishes about style, and code or wording that is still needed. Write the summary alone, without an introduction.";

/** The last turn of a summary request. */
export const askSummary: ChatTurn = {
  role: "user",
  parts: [{ type: "text", text: summaryQuestion }],
};

/**
 * Puts the summary into the first turn that is sent, because many models refuse two consecutive
 * turns of the same role.
 */
export function withSummary(turns: ChatTurn[], summary: string): ChatTurn[] {
  const [first, ...rest] = turns;
  if (!first || summary === "") return turns;
  const before = {
    type: "text" as const,
    text: `[A summary of our conversation up to here]\n${summary}\n[End of the summary]`,
  };
  return [{ ...first, parts: [before, ...first.parts] }, ...rest];
}
