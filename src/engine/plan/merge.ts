import type { Conversation, Message } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ChatTurn } from "#providers/adapter.ts";
import { getMessage, listMessages } from "#store/content/conversations.ts";
import type { Reader } from "#store/database/store.ts";

const question =
  "Several assistants answered my last message. Write one answer that keeps the best of theirs: correct what is wrong, settle what contradicts, say nothing twice. Answer me directly, in the language of my message, and do not mention that there were several answers.";

/**
 * The answers that a run merges, each as the messages of its rounds. They are complete, so a
 * restart reads the same text.
 */
export type Merge = {
  /** The first round of each answer, which people see as the answer. */
  answerIds: readonly string[];
  groupId: string;
  rounds: readonly (readonly string[])[];
  /** The merge request, as it is counted and sent. */
  words: string;
};

/**
 * Builds the request to merge several answers to one message.
 * @throws Problem invalid_input unless the answers are side by side below it and have text,
 *   conflict while one is streaming
 */
export async function planMerge(
  db: Reader,
  { id: conversationId }: Pick<Conversation, "id">,
  parentId: string,
  answerIds: readonly string[],
): Promise<Merge> {
  const messages = await listMessages(db, conversationId);
  const answers = answerIds.flatMap((id) => messages.find((message) => message.id === id) ?? []);
  const groupId = answers[0]?.group?.id;
  const isAsked = (answer: Message) =>
    answer.parentId === parentId && answer.group?.id === groupId && answer.group?.column !== null;
  const isTwice = new Set(answerIds).size < answerIds.length;
  if (!groupId || isTwice || answers.length < answerIds.length || !answers.every(isAsked))
    throw new Problem("invalid_input", { field: "merges", message: sentences.chat.mergeElsewhere });
  const paths = answers.map((answer) => roundsOf(messages, answer));
  if (paths.flat().some(({ state }) => state === "streaming"))
    throw new Problem("conflict", { message: sentences.chat.mergeRunning });
  if (paths.some((path) => textOf(path).trim() === ""))
    throw new Problem("invalid_input", { field: "merges", message: sentences.chat.mergeEmpty });
  const rounds = paths.map((path) => path.map(({ id }) => id));
  return { answerIds, groupId, rounds, words: answersText(paths) };
}

/**
 * Reads the merge request of a run from the messages it was admitted with, including deleted ones,
 * because its price covers them all.
 */
export async function readMerge(
  db: Reader,
  rounds: readonly (readonly string[])[],
): Promise<string> {
  const messageOf = async (id: string) => (await getMessage(db, id)) ?? [];
  const read = rounds.map(async (ids) => (await Promise.all(ids.map(messageOf))).flat());
  return answersText(await Promise.all(read));
}

/**
 * Appends the merge request to the turn of the person's question, because many models refuse two
 * consecutive user turns.
 */
export function withMerge(turns: ChatTurn[], text: string): ChatTurn[] {
  const last = turns.at(-1);
  const part = { type: "text" as const, text };
  if (last?.role !== "user") return [...turns, { role: "user", parts: [part] }];
  return [...turns.slice(0, -1), { ...last, parts: [...last.parts, part] }];
}

/** An answer with its later rounds, the newest version of each. */
function roundsOf(messages: readonly Message[], answer: Message): Message[] {
  const rounds = [answer];
  for (let last: Message | undefined = answer; last; ) {
    const { id }: Message = last;
    last = messages.findLast(
      ({ parentId, role }) => parentId === id && (role === "assistant" || role === "tool"),
    );
    if (last) rounds.push(last);
  }
  return rounds;
}

const textOf = (rounds: readonly Message[]): string =>
  rounds
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
    .join("\n\n");

const answersText = (answers: readonly (readonly Message[])[]): string =>
  [question, ...answers.map((rounds, i) => `[Answer ${i + 1}]\n${textOf(rounds)}`)].join("\n\n");
