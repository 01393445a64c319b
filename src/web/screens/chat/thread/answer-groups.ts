import { groupBy } from "../../../data/group-by.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import type { Entry } from "./entries.ts";
import type { MessageTree, Siblings } from "./message-tree.ts";

/** A column of side-by-side answers: the versions of one model's answer, oldest first. */
export type AnswerColumn = { key: string; versions: readonly [MessageNode, ...MessageNode[]] };

/** A group's columns, in the order in which the models were asked. */
export function columnsOf(
  tree: MessageTree,
  questionId: string | null,
  groupId: string,
): AnswerColumn[] {
  const answers = (tree.children.get(questionId ?? "") ?? []).filter(
    ({ group }) => group?.id === groupId && group.column !== null,
  );
  return [...groupBy(answers, ({ group }) => String(group?.column)).values()]
    .flatMap(([first, ...rest]): AnswerColumn[] =>
      first ? [{ key: first.id, versions: [first, ...rest] }] : [],
    )
    .sort((a, b) => columnOf(a) - columnOf(b));
}
const columnOf = ({ versions: [{ group }] }: AnswerColumn): number => group?.column ?? 0;

/** An answer with the newest of its later rounds, up to the next question. */
export function wholeBelow(tree: MessageTree, answer: MessageNode): Entry<MessageNode> {
  const rounds: [MessageNode, ...MessageNode[]] = [answer];
  const seen = new Set([answer.id]);
  const next = (id: string) =>
    (tree.children.get(id) ?? []).findLast(({ role }) => role !== "user" && role !== "context");
  for (let round = next(answer.id); round && !seen.has(round.id); round = next(round.id)) {
    seen.add(round.id);
    rounds.push(round);
  }
  return rounds;
}

/**
 * The versions of an answer in its column; for a merged answer, those that merge the same group.
 */
export function versionsInGroup(tree: MessageTree, answer: MessageNode): Siblings {
  const { group, parentId } = answer;
  const ids = (tree.children.get(parentId ?? "") ?? []).flatMap((other) =>
    other.group?.id === group?.id && other.group?.column === group?.column ? [other.id] : [],
  );
  return { place: ids.indexOf(answer.id) + 1, ids };
}
