import type { Conversation, Message, MessagePart, Run } from "#contract/entities.ts";

/** A message's text, for copying, editing and display. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
export const reasoningOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");
/** A model's reasoning time; null if it wasn't measured. */
export const reasonedMsOf = (parts: readonly MessagePart[]): number | null =>
  parts.find((part) => part.type === "reasoning")?.durationMs ?? null;
export const filesOf = (parts: readonly MessagePart[]): string[] =>
  parts.flatMap((part) => (part.type === "file" ? [part.assetId] : []));
export const sourcesOf = (parts: readonly MessagePart[]) =>
  parts.filter((part) => part.type === "source");

/** The id of the answer that a run continues. */
export function continuedId(run: Pick<Run, "input"> | undefined): string | null {
  const from = run?.input.continueFrom;
  return typeof from === "string" ? from : null;
}

export const isOwn = (conversation: Pick<Conversation, "userId">, userId: string): boolean =>
  conversation.userId === userId;

const longCharacters = 20_000;
/** Whether a branch's answers are too long to render at once without a pause. */
export const isLong = (branch: readonly Message[]): boolean =>
  branch.reduce(
    (sum, { role, parts }) => sum + (role === "assistant" ? textOf(parts).length : 0),
    0,
  ) > longCharacters;
