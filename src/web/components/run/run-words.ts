import type { Run } from "#contract/entities.ts";

type Parts = { type: string; text?: string }[];
type Turn = { role: string; parts: Parts };

const textOf = (parts: Parts): string =>
  parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n\n");

/** What a program asked last, of a conversation that it brought along; undefined where the run has none. */
export function lastAsked({ input }: Pick<Run, "input">): string | undefined {
  if (!Array.isArray(input.turns)) return undefined;
  const last = (input.turns as Turn[]).findLast(({ role }) => role === "user");
  return (last && textOf(last.parts)) || undefined;
}

/** What a run keeps in words: an answer that is in no conversation of ours, or the text that a workflow gave. */
export function keptAnswer({ result }: Pick<Run, "result">): string {
  if (Array.isArray(result?.parts)) return textOf(result.parts as Parts);
  return typeof result?.text === "string" ? result.text : "";
}
