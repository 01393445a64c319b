import type { Message, Run } from "#contract/entities.ts";
import type { MessageTree, Siblings } from "../thread/message-tree.ts";

/**
 * What stands in the thread as one, oldest first: a message of a person, or an answer with all its rounds, which are what the
 * model said, what its tools gave, what it said then. They are kept as messages of their own.
 */
export type Entry = readonly [Message, ...Message[]];

/** The messages of a branch, or of a part of it, as they stand in the thread. */
export function entriesOf(messages: readonly Message[]): Entry[] {
  const entries: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const last = entries.at(-1);
    if (last && message.role !== "user" && last[0].role !== "user") last.push(message);
    else entries.push([message]);
  }
  return entries;
}

/** What a whole answer answers: the message of the person above it. Undefined where there is none. */
export function questionOf(tree: MessageTree, [first]: Entry): Message | undefined {
  const seen = new Set<string>();
  let above = parentOf(tree, first);
  for (; above && above.role !== "user" && !seen.has(above.id); above = parentOf(tree, above))
    seen.add(above.id);
  return above?.role === "user" ? above : undefined;
}

export const parentOf = (tree: MessageTree, { parentId }: Message): Message | undefined =>
  parentId === null ? undefined : tree.byId.get(parentId);

/**
 * The versions of a whole answer: every way through its rounds, for it may have been asked anew at its beginning or at any round.
 * Each is named by the message that one turns to, to see it with what was said after it.
 */
export function versionsOf(tree: MessageTree, entry: Entry): Siblings {
  const last = entry.at(-1) ?? entry[0];
  const ends = endsBelow(tree, questionOf(tree, entry)?.id ?? "");
  // A branch that ends in mid-answer is shown by the first version that goes on from there.
  const shown = isEnd(tree, last.id) ? last.id : endsBelow(tree, last.id)[0];
  return { place: ends.indexOf(shown ?? last.id) + 1, ids: ends.map((id) => turnTo(tree, id)) };
}

const repliesTo = (tree: MessageTree, id: string) => tree.children.get(id) ?? [];
const roundsBelow = (tree: MessageTree, id: string) =>
  repliesTo(tree, id).filter(({ role }) => role !== "user");
const saidBelow = (tree: MessageTree, id: string) =>
  repliesTo(tree, id).filter(({ role }) => role === "user");

/** Where an answer ends: nothing of it comes after, or a person spoke there. */
const isEnd = (tree: MessageTree, id: string): boolean =>
  roundsBelow(tree, id).length === 0 || saidBelow(tree, id).length > 0;

/** Version by version, so that a version keeps its place while it grows. */
function endsBelow(tree: MessageTree, id: string, seen = new Set<string>()): string[] {
  if (seen.has(id)) return [];
  seen.add(id);
  return roundsBelow(tree, id).flatMap((round) => [
    ...(isEnd(tree, round.id) ? [round.id] : []),
    ...endsBelow(tree, round.id, seen),
  ]);
}

/** Where rounds and a person both go on from an end, the newest message below is perhaps of the other version. */
const turnTo = (tree: MessageTree, end: string): string =>
  (roundsBelow(tree, end).length > 0 ? saidBelow(tree, end).at(-1)?.id : undefined) ?? end;

/** A run that a whole answer is made of, with the message that it belongs to. */
export type AnswerPart = { run: Run; message: Message };

/** The runs of a whole answer as they followed each other: its model's, and those of its tools. */
export function partsOfAnswer(
  entry: Entry,
  runs: readonly Run[] | ReadonlyMap<string, Run>,
): AnswerPart[] {
  const byId = "get" in runs ? runs : new Map(runs.map((run) => [run.id, run]));
  return entry.flatMap((message) => {
    const ids = [
      message.runId,
      ...message.parts.map((part) => (part.type === "tool-result" ? part.runId : null)),
    ];
    return ids.flatMap((id) => {
      const run = id === null ? undefined : byId.get(id);
      return run ? [{ run, message }] : [];
    });
  });
}

const tookMs = ({ startedAt, finishedAt }: Run): number =>
  startedAt === null || finishedAt === null ? 0 : finishedAt - startedAt;

/** How long an answer was worked on, in ms: of tools that ran beside each other the longest, of a person's word no wait. */
export function workedMs(parts: readonly AnswerPart[]): number {
  const longest = new Map<string, number>();
  for (const { run, message } of parts)
    longest.set(message.id, Math.max(longest.get(message.id) ?? 0, tookMs(run)));
  return [...longest.values()].reduce((sum, ms) => sum + ms, 0);
}

/** How a whole answer stands, for who hears it: by the id of its first message, which stays while rounds are added. */
export function standingOf(
  entry: Entry | undefined,
): { id: string; state: Message["state"] } | undefined {
  const last = entry?.at(-1);
  if (!entry || !last || last.role === "user") return undefined;
  const hasProblem = last.parts.some(({ type }) => type === "problem");
  return { id: entry[0].id, state: hasProblem ? "interrupted" : last.state };
}
