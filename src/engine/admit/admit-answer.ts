import type { Conversation, Message, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  completeMessage,
  findMessage,
  getConversation,
  listBranch,
  lockOpenMessage,
  moveConversation,
} from "#store/content/conversations.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { planMerge } from "../plan/merge.ts";
import { measureTexts } from "../plan/text-size.ts";
import { type TurnAsk, withoutTools } from "../plan/turn.ts";
import { admit, findMessageUnderKey, underKey } from "./admit.ts";
import { insertAnswer } from "./insert-answer.ts";
import {
  modelOf,
  nextTurn,
  noNewMessage,
  requireConversation,
  requireLiving,
  requireMessage,
} from "./next-turn.ts";

export type AnswerAsk = {
  messageId: string;
  turn: TurnAsk;
  /** The interrupted answer to continue. */
  continueFrom?: string;
  /** The answer whose column the new answer takes over. */
  replaces?: string;
  /** The answers to merge into the new one. */
  merges?: string[];
  idempotencyKey?: string;
};

/**
 * Admits another answer to a person's message, the continuation of an interrupted answer, or a
 * merge of several answers.
 * @throws Problem not_found, conflict, invalid_input, context_full, and what `admit` throws
 */
export async function admitAnswer(
  deps: EngineDeps,
  asker: Asker,
  ask: AnswerAsk,
): Promise<{ answer: Message; run: Run }> {
  const asked = await findMessage(deps.store.read, ask.messageId);
  const known = asked && (await getConversation(deps.store.read, asked.conversationId));
  if (!asked || !known) throw new Problem("not_found");
  if (asked.role === "assistant" || asked.role === "context" || asked.state === "streaming")
    throw new Problem("conflict", {
      message: sentences.chat.notAnswerable,
    });
  const { continueFrom } = ask;
  const before = await readBefore(deps, known, asked, ask);
  const { idempotencyKey, ...request } = ask;
  const { projectId } = known;
  const idempotency = underKey(idempotencyKey, request);
  return admit(
    deps,
    { asker, projectId, models: [modelOf(ask.turn)], idempotency },
    {
      async find(key) {
        const { run, message } = (await findMessageUnderKey(deps, key)) ?? {};
        return run && message && { answer: message, run };
      },
      async plan([model]) {
        const answerIds = ask.merges ?? before?.group?.mergedFrom;
        const merge = answerIds && (await planMerge(deps.store.read, known, asked.id, answerIds));
        const turn = await nextTurn(
          deps,
          asker,
          merge ? withoutTools(known) : known,
          model!,
          ask.turn,
          {
            ...noNewMessage,
            parentId: continueFrom ?? asked.id,
            ...(merge && { messageSize: measureTexts([merge.words]) }),
          },
        );
        const isShown = await continuesFrom(deps, known, ask.replaces);
        return {
          models: [turn.model],
          async insert(admission) {
            const { tx, at } = admission;
            const conversation = await requireConversation(tx, known.id);
            await requireLiving(tx, before?.id ?? asked.id);
            const made = await insertAnswer(admission, deps, {
              conversation,
              parentId: asked.id,
              turn,
              continueFrom,
              merges: merge?.rounds,
              group: merge
                ? { id: merge.groupId, column: null, mergedFrom: merge.answerIds }
                : before?.group && { id: before.group.id, column: before.group.column },
            });
            const isHeadKnown = conversation.headMessageId === known.headMessageId;
            const head =
              isShown && (isHeadKnown || !ask.replaces) ? { headMessageId: made.answer.id } : {};
            await moveConversation(admission, conversation, { ...head, updatedAt: at });
            return made;
          },
        };
      },
    },
  );
}

/**
 * Reads the answer that is continued or replaced.
 * @throws Problem not_found, conflict
 */
async function readBefore(
  deps: EngineDeps,
  conversation: Conversation,
  asked: Message,
  { continueFrom, replaces }: AnswerAsk,
): Promise<Message | undefined> {
  const id = continueFrom ?? replaces;
  if (id === undefined) return undefined;
  const answer = await requireMessage(deps, conversation.id, id);
  if (continueFrom && (answer.state !== "interrupted" || answer.parentId !== asked.id))
    throw new Problem("conflict", { message: sentences.chat.onlyInterrupted });
  if (replaces && (!answer.group || answer.parentId !== asked.id))
    throw new Problem("conflict", { message: sentences.chat.notSideBySide });
  if (answer.state === "streaming")
    throw new Problem("conflict", { message: sentences.chat.answerRunning });
  return answer;
}

/**
 * Whether the replaced answer is on the conversation's current branch. If it isn't, replacing it
 * leaves the head where it is.
 */
async function continuesFrom(
  { store }: EngineDeps,
  { id, headMessageId }: Conversation,
  replaces: string | undefined,
): Promise<boolean> {
  if (!replaces || !headMessageId) return true;
  const branch = await listBranch(store.read, id, headMessageId);
  return branch.some((message) => message.id === replaces);
}

/**
 * Admits the answer that follows tool results, in the unit that completes the message with the
 * results. Does nothing if that message is already complete.
 */
export function admitNext(
  deps: EngineDeps,
  asker: Asker,
  known: Conversation,
  results: Message,
  ask: TurnAsk,
): Promise<void> {
  return admit(
    deps,
    { asker, projectId: known.projectId, models: [modelOf(ask)] },
    {
      async plan([model]) {
        const turn = await nextTurn(deps, asker, known, model!, ask, {
          parentId: results.id,
          ...noNewMessage,
        });
        return {
          models: [turn.model],
          async insert(admission) {
            const { tx, at } = admission;
            const conversation = await requireConversation(tx, known.id);
            const open = await lockOpenMessage(tx, results.id);
            if (!open) return;
            await completeMessage(admission, open.id, "complete", open.parts);
            const parentId = open.id;
            const made = await insertAnswer(admission, deps, { conversation, parentId, turn });
            const head = { headMessageId: made.answer.id, updatedAt: at };
            if (conversation.headMessageId === open.id)
              await moveConversation(admission, conversation, head);
          },
        };
      },
    },
  );
}
