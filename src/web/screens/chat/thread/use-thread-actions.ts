import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useRef } from "react";
import type { Conversation, Message, Run } from "#contract/entities.ts";
import type { ComposerHandle } from "../../../components/composer/composer.tsx";
import type { ChosenModel } from "../../../components/composer/use-chosen-model.ts";
import type { OtherModels } from "../../../components/composer/use-other-models.ts";
import { call, isProblem } from "../../../data/client.ts";
import { newIdempotencyKey } from "../../../data/idempotency-key.ts";
import { toModelRef } from "../../../data/model-ref.ts";
import {
  addSentMessages,
  type MessageNode,
  refreshConversation,
} from "../../../data/queries/conversation.queries.ts";
import { isRecord, type Slot, savedEntries } from "../../../data/saved/saved-entries.ts";
import { usePersonId, useSession } from "../../../data/shell-data.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { isOwn } from "../answer/message-parts.ts";
import { useFork } from "../branch/use-fork.ts";
import { usePrune } from "../branch/use-prune.ts";
import type { ConversationActions } from "../conversations/use-conversation-actions.ts";
import { type Ask, useSendMessage } from "../use-send-message.ts";
import { newestLeaf } from "./message-tree.ts";
import type { ThreadActions } from "./thread-actions.ts";
import type { OpenConversation } from "./use-open-conversation.ts";

/** The dependencies of a thread's actions. */
export type ThreadWork = {
  id: string | undefined;
  open: OpenConversation;
  actions: ConversationActions;
  chosen: ChosenModel;
  others: OtherModels;
  /**
   * The next message's requests: the chosen model's first, then those of the side-by-side models.
   */
  asks: readonly Ask[];
  composer: RefObject<ComposerHandle | null>;
  onInspect: (messageId: string) => void;
  /** Called after a request is sent: scrolls to the end. */
  onSent: () => void;
  /** Opens a message for editing; closes it with null. */
  onEdit: (messageId: string | null) => void;
};

/** A run's model, and the settings that a person chose for it. */
const askedOf = (run: Run): Ask => {
  const { settings, added } = run.input as { settings?: Ask["settings"]; added?: string[] };
  const own = Object.entries(settings ?? {}).filter(([name]) => !added?.includes(name));
  return { model: toModelRef(run), settings: Object.fromEntries(own) };
};

/** Edits messages, requests answers and switches between their versions. */
export function useThreadActions({
  id,
  open,
  actions,
  chosen,
  others,
  asks,
  composer,
  onInspect,
  onSent,
  onEdit,
}: ThreadWork): ThreadActions {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  const toast = useToast();
  const [, setMessageParam] = useSearchValue("message");
  const { conversation, tree } = open;
  const edits = useSendMessage();
  const answerAgain = useAnswerAgain();
  const toComposer = () => composer.current?.focus();
  const fork = useFork(toComposer);
  const prune = usePrune(conversation, toComposer);
  const [ask] = asks;
  const showHead = () => {
    if (open.foundId !== undefined) setMessageParam(null);
  };

  const again = (question: MessageNode) => {
    if (!conversation || !ask) return;
    onSent();
    showHead();
    answerAgain(conversation, question, ask).catch(showError);
  };
  /** An answer's request: its model continues, whatever is chosen for the next message. */
  const askOf = (answer: Message): Ask | undefined => {
    const run = open.runs.find(({ id }) => id === answer.runId);
    return run && answer.group ? askedOf(run) : ask;
  };
  return {
    turn: (messageId) => {
      if (!conversation || !isOwn(conversation, user.id)) return setMessageParam(messageId);
      void actions.change(conversation, { headMessageId: newestLeaf(tree, messageId) });
      showHead();
    },
    inspect: onInspect,
    answerAgain: again,
    continueAnswer: (question, interrupted) => {
      const asked = askOf(interrupted);
      if (!conversation || !asked) return;
      if (!interrupted.group) onSent();
      showHead();
      answerAgain(conversation, question, asked, { continueFrom: interrupted.id }).catch(showError);
    },
    retryInGroup: (question, answer) => {
      const asked = askOf(answer);
      if (!conversation || !asked) return;
      const isShown = open.branch.some(({ id }) => id === answer.id);
      const before = { replaces: answer.id };
      answerAgain(conversation, question, asked, before, isShown).catch(showError);
    },
    pick: async (messageId) => {
      const run = open.runs.find(({ id }) => id === open.messages.get(messageId)?.runId);
      try {
        await call("pickAnswer", { params: { messageId }, body: {} });
        if (id) await refreshConversation(queryClient, id, new Set([messageId]));
        showHead();
        // The conversation continues only with the model whose answer was picked.
        if (run) chosen.choose(toModelRef(run));
        others.clear();
        composer.current?.focus();
      } catch (error) {
        showError(error);
      }
    },
    merge: async (question, answerIds, model) => {
      if (!conversation) return false;
      try {
        await answerAgain(conversation, question, { model, settings: {} }, { merges: answerIds });
        onSent();
        showHead();
        return true;
      } catch (error) {
        showError(error);
        return false;
      }
    },
    prune: (messageId) => void prune(messageId),
    fork: (messageId) => void fork(messageId),
    startEdit: (message) => onEdit(message.id),
    cancelEdit: () => {
      onEdit(null);
      composer.current?.focus();
    },
    saveEdit: async (message, text, files, isAsking) => {
      if (!conversation) return false;
      const missing = isAsking && others.list.find(({ state }) => state !== "ready");
      if (missing && missing.state !== "ready") {
        const name = chosen.nameOf(missing.ref);
        toast({ text: t(`chat.send.${missing.state}`, { name }), kind: "error" });
        return false;
      }
      const result = await edits.send(conversation, {
        text,
        attachments: files,
        parentId: message.parentId,
        asks: isAsking ? asks : [],
      });
      if (!("conversation" in result)) {
        if ("error" in result) showError(result.error);
        return false;
      }
      onEdit(null);
      showHead();
      return true;
    },
  };
}

