import type { Conversation, Message, MessagePart, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { insertRunInputs } from "#store/content/assets.ts";
import {
  completeMessage,
  findConversationByIdempotencyKey,
  getConversation,
  getMessage,
  type Idempotency,
  insertConversation,
  insertMessage,
  lockConversation,
  lockOpenMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { hashOf } from "../connections/catalogue.ts";
import type { EngineDeps } from "../deps.ts";
import {
  type Asker,
  admitOnce,
  foundUnderKey,
  requireAssets,
  requireConnections,
  sameRequest,
} from "./admission.ts";
import { wordsOf } from "./hold.ts";
import { insertAnswer, prepareTurn, type TurnAsk } from "./turn.ts";

export type { TurnAsk } from "./turn.ts";
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
export async function createConversation(
  deps: EngineDeps,
  asker: Asker,
  ask: ConversationAsk,
): Promise<Conversation> {
  const { idempotencyKey, ...request } = ask;
  const idempotency = idempotencyOf(ask.projectId, asker, idempotencyKey, request);

  async function existing(): Promise<Conversation | undefined> {
    if (!idempotency) return undefined;
    const { scope, key, requestHash } = idempotency;
    const found = await findConversationByIdempotencyKey(deps.store.read, scope, key);
    return sameRequest(found, requestHash)?.conversation;
  }

  return admitOnce(existing, () =>
    deps.commit((tx, outbox) =>
      insertConversation(tx, outbox, {
        ...request,
        id: deps.ids(),
        userId: asker.userId,
        idempotency,
        at: deps.clock.now(),
      }),
    ),
  );
}

/** A message of a person and, when asked for, the run of its answer: one unit. @throws Problem as admitBatch does */
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
      message: "Write something, or attach a file.",
    });
  const { idempotencyKey, ...request } = said;
  const idempotency = idempotencyOf(known.projectId, asker, idempotencyKey, request);

  async function existing(): Promise<Said | undefined> {
    if (!idempotency) return undefined;
    const { run, message } = await foundUnderKey(deps, idempotency);
    if (!message) return undefined;
    const answer = run?.messageId ? await getMessage(deps.store.read, run.messageId) : undefined;
    return { message, answer: answer ?? null, run: run ?? null };
  }

  return admitOnce(existing, async () => {
    if (said.parentId) await requireMessage(deps, said.conversationId, said.parentId);
    await requireAssets(deps, asker, known.projectId, said.attachments);
    const { parentId, text, attachments: assetIds } = said;
    const turn =
      said.ask &&
      (await prepareTurn(deps, asker, known, said.ask, {
        parentId,
        said: wordsOf([text]),
        assetIds,
      }));
    const parts: MessagePart[] = [
      ...said.attachments.map((assetId): MessagePart => ({ type: "file", assetId })),
      ...(said.text ? [{ type: "text" as const, text: said.text }] : []),
    ];
    return deps.commit(async (tx, outbox) => {
      if (turn) await requireConnections(deps, tx, [turn.model]);
      const conversation = await requireConversation(deps, tx, known.id);
      const at = deps.clock.now();
      const message = await insertMessage(tx, {
        id: deps.ids(),
        conversationId: conversation.id,
        parentId: said.parentId,
        role: "user",
        state: "complete",
        parts,
        runId: null,
        continuesId: null,
        idempotency,
        at,
      });
      const asked =
        turn &&
        (await insertAnswer(deps, tx, outbox, asker, {
          conversation,
          parentId: message.id,
          turn,
          idempotency,
          at,
        }));
      const title = conversation.title === "" ? titleOf(said.text) : undefined;
      await updateConversation(
        tx,
        outbox,
        conversation.id,
        { headMessageId: asked?.answer.id ?? message.id, updatedAt: at, title },
        at,
      );
      if (asked)
        await insertRunInputs(
          tx,
          asked.run.id,
          said.attachments.map((assetId, i) => ({ assetId, role: `attachments.${i}` })),
        );
      return { message, answer: asked?.answer ?? null, run: asked?.run ?? null };
    });
  });
}

/** Another answer to a person's message, beside those there are; or one that goes on from an interrupted answer. */
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
      message: "Only a message of a person, or what tools gave, can be answered.",
    });
  if (ask.continueFrom) {
    const part = await requireMessage(deps, known.id, ask.continueFrom);
    if (part.state !== "interrupted" || part.parentId !== asked.id)
      throw new Problem("conflict", { message: "Only an interrupted answer can be continued." });
  }
  const { idempotencyKey, ...request } = ask;
  const idempotency = idempotencyOf(known.projectId, asker, idempotencyKey, request);

  async function existing(): Promise<{ answer: Message; run: Run } | undefined> {
    if (!idempotency) return undefined;
    const { run } = await foundUnderKey(deps, idempotency);
    const answer = run?.messageId ? await getMessage(deps.store.read, run.messageId) : undefined;
    return run && answer && { answer, run };
  }

  return admitOnce(existing, async () => {
    const turn = await prepareTurn(deps, asker, known, ask.turn, {
      parentId: ask.continueFrom ?? asked.id,
      said: wordsOf([]),
      assetIds: [],
    });
    return deps.commit(async (tx, outbox) => {
      await requireConnections(deps, tx, [turn.model]);
      const conversation = await requireConversation(deps, tx, known.id);
      const at = deps.clock.now();
      const made = await insertAnswer(deps, tx, outbox, asker, {
        conversation,
        parentId: asked.id,
        turn,
        continueFrom: ask.continueFrom,
        idempotency,
        at,
      });
      await updateConversation(
        tx,
        outbox,
        conversation.id,
        { headMessageId: made.answer.id, updatedAt: at },
        at,
      );
      return made;
    });
  });
}

/** The answer that goes on from the results of tools, in the unit that closes their message. Nothing happens when it is closed already. */
export async function admitNext(
  deps: EngineDeps,
  asker: Asker,
  known: Conversation,
  results: Message,
  ask: TurnAsk,
): Promise<void> {
  const turn = await prepareTurn(deps, asker, known, ask, {
    parentId: results.id,
    said: wordsOf([]),
    assetIds: [],
  });
  await deps.commit(async (tx, outbox) => {
    await requireConnections(deps, tx, [turn.model]);
    const conversation = await requireConversation(deps, tx, known.id);
    const open = await lockOpenMessage(deps.store, tx, results.id);
    if (!open) return;
    const at = deps.clock.now();
    await completeMessage(tx, outbox, open.id, "complete", open.parts, at);
    const made = await insertAnswer(deps, tx, outbox, asker, {
      conversation,
      parentId: open.id,
      turn,
      at,
    });
    if (conversation.headMessageId === open.id)
      await updateConversation(
        tx,
        outbox,
        conversation.id,
        { headMessageId: made.answer.id, updatedAt: at },
        at,
      );
  });
}

function idempotencyOf(
  projectId: string,
  asker: Asker,
  key: string | undefined,
  request: unknown,
): Idempotency | undefined {
  return key
    ? { scope: `${projectId}:${asker.userId}`, key, requestHash: hashOf(request) }
    : undefined;
}

const titleOf = (text: string): string | undefined => {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  if (line === "") return undefined;
  const characters = [...line];
  return characters.length <= 60 ? line : `${characters.slice(0, 59).join("").trimEnd()}…`;
};

async function requireConversation(deps: EngineDeps, tx: Tx, id: string): Promise<Conversation> {
  const conversation = await lockConversation(deps.store, tx, id);
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
      message: "The message this answers is not in this conversation.",
    });
  return message;
}
