import type { Conversation, Message, MessagePart, ModelDetail, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  completeMessage,
  findConversationByIdempotencyKey,
  getConversation,
  getMessage,
  insertConversation,
  insertMessage,
  lockConversation,
  lockOpenMessage,
  moveConversation,
  type NewMessage,
} from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { requireAssets } from "../plan/checks.ts";
import { measureTexts } from "../plan/text-size.ts";
import { planTurn, prepareTurn, type Saying, type Turn, type TurnAsk } from "../plan/turn.ts";
import { type Admission, admit, findUnderKey, sameRequest, underKey } from "./admit.ts";
import { insertAnswer } from "./insert-answer.ts";

export type MessageAsk = {
  conversationId: string;
  parentId: string | null;
  text: string;
  attachments: string[];
  ask?: TurnAsk;
  idempotencyKey?: string;
};
export type ConversationAsk = {
  projectId: string;
  title: string;
  systemPrompt: string;
  settings: Record<string, unknown>;
  idempotencyKey?: string;
};
export type Said = { message: Message; answer: Message | null; run: Run | null };

/** A conversation without messages. @throws Problem idempotency_mismatch */
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

/** A message of a person and, when asked for, the run of its answer: one unit. @throws Problem not_found, invalid_input, context_full, and what `admit` throws */
export async function admitMessage(
  deps: EngineDeps,
  asker: Asker,
  said: MessageAsk,
): Promise<Said> {
  const known = await getConversation(deps.store.read, said.conversationId);
  if (!known) throw new Problem("not_found");
  if (said.text.trim() === "" && said.attachments.length === 0)
    throw new Problem("invalid_input", {
      field: "text",
      message: sentences.chat.empty,
    });
  const { idempotencyKey, ...request } = said;
  const { projectId } = known;
  const idempotency = underKey(idempotencyKey, request);
  return admit(
    deps,
    { asker, projectId, models: said.ask ? [modelOf(said.ask)] : [], idempotency },
    {
      async find(key) {
        const { run, message } = await findUnderKey(deps, key);
        if (!message) return undefined;
        const answer = run?.messageId
          ? await getMessage(deps.store.read, run.messageId)
          : undefined;
        return { message, answer: answer ?? null, run: run ?? null };
      },
      async plan([model]) {
        const { parentId, text, attachments: assetIds } = said;
        if (parentId) await requireMessage(deps, known.id, parentId);
        await requireAssets(deps, asker, projectId, assetIds);
        const turn =
          model &&
          said.ask &&
          (await nextTurn(deps, asker, known, model, said.ask, {
            parentId,
            said: measureTexts([text]),
            assetIds,
          }));
        return {
          models: turn ? [turn.model] : [],
          insert: (admission) => insertMessageAndAnswer(admission, deps, said, turn),
        };
      },
    },
  );
}

async function insertMessageAndAnswer(
  admission: Admission,
  deps: EngineDeps,
  { conversationId, parentId, text, attachments }: MessageAsk,
  turn: Turn | undefined,
): Promise<Said> {
  const { tx, at, idempotency } = admission;
  const conversation = await requireConversation(tx, conversationId);
  const parts: MessagePart[] = [
    ...attachments.map((assetId): MessagePart => ({ type: "file", assetId })),
    ...(text ? [{ type: "text" as const, text }] : []),
  ];
  const said: NewMessage = {
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
  const asked =
    turn &&
    (await insertAnswer(admission, deps, { conversation, parentId: said.id, turn, said, files }));
  const message = asked?.said ?? (await insertMessage(admission, conversation, said));
  const title = conversation.title === "" ? titleOf(text) : undefined;
  const headMessageId = asked?.answer.id ?? message.id;
  await moveConversation(admission, conversation, { headMessageId, updatedAt: at, title });
  return { message, answer: asked?.answer ?? null, run: asked?.run ?? null };
}

/** Another answer to a person's message, or the continuation of an interrupted answer. */
export async function admitAnswer(
  deps: EngineDeps,
  asker: Asker,
  ask: { messageId: string; turn: TurnAsk; continueFrom?: string; idempotencyKey?: string },
): Promise<{ answer: Message; run: Run }> {
  const asked = await getMessage(deps.store.read, ask.messageId);
  const known = asked && (await getConversation(deps.store.read, asked.conversationId));
  if (!asked || !known) throw new Problem("not_found");
  if (asked.role === "assistant" || asked.role === "context" || asked.state === "streaming")
    throw new Problem("conflict", {
      message: sentences.chat.notAnswerable,
    });
  const { continueFrom } = ask;
  if (continueFrom) {
    const part = await requireMessage(deps, known.id, continueFrom);
    if (part.state !== "interrupted" || part.parentId !== asked.id)
      throw new Problem("conflict", { message: sentences.chat.onlyInterrupted });
  }
  const { idempotencyKey, ...request } = ask;
  const { projectId } = known;
  const idempotency = underKey(idempotencyKey, request);
  return admit(
    deps,
    { asker, projectId, models: [modelOf(ask.turn)], idempotency },
    {
      async find(key) {
        const { run } = await findUnderKey(deps, key);
        const answer = run?.messageId
          ? await getMessage(deps.store.read, run.messageId)
          : undefined;
        return run && answer && { answer, run };
      },
      async plan([model]) {
        const parentId = continueFrom ?? asked.id;
        const turn = await nextTurn(deps, asker, known, model!, ask.turn, {
          parentId,
          ...nothingSaid,
        });
        return {
          models: [turn.model],
          async insert(admission) {
            const { tx, at } = admission;
            const conversation = await requireConversation(tx, known.id);
            const made = await insertAnswer(admission, deps, {
              conversation,
              parentId: asked.id,
              turn,
              continueFrom,
            });
            const head = { headMessageId: made.answer.id, updatedAt: at };
            await moveConversation(admission, conversation, head);
            return made;
          },
        };
      },
    },
  );
}

/** The answer that continues from tool results, in the unit that closes their message. Does nothing if it is closed already. */
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
          ...nothingSaid,
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

const modelOf = ({ model: ref }: TurnAsk) => ({ ref, task: "chat" as const });

const nothingSaid = { said: measureTexts([]), assetIds: [] };

const nextTurn = async (
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  model: ModelDetail,
  { settings }: TurnAsk,
  saying: Saying,
): Promise<Turn> =>
  prepareTurn(
    deps,
    asker,
    await planTurn(deps, asker, model, {
      ...saying,
      projectId: conversation.projectId,
      conversation,
      settings,
    }),
  );

const titleOf = (text: string): string | undefined => {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  if (line === "") return undefined;
  const characters = [...line];
  return characters.length <= 60 ? line : `${characters.slice(0, 59).join("").trimEnd()}…`;
};

async function requireConversation(tx: Tx, id: string): Promise<Conversation> {
  const conversation = await lockConversation(tx, id);
  if (!conversation) throw new Problem("not_found");
  return conversation;
}

async function requireMessage(
  deps: EngineDeps,
  conversationId: string,
  messageId: string,
): Promise<Message> {
  const message = await getMessage(deps.store.read, messageId);
  if (message?.conversationId !== conversationId || message.role === "context")
    throw new Problem("not_found", {
      message: sentences.chat.parentMissing,
    });
  return message;
}
