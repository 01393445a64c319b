import type { Message, Run } from "#contract/entities.ts";
import { tookMs } from "../../../components/run/run-facts.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import type { Entry } from "../thread/entries.ts";
import type { MessageTree, Siblings } from "../thread/message-tree.ts";

/** The person's message that an answer replies to; undefined if there is none. */
export function questionOf<Of extends MessageNode>(
  tree: MessageTree<Of>,
  [first]: Entry<MessageNode>,
): Of | undefined {
  const seen = new Set<string>();
  let above = parentOf(tree, first);
  for (; above && above.role !== "user" && !seen.has(above.id); above = parentOf(tree, above))
    seen.add(above.id);
  return above?.role === "user" ? above : undefined;
}

export const parentOf = <Of extends MessageNode>(
  tree: MessageTree<Of>,
  { parentId }: MessageNode,
): Of | undefined => (parentId === null ? undefined : tree.byId.get(parentId));

/**
 * The versions of an answer: every path through its rounds, because it can be regenerated from its
 * start or from any round. Each has the id of the message that shows the version with its
 * continuation.
 */
export function versionsOf(tree: MessageTree, entry: Entry<MessageNode>): Siblings {
  const last = entry.at(-1) ?? entry[0];
  const ends = endsBelow(tree, questionOf(tree, entry)?.id ?? "");
  // A branch that ends in the middle of an answer counts as the first version that continues there.
  const shown = isEnd(tree, last.id) ? last.id : endsBelow(tree, last.id)[0];
  return { place: ends.indexOf(shown ?? last.id) + 1, ids: ends.map((id) => turnTo(tree, id)) };
}

const repliesTo = (tree: MessageTree, id: string) => tree.children.get(id) ?? [];
const roundsBelow = (tree: MessageTree, id: string) =>
  repliesTo(tree, id).filter(({ role }) => role !== "user");
const questionsBelow = (tree: MessageTree, id: string) =>
  repliesTo(tree, id).filter(({ role }) => role === "user");

/** Whether an answer ends here: no round follows, or a person replied. */
const isEnd = (tree: MessageTree, id: string): boolean =>
  roundsBelow(tree, id).length === 0 || questionsBelow(tree, id).length > 0;

/** Depth first, so that a version keeps its place while rounds are added. */
function endsBelow(tree: MessageTree, id: string, seen = new Set<string>()): string[] {
  if (seen.has(id)) return [];
  seen.add(id);
  return roundsBelow(tree, id).flatMap((round) => [
    ...(isEnd(tree, round.id) ? [round.id] : []),
    ...endsBelow(tree, round.id, seen),
  ]);
}

/**
 * If both rounds and a message follow an end, the newest message below may belong to another
 * version.
 */
const turnTo = (tree: MessageTree, end: string): string =>
  (roundsBelow(tree, end).length > 0 ? questionsBelow(tree, end).at(-1)?.id : undefined) ?? end;

/** A run that is part of an answer, with the message that it belongs to. */
export type AnswerPart = { run: Run; message: Message };

/** An answer's runs in order: its model's and its tools'. */
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

/**
 * An answer's duration in ms. For parallel tools the longest counts; waiting for approval doesn't.
 */
export function workedMs(parts: readonly AnswerPart[]): number {
  const longest = new Map<string, number>();
  for (const { run, message } of parts)
    longest.set(message.id, Math.max(longest.get(message.id) ?? 0, tookMs(run) ?? 0));
  return [...longest.values()].reduce((sum, ms) => sum + ms, 0);
}
