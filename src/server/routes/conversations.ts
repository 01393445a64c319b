import { decodeHTMLStrict } from "entities/decode";
import type { Conversation, Message, ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { conversationRoutes } from "#contract/routes/conversations.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide } from "#domain/people/policy.ts";
import { snippetOf } from "#domain/text/snippet.ts";
import { admitAnswer } from "#engine/admit/admit-answer.ts";
import { admitMessage, createConversation } from "#engine/admit/admit-chat.ts";
import { chooseContext } from "#engine/admit/admit-context.ts";
import { admitFork } from "#engine/admit/admit-fork.ts";
import { fetchPicture, pictureHeaders } from "#engine/ingest/remote-picture.ts";
import { estimateSummary } from "#engine/plan/summarize.ts";
import { estimateTurn, type TurnAsk } from "#engine/plan/turn.ts";
import { inSlices } from "#engine/recover/slices.ts";
import { pickAnswer } from "#store/content/chats/answer-groups.ts";
import { withFeedback } from "#store/content/chats/feedback.ts";
import { getForkSource } from "#store/content/chats/forks.ts";
import { pruneBranch, restoreBranch } from "#store/content/chats/pruned-branches.ts";
import { deleteTemporary, listRunsOfConversation } from "#store/content/chats/temporary-chats.ts";
import { listConversations, listTrashedConversations } from "#store/content/conversation-lists.ts";
import {
  type ConversationChange,
  expireConversation,
  findMessage,
  getConversation,
  purgeConversations,
  updateConversation,
} from "#store/content/conversations.ts";
import {
  getMessagesByIds,
  listNewestMessages,
  pageMessages,
} from "#store/content/message-pages.ts";
import { listMemberIds } from "#store/people/projects.ts";
import { findScope } from "#store/people/scopes.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import { notifyRightsChanged, type ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";
import { endWhenForbidden } from "../still-allowed.ts";

const toTurnAsk = ({ model, settings }: { model: ModelRef; settings: object }): TurnAsk => ({
  model,
  settings: settings as JsonObject,
});

/** Whether a message's text contains this URL, plainly or with HTML entities as Markdown allows. */
const namesAddress = ({ parts }: Message, url: string): boolean =>
  parts.some(
    (part) =>
      (part.type === "text" || part.type === "reasoning") &&
      (part.text.includes(url) || decodeHTMLStrict(part.text).includes(url)),
  );

export function conversationHandlers(deps: ServerDeps): Handlers<keyof typeof conversationRoutes> {
  const { lists, store } = deps;
  const ownConversation = async (
    actor: Actor,
    id: string,
    projectId: string,
  ): Promise<Conversation> => {
    const scope = await findScope(store.read, "conversation", id, actor.userId);
    const conversation =
      decide(actor, "author", scope) === "allowed"
        ? await getConversation(store.read, id)
        : undefined;
    if (conversation?.projectId !== projectId) throw new Problem("not_found");
    return conversation;
  };
  const change = async (id: string, set: ConversationChange) => {
    const conversation = await deps.commit((unit) => updateConversation(unit, id, set));
    if (!conversation) throw new Problem("not_found");
    return { conversation };
  };

  const requireConversation = async (id: string): Promise<Conversation> => {
    const conversation = await getConversation(store.read, id);
    if (!conversation) throw new Problem("not_found");
    return conversation;
  };
  const requireListed = ({ expiresAt }: Conversation): void => {
    if (expiresAt !== null)
      throw new Problem("conflict", { message: sentences.chat.temporaryNotListed });
  };
  /** Whether its time in the trash is over and it is being deleted. */
  const isPast = ({ trashedAt }: Conversation): boolean =>
    trashedAt !== null && trashedAt < deps.clock.now() - limits.trashMs;
  /** Returns the runs of the answers and of their tools. */
  const runsOf = (messages: readonly Message[]): Promise<Run[]> =>
    getRunsByIds(
      store.read,
      messages.flatMap(({ runId, parts }) =>
        [runId, ...parts.map((part) => (part.type === "tool-result" ? part.runId : null))].filter(
          (id) => id !== null,
        ),
      ),
    );

  /**
   * Makes watchers check their rights again, when a conversation or part of it is no longer shared.
   */
  const recheckWatchers = async (conversation: Conversation): Promise<void> => {
    const members = await listMemberIds(store.db, conversation.projectId);
    await Promise.all(
      members
        .filter((userId) => userId !== conversation.userId)
        .map((userId) => notifyRightsChanged(deps, userId)),
    );
  };

  return {
    listConversations: ({ actor, query }) =>
      query.trash === "true"
        ? listTrashedConversations(store.read, {
            ...query,
            userId: actor.userId,
            after: deps.clock.now() - limits.trashMs,
          })
        : listConversations(store.read, {
            ...query,
            userId: actor.userId,
            archived: query.archived === "true",
          }),
    async searchConversations({ actor, query }) {
      const hits = await lists.searchMessages({ ...query, userId: actor.userId });
      return {
        hits: hits.map((hit) => ({
          conversation: hit.conversation,
          messageId: hit.messageId,
          snippet: snippetOf(hit.parts, query.q),
        })),
      };
    },
    async createConversation({ actor, body }) {
      return { conversation: await createConversation(deps, actor, body) };
    },
    async getConversation({ actor, params, c }) {
      const { conversationId } = params;
      const conversation = await requireConversation(conversationId);
      const newest = await listNewestMessages(store.read, conversationId, limits.pageSize);
      const messages = await withFeedback(store.read, newest);
      const opened = {
        conversation,
        messages,
        runs: await runsOf(messages),
        forkedFrom: await getForkSource(store.read, conversationId, actor.userId),
      };
      const outline = await lists.readOutline(conversationId);
      // The outline of 5,000 messages is 300 KB, and already JSON.
      return c.body(`${JSON.stringify(opened).slice(0, -1)},${outline.slice(1)}`, 200, {
        "content-type": "application/json",
      });
    },
    async listMessages({ params, query }) {
      const { conversationId } = params;
      const conversation = await requireConversation(conversationId);
      const { messages, next } = query.ids
        ? { messages: await getMessagesByIds(store.read, conversationId, query.ids), next: null }
        : await pageMessages(store.read, { ...query, conversationId });
      return {
        conversation,
        messages: await withFeedback(store.read, messages),
        runs: await runsOf(messages),
        next,
      };
    },
    async exportConversation({ me, actor, params, query, line, c }) {
      const conversation = await requireConversation(params.conversationId);
      requireListed(conversation);
      const { format, messageId } = query;
      const end = messageId ? await findMessage(store.read, messageId) : undefined;
      if (messageId && (end?.conversationId !== conversation.id || end.role === "context"))
        throw new Problem("not_found", { field: "messageId" });
      endWhenForbidden(
        deps,
        { actor, line, c },
        {
          permission: "view",
          needed: scopesOfRoutes.exportConversation,
          kind: "conversation",
          id: conversation.id,
        },
      );
      const { answerConversation } = await import("../files/conversation-export.ts");
      return answerConversation(c, deps, {
        conversation,
        userId: actor.userId,
        timeZone: me.user.timeZone,
        format,
        messageId,
        costs: query.costs === "true",
      });
    },
    getConversationCost: async ({ params }) => ({
      costs: await lists.sumCosts(params.conversationId),
    }),
    async findMessages({ params: { conversationId }, query: { q } }) {
      const { projectId } = await requireConversation(conversationId);
      const limit = limits.foundMessages;
      return { messageIds: await lists.findMessages({ projectId, conversationId, q, limit }) };
    },
    async updateConversation({ params, body }) {
      const { archived, ...rest } = body;
      const isListed = [body.title, body.pinned, archived, body.visibility];
      if (isListed.some((set) => set !== undefined))
        requireListed(await requireConversation(params.conversationId));
      const head = body.headMessageId
        ? await findMessage(store.read, body.headMessageId)
        : undefined;
      if (
        body.headMessageId &&
        (head?.conversationId !== params.conversationId || head.role === "context")
      )
        throw new Problem("not_found", { field: "headMessageId" });
      const changed = await change(params.conversationId, {
        ...rest,
        ...(body.title !== undefined && { isTitled: true }),
        ...(archived !== undefined && { archivedAt: archived ? deps.clock.now() : null }),
      });
      if (body.visibility === "author") await recheckWatchers(changed.conversation);
      return changed;
    },
    async removeConversation({ params }) {
      const { conversationId } = params;
      const known = await requireConversation(conversationId);
      // The time in the trash counts from the first move.
      if (known.trashedAt !== null && known.expiresAt === null) return {};
      const { conversation } = await change(conversationId, { trashedAt: deps.clock.now() });
      if (conversation.expiresAt === null) return {};
      const runs = await listRunsOfConversation(store.db, conversationId);
      for (const { id, finishedAt } of runs)
        if (finishedAt === null) await deps.engine.cancelRun(id);
      // If an answer is still being written, a chore deletes the chat once it has stopped.
      await deps.commit((unit) => deleteTemporary(unit, conversationId));
      return {};
    },
    async restoreConversation({ params }) {
      const conversation = await requireConversation(params.conversationId);
      requireListed(conversation);
      if (isPast(conversation)) throw new Problem("not_found");
      return change(params.conversationId, { trashedAt: null });
    },
    async deleteConversation({ params: { conversationId } }) {
      requireListed(await requireConversation(conversationId));
      await deps.commit((unit) => expireConversation(unit, conversationId));
      const before = deps.clock.now() - limits.trashMs;
      await inSlices(deps, ({ tx }, rows) => purgeConversations(tx, before, rows, conversationId));
      return {};
    },
    sendMessage: ({ actor, params, body }) =>
      admitMessage(deps, actor, {
        ...body,
        conversationId: params.conversationId,
        ask: body.ask && toTurnAsk(body.ask),
        asks: body.asks?.map(toTurnAsk),
      }),
    chooseContext({ actor, params, body }) {
      const { choice, ...asked } = body;
      const { conversationId } = params;
      if (choice.sends !== "summary")
        return chooseContext(deps, actor, { ...asked, conversationId, choice });
      const ask = { model: choice.ask.model, settings: choice.ask.settings as JsonObject };
      return chooseContext(deps, actor, {
        ...asked,
        conversationId,
        choice: { sends: "summary", ask },
      });
    },
    async estimateAnswer({ actor, params, body }) {
      const { projectId } = params;
      const drafted = { systemPrompt: "", settings: body.conversationSettings as JsonObject };
      const own = body.conversationId
        ? await ownConversation(actor, body.conversationId, projectId)
        : undefined;
      const conversation = own ?? drafted;
      const turn = { model: body.model, settings: body.settings as JsonObject };
      if (body.summarises) {
        if (!own || body.parentId === null)
          throw new Problem("invalid_input", { field: "parentId" });
        const { price, context } = await estimateSummary(deps, actor, own, body.parentId, turn);
        return { ...price, context };
      }
      const { parentId, characters, bytes, attachments: assetIds } = body;
      if (body.merges && (!own || parentId === null))
        throw new Problem("invalid_input", { field: "merges" });
      const { price, context } = await estimateTurn(deps, actor, {
        projectId,
        conversation,
        parentId,
        turn,
        merges: body.merges,
        characters,
        bytes,
        assetIds,
      });
      return { ...price, context };
    },
    answerAgain: ({ actor, params, body }) =>
      admitAnswer(deps, actor, {
        messageId: params.messageId,
        turn: toTurnAsk(body),
        continueFrom: body.continueFrom,
        replaces: body.replaces,
        merges: body.merges,
        idempotencyKey: body.idempotencyKey,
      }),
    forkConversation: async ({ actor, params, body }) => ({
      conversation: await admitFork(deps, actor, { ...params, ...body }),
    }),
    async removeMessage({ params: { messageId: id } }) {
      const message = await findMessage(store.read, id);
      if (!message) throw new Problem("not_found");
      const { conversationId } = message;
      const { removed } = await deps.commit((unit) => pruneBranch(unit, { conversationId, id }));
      const conversation = await requireConversation(conversationId);
      if (conversation.visibility === "project") await recheckWatchers(conversation);
      return { conversation, removed };
    },
    async restoreMessage({ params }) {
      await deps.commit((unit) => restoreBranch(unit, params));
      return { conversation: await requireConversation(params.conversationId) };
    },
    async getRemotePicture({ params, query: { url }, c }) {
      const message = await findMessage(store.read, params.messageId);
      // Only URLs in the message: this is no open proxy.
      if (!message || !namesAddress(message, url))
        throw new Problem("not_found", { message: sentences.chat.noSuchPicture });
      const picture = await fetchPicture(deps, {
        url,
        privateOrigins: [],
        mostBytes: limits.remotePictureBytes,
      }).catch(() => undefined);
      if (!picture) throw new Problem("not_found", { message: sentences.chat.pictureNotLoaded });
      return c.body(Buffer.from(picture.bytes), 200, {
        "content-type": picture.mime,
        "cache-control": "private, max-age=300",
        ...pictureHeaders,
      });
    },
    async pickAnswer({ params }) {
      const answer = await findMessage(store.read, params.messageId);
      if (!answer?.group) throw new Problem("conflict", { message: sentences.chat.notSideBySide });
      await deps.commit((unit) => pickAnswer(unit, answer));
      const picked = await findMessage(store.read, answer.id);
      if (!picked) throw new Problem("not_found");
      return { conversation: await requireConversation(answer.conversationId), answer: picked };
    },
  };
}
