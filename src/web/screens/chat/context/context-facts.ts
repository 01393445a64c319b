import type { Message } from "#contract/entities.ts";
import { newestChoice, type SentBranch, sentOf, tokensOfWords } from "#domain/text/context.ts";
import { textOf } from "../answer/answer-facts.ts";
import { entriesOf } from "../answer/whole-answer.ts";
import { branchTo, buildTree } from "../thread/message-tree.ts";

export type BranchContext = SentBranch<Message> & {
  branch: Message[];
  /** A summary that is newer than what holds, and not whole: it is being written, or did not come to its end. */
  coming: Message | undefined;
  /** The newest "context" message there is: a choice is made in its knowledge. */
  seen: string | null;
};

/** What is sent of a branch, by the choices among a conversation's messages. */
export function contextOf(messages: readonly Message[], branch: readonly Message[]): BranchContext {
  const choice = newestChoice(branch, messages, true);
  const newest = newestChoice(branch, messages, false);
  const seen = messages.reduce<string | null>(
    (last, { role, id }) => (role === "context" && (last === null || id > last) ? id : last),
    null,
  );
  return {
    ...sentOf(branch, choice),
    branch: [...branch],
    coming: newest === choice ? undefined : newest,
    seen,
  };
}

export const branchContext = (messages: readonly Message[], leafId: string | null): BranchContext =>
  contextOf(messages, branchTo(buildTree(messages), leafId));

/**
 * A place where what is sent may begin: a message of a person, with about how many tokens come from there on. `leavesOut` counts
 * what stands in the thread, where an answer with all its rounds is one.
 */
export type CutPoint = {
  first: Message;
  upTo: string;
  words: string;
  leavesOut: number;
  tokensFrom: number;
};

/** Every message of a person but the first, newest first. */
export function cutPointsOf(branch: readonly Message[]): CutPoint[] {
  const points: CutPoint[] = [];
  let tokensFrom = 0;
  const placeInThread = new Map(entriesOf(branch).map(([{ id }], place) => [id, place]));
  for (const [back, first] of branch.toReversed().entries()) {
    const place = branch.length - 1 - back;
    const before = branch[place - 1];
    tokensFrom += tokensOfWords(first.parts);
    if (first.role !== "user" || !before) continue;
    points.push({
      first,
      upTo: before.id,
      words: textOf(first.parts).trim().slice(0, 120),
      leavesOut: placeInThread.get(first.id) ?? 0,
      tokensFrom,
    });
  }
  return points;
}

/** The oldest place from which on all fits into half of what there is, so that it is not full again at once; else the newest. */
export function usualPoint(
  points: readonly CutPoint[],
  roomTokens: number | null,
): CutPoint | undefined {
  const fits =
    roomTokens === null ? [] : points.filter(({ tokensFrom }) => tokensFrom <= roomTokens / 2);
  return fits.at(-1) ?? points[0];
}
