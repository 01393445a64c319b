import type { Message } from "#contract/entities.ts";

/**
 * One item of the thread: a person's message, or an answer with all its rounds, oldest first. Each
 * model round and each round of tool results is a separate message.
 */
export type Entry<Of = Message> = readonly [Of, ...Of[]];

/** Groups the messages of a branch, or of a part of one, into items of the thread. */
export function entriesOf<Of extends Pick<Message, "role">>(messages: readonly Of[]): Entry<Of>[] {
  const entries: [Of, ...Of[]][] = [];
  for (const message of messages) {
    const last = entries.at(-1);
    if (last && message.role !== "user" && last[0].role !== "user") last.push(message);
    else entries.push([message]);
  }
  return entries;
}

/**
 * An answer's state for screen readers, under the id of its first message, which stays the same
 * while rounds are added.
 */
export function answerState(
  entry: Entry | undefined,
): { id: string; state: Message["state"] } | undefined {
  const last = entry?.at(-1);
  if (!entry || !last || last.role === "user") return undefined;
  const hasProblem = last.parts.some(({ type }) => type === "problem");
  return { id: entry[0].id, state: hasProblem ? "interrupted" : last.state };
}
