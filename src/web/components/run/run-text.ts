import type { Run } from "#contract/entities.ts";

type Parts = { type: string; text?: string }[];
type Turn = { role: string; parts: Parts };

const textOf = (parts: Parts): string =>
  parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n\n");

/**
 * The last question of a conversation that a program sent with the run; undefined if there is none.
 */
export function lastQuestion({ input }: Pick<Run, "input">): string | undefined {
  if (!Array.isArray(input.turns)) return undefined;
  const last = (input.turns as Turn[]).findLast(({ role }) => role === "user");
  return (last && textOf(last.parts)) || undefined;
}

/** A run's saved text: an answer outside of any conversation, or a workflow's text output. */
export function savedText({ result }: Pick<Run, "result">): string {
  if (Array.isArray(result?.parts)) return textOf(result.parts as Parts);
  return typeof result?.text === "string" ? result.text : "";
}
