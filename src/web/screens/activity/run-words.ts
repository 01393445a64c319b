import type { Run } from "#contract/entities.ts";

type Parts = { type: string; text?: string }[];
type Turn = { role: string; parts: Parts };

const textOf = (parts: Parts): string => parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n\n");

/** What a program asked last, of a conversation that it brought along; undefined where the run has none. */
export function lastAsked({ input }: Pick<Run, "input">): string | undefined {
  if (!Array.isArray(input.turns)) return undefined;
  const last = (input.turns as Turn[]).findLast(({ role }) => role === "user");
  return (last && textOf(last.parts)) || undefined;
}

/** An answer that is in no conversation of ours: its run keeps it. */
export const keptAnswer = ({ result }: Pick<Run, "result">): string => (Array.isArray(result?.parts) ? textOf(result.parts as Parts) : "");