/** How a new answer relates to existing ones. */
type AnswersBefore = { continueFrom?: string; replaces?: string; merges?: string[] };

/**
 * The idempotency keys of a question's requests without a reply, by request. They outlast the
 * thread, because a request whose reply was lost may have been accepted, and the same request later
 * would be paid again.
 */
const unconfirmed: Slot<Record<string, string>> = {
  kind: "draft",
  where: "tab",
  name: "answer-keys",
  version: 1,
  empty: {},
  parse: (saved) => (isRecord(saved) ? (saved as Record<string, string>) : null),
};

/**
 * Requests another answer to a message, the rest of an interrupted answer, or one merged from
 * several.
 * @throws ServerProblem, TypeError
 */
function useAnswerAgain() {
  const queryClient = useQueryClient();
  const person = usePersonId();
  // For browsers that can't save.
  const attempts = useRef(new Map<string, string>());
  return async function answerAgain(
    conversation: Conversation,
    question: MessageNode,
    ask: Ask,
    before: AnswersBefore = {},
    isShown = true,
  ): Promise<void> {
    const fingerprint = JSON.stringify([question.id, ask, before]);
    const readKeys = () => savedEntries().read(unconfirmed, person, question.id);
    const saveKeys = (keys: Record<string, string>) =>
      savedEntries().write(unconfirmed, person, keys, question.id);
    const forget = () => {
      attempts.current.delete(fingerprint);
      const { [fingerprint]: _, ...others } = readKeys();
      saveKeys(others);
    };
    const earlierKey = attempts.current.get(fingerprint) ?? readKeys()[fingerprint];
    const idempotencyKey = earlierKey ?? newIdempotencyKey();
    attempts.current.set(fingerprint, idempotencyKey);
    saveKeys({ ...readKeys(), [fingerprint]: idempotencyKey });
    const answered = await call("answerAgain", {
      params: { messageId: question.id },
      body: { ...ask, ...before, idempotencyKey },
    }).catch((error) => {
      if (!isProblem(error, "not_found")) throw error;
      forget();
      // The answer to the earlier request was deleted since, so this click asks for a new one.
      if (!earlierKey) throw error;
    });
    if (!answered) return answerAgain(conversation, question, ask, before, isShown);
    // The next click is a new request.
    forget();
    const { answer, run } = answered;
    addSentMessages(queryClient, conversation, {
      messages: [answer],
      runs: [run],
      ...(isShown && { headMessageId: answer.id }),
    });
  };
}
