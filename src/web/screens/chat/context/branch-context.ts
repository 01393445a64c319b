import type { Message } from "#contract/entities.ts";
import { newestChoice, type SentBranch, sentOf, tokensOfParts } from "#domain/text/context.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import { textOf } from "../answer/message-parts.ts";
import { entriesOf } from "../thread/entries.ts";

export type BranchContext = SentBranch<MessageNode> & {
  /** A summary newer than the current choice that isn't complete: it is streaming or failed. */
  coming: Message | undefined;
  /**
   * The id of the newest "context" message, sent with a choice so that the server detects a
   * conflict.
   */
  seen: string | null;
};

/** The part of a branch that is sent, according to the choices among these messages. */
export function contextOf(
  messages: readonly Message[],
  branch: readonly MessageNode[],
): BranchContext {
  const choice = newestChoice(branch, messages, true);
  const newest = newestChoice(branch, messages, false);
  const seen = messages.reduce<string | null>(
    (last, { role, id }) => (role === "context" && (last === null || id > last) ? id : last),
    null,
  );
  return {
    ...sentOf(branch, choice),
    coming: newest === choice ? undefined : newest,
    seen,
  };
}

/**
 * A person's message at which the sent part may begin, with the approximate tokens from there on.
 * `leavesOut` counts the thread's items, where an answer with all its rounds is one.
 */
export type CutPoint = {
  first: Message;
  upTo: string;
  words: string;
  leavesOut: number;
  tokensFrom: number;
};

/** Every message of the person except the first, newest first. */
export function cutPointsOf(branch: readonly Message[]): CutPoint[] {
  const points: CutPoint[] = [];
  let tokensFrom = 0;
  const placeInThread = new Map(entriesOf(branch).map(([{ id }], index) => [id, index]));
  for (const [back, first] of branch.toReversed().entries()) {
    const place = branch.length - 1 - back;
    const before = branch[place - 1];
    tokensFrom += tokensOfParts(first.parts);
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

/**
 * The oldest point that fills at most half of the context, so that it isn't full again soon;
 * otherwise the newest point.
 */
export function usualPoint(
  points: readonly CutPoint[],
  roomTokens: number | null,
): CutPoint | undefined {
  const fits =
    roomTokens === null ? [] : points.filter(({ tokensFrom }) => tokensFrom <= roomTokens / 2);
  return fits.at(-1) ?? points[0];
}
