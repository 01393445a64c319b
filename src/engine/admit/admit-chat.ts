import type { Conversation, Message, MessagePart, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { titleOf } from "#domain/text/title.ts";
import { listAnswerGroup } from "#store/content/chats/answer-groups.ts";
import {
  findConversationByIdempotencyKey,
  findMessage,
  getConversation,
  getMessage,
  insertConversation,
  insertMessage,
  moveConversation,
  type NewMessage,
} from "#store/content/conversations.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { requireAssets } from "../plan/checks.ts";
import { measureTexts } from "../plan/text-size.ts";
import type { Turn, TurnAsk } from "../plan/turn.ts";
import { type Admission, admit, findMessageUnderKey, sameRequest, underKey } from "./admit.ts";
import { insertAnswers } from "./insert-answer.ts";
import {
  modelOf,
  nextTurn,
  requireConversation,
  requireLiving,
  requireMessage,
} from "./next-turn.ts";

export type MessageAsk = {
  conversationId: string;
  parentId: string | null;
  text: string;
  attachments: string[];
  ask?: TurnAsk;
  /** Several models that answer side by side. Set instead of `ask`. */
  asks?: TurnAsk[];
  idempotencyKey?: string;
};
export type ConversationAsk = {
  projectId: string;
  title: string;
  systemPrompt: string;
  settings: Record<string, unknown>;
  temporary?: boolean;
  idempotencyKey?: string;
};
export type AdmittedMessage = {
  message: Message;
  answer: Message | null;
  run: Run | null;
  answers: Answered[];
};
type Answered = { answer: Message; run: Run };

/**
 * Creates a conversation without messages.
 * @throws Problem idempotency_mismatch
 */
export function createConversation(
  deps: EngineDeps,
  asker: Asker,
  ask: ConversationAsk,
): Promise<Conversation> {
  const { idempotencyKey, ...request } = ask;
  const idempotency = underKey(idempotencyKey, request);
  return admit(
    deps,
    { asker, projectId: ask.projectId, models: [], idempotency },
    {
      async find({ scope, key, requestHash }) {
        const found = await findConversationByIdempotencyKey(deps.store.read, scope, key);
        return sameRequest(found, requestHash)?.conversation;
      },
      plan: async () => ({
        models: [],
        insert: (admission) =>
          insertConversation(admission, {
            ...request,
            id: deps.ids(),
            userId: asker.userId,
            idempotency: admission.idempotency,
            at: admission.at,
          }),
      }),
    },
  );
}

/**
 * Admits a person's message and the runs of its answers, if any, in one unit.
 * @throws Problem not_found, invalid_input, context_full, and what `admit` throws
 */
export async function admitMessage(
  deps: EngineDeps,
  asker: Asker,
  messageAsk: MessageAsk,
): Promise<AdmittedMessage> {
  const known = await getConversation(deps.store.read, messageAsk.conversationId);
  if (!known) throw new Problem("not_found");
  if (messageAsk.text.trim() === "" && messageAsk.attachments.length === 0)
    throw new Problem("invalid_input", {
      field: "text",
      message: sentences.chat.empty,
    });
  if (known.expiresAt !== null && messageAsk.attachments.length > 0)
    throw new Problem("conflict", {
      field: "attachments",
      message: sentences.chat.temporaryNoFiles,
    });
  if (messageAsk.ask && messageAsk.asks)
    throw new Problem("invalid_input", { field: "asks", message: sentences.chat.askOrAsks });
  const { idempotencyKey, ...request } = messageAsk;
  const { projectId } = known;
  const idempotency = underKey(idempotencyKey, request);
  const asks = messageAsk.asks ?? (messageAsk.ask ? [messageAsk.ask] : []);
  return admit(
    deps,
    { asker, projectId, models: asks.map(modelOf), idempotency },
    {
      async find(key) {
        const found = await findMessageUnderKey(deps, key);
        if (!found) return undefined;
        const { run, message } = found;
        return toAdmittedMessage(message, run ? await answersWith(deps, run) : []);
      },
      async plan(models) {
        const { parentId, text, attachments: assetIds } = messageAsk;
        if (parentId) await requireMessage(deps, known.id, parentId);
        await requireAssets(deps, asker, projectId, assetIds);
        const saying = { parentId, messageSize: measureTexts([text]), assetIds };
        const turns: Turn[] = [];
        for (const [i, ask] of asks.entries())
          turns.push(await nextTurn(deps, asker, known, models[i]!, ask, saying));
        return {
          models: turns.map((turn) => turn.model),
          insert: (admission) => insertMessageAndAnswers(admission, deps, messageAsk, turns),
        };
      },
    },
  );
}

const toAdmittedMessage = (message: Message, answers: Answered[]): AdmittedMessage => ({
  message,
  answer: answers[0]?.answer ?? null,
  run: answers[0]?.run ?? null,
  answers,
});

/** The answer of a run, with the answers admitted side by side with it. */
async function answersWith({ store }: EngineDeps, run: Run): Promise<Answered[]> {
  const answer = run.messageId ? await getMessage(store.read, run.messageId) : undefined;
  if (!answer) return [];
  if (!answer.group) return (await findMessage(store.read, answer.id)) ? [{ answer, run }] : [];
  const group = await listAnswerGroup(store.read, answer.group.id);
  const first = group.filter(
    ({ group: of }, i) =>
      of?.column !== null && i === group.findIndex((one) => one.group?.column === of?.column),
  );
  const runs = await getRunsByIds(
    store.read,
    first.flatMap(({ runId }) => runId ?? []),
  );
  return first.flatMap((one) => {
    const own = runs.find(({ id }) => id === one.runId);
    return own ? [{ answer: one, run: own }] : [];
  });
}

async function insertMessageAndAnswers(
  admission: Admission,
  deps: EngineDeps,
  { conversationId, parentId, text, attachments }: MessageAsk,
  turns: readonly Turn[],
): Promise<AdmittedMessage> {
  const { tx, at, idempotency } = admission;
  const conversation = await requireConversation(tx, conversationId);
  await requireLiving(tx, parentId);
  const parts: MessagePart[] = [
    ...attachments.map((assetId): MessagePart => ({ type: "file", assetId })),
    ...(text ? [{ type: "text" as const, text }] : []),
  ];
  const messageAsk: NewMessage = {
    id: deps.ids(),
    parentId,
    role: "user",
    state: "complete",
    parts,
    runId: null,
    continuesId: null,
    idempotency,
  };
  const files = attachments.map((assetId, i) => ({ assetId, role: `attachments.${i}` }));
  const where = { conversation, parentId: messageAsk.id, turns, newMessage: messageAsk, files };
  const asked = turns.length > 0 ? await insertAnswers(admission, deps, where) : undefined;
  const message = asked?.said ?? (await insertMessage(admission, conversation, messageAsk));
  const title =
    conversation.title === "" && conversation.expiresAt === null ? titleOf(text) : undefined;
  const admitted = toAdmittedMessage(message, asked?.answers ?? []);
  // The conversation continues from the first answer until the person picks one.
  const headMessageId = admitted.answer?.id ?? message.id;
  await moveConversation(admission, conversation, { headMessageId, updatedAt: at, title });
  return admitted;
}
