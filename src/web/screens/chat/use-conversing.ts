import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";
import { settingsFor } from "../../components/composer/chat-settings.ts";
import type { ComposerHandle } from "../../components/composer/composer.tsx";
import { emptyDraft, messageDraft, newChatPlace } from "../../components/composer/message-draft.ts";
import { useAttachments } from "../../components/composer/use-attachments.ts";
import type { ChosenModel } from "../../components/composer/use-chosen-model.ts";
import { kept } from "../../data/kept/kept.ts";
import { useKept } from "../../data/kept/use-kept.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { isOwn } from "./answer/answer-facts.ts";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";
import { newestLeaf } from "./thread/message-tree.ts";
import type { ThreadActions } from "./thread/thread-actions.ts";
import type { OpenConversation } from "./thread/use-open-conversation.ts";
import { type Ask, newPlace, type Said, useAnswerAgain, useSay } from "./use-ask.ts";
import { useConversationFacts } from "./use-conversation-facts.ts";

export type Conversing = {
  id: string | undefined;
  projectId: string;
  open: OpenConversation;
  actions: ConversationActions;
  chosen: ChosenModel;
  composer: RefObject<ComposerHandle | null>;
  onInspect: (messageId: string) => void;
  /** Something was said: its end is what one wants to see. */
  onSaid: () => void;
};

/** What a person says, and what they do to what was said. Nothing typed is lost on the way. */
export function useConversing({
  id,
  projectId,
  open,
  actions,
  chosen,
  composer,
  onInspect,
  onSaid,
}: Conversing) {
  const { user } = useSession();
  const navigate = useNavigate();
  const showError = useErrorToast();
  const [, setMessageParam] = useSearchValue("message");
  const place = id ?? newPlace;
  const { conversation, tree, leaf } = open;
  const draftPlace = id ?? newChatPlace(projectId);
  const { value: draft, change, clear, flush } = useKept(messageDraft, draftPlace);
  const attachments = useAttachments(projectId, draft, change);
  const facts = useConversationFacts(projectId, conversation, actions);
  const speech = useSay({ waits: true });
  const edits = useSay();
  const answerAgain = useAnswerAgain();
  const [editing, setEditing] = useState<string | null>(null);
  /** Sent before the page knew the model or the conversation: it goes as soon as it does. */
  const [isWaiting, setWaiting] = useState(false);
  /** Typed while the message before is on its way; the ref is read when that has ended. */
  const [meanwhile, showMeanwhile] = useState("");
  const typedMeanwhile = useRef("");
  const setMeanwhile = (text: string) => {
    typedMeanwhile.current = text;
    showMeanwhile(text);
  };
  const isPending = speech.pending?.place === place;
  const shownPlace = useRef<string | null>(place);
  useEffect(() => {
    shownPlace.current = place;
    setEditing(null);
    setWaiting(false);
    speech.endPending();
    return () => {
      shownPlace.current = null;
      // What waits for the server stays in the draft of the place that is left.
      speech.withdraw();
    };
  }, [id]);

  const ask: Ask | undefined = chosen.ref
    ? { model: chosen.ref, settings: settingsFor(chosen.inputSchema, facts.facts.settings) }
    : undefined;
  const isReady = ask !== undefined && !chosen.isLoading && !open.isLoading;
  const showHead = () => {
    if (open.foundId !== undefined) setMessageParam(null);
  };

  const send = async () => {
    if (isPending) return;
    if (!isReady) return setWaiting(true);
    setWaiting(false);
    flush();
    const said: Said = {
      text: draft.text,
      attachments: draft.files.map(({ assetId }) => assetId),
      parentId: leaf?.id ?? null,
      ask,
    };
    onSaid();
    const result = await speech.say(conversation ?? { projectId, ...facts.facts }, said);
    const typed = typedMeanwhile.current;
    setMeanwhile("");
    if (!("kept" in result)) {
      if (!typed) return;
      if (shownPlace.current === place)
        return change((before) => ({ ...before, text: `${before.text}\n${typed}` }));
      // The page has left this place: its draft is written where the place reads it.
      kept().write(
        messageDraft,
        user.id,
        { ...draft, text: `${draft.text}\n${typed}` },
        draftPlace,
      );
      return;
    }
    clear();
    if (conversation) {
      if (typed) change(() => ({ ...emptyDraft, text: typed }));
      return showHead();
    }
    facts.clear();
    if (typed) kept().write(messageDraft, user.id, { ...emptyDraft, text: typed }, result.kept.id);
    await navigate({
      to: "/chat/$id",
      params: { id: result.kept.id },
      search: ({ inspector }) => ({ inspector }),
    });
  };
  useEffect(() => {
    if (isWaiting && isReady) void send();
  }, [isWaiting, isReady]);

  const again = (question: Message, continueFrom?: string) => {
    if (!conversation || !ask) return;
    onSaid();
    showHead();
    answerAgain(conversation, question, ask, continueFrom).catch(showError);
  };
  const threadActions: ThreadActions = {
    turn: (messageId) => {
      if (!conversation || !isOwn(conversation, user.id)) return setMessageParam(messageId);
      void actions.change(conversation, { headMessageId: newestLeaf(tree, messageId) });
      showHead();
    },
    inspect: onInspect,
    answerAgain: (question) => again(question),
    continueAnswer: (question, interrupted) => again(question, interrupted.id),
    startEdit: (message) => setEditing(message.id),
    cancelEdit: () => {
      setEditing(null);
      composer.current?.focus();
    },
    saveEdit: async (message, text, files, isAsking) => {
      if (!conversation) return false;
      const said: Said = {
        text,
        attachments: files,
        parentId: message.parentId,
        ask: isAsking ? ask : undefined,
      };
      const result = await edits.say(conversation, said);
      if (!("kept" in result)) {
        if ("error" in result) showError(result.error);
        return false;
      }
      setEditing(null);
      showHead();
      return true;
    },
  };
  return {
    threadActions,
    editing,
    attachments,
    facts: facts.facts,
    changeFacts: facts.change,
    canAsk: ask !== undefined,
    /** On its way to the server: shown as said. */
    pending: isPending ? (speech.pending ?? undefined) : undefined,
    sendNow: speech.sendNow,
    /** Puts a message that waits for the server back into the composer. */
    withdraw: () => {
      speech.withdraw();
      composer.current?.focus();
    },
    isSending: isPending || isWaiting,
    error: speech.failure?.place === place ? speech.failure.error : null,
    text: isPending ? meanwhile : draft.text,
    files: isPending ? [] : draft.files,
    setText: (text: string) =>
      isPending ? setMeanwhile(text) : change((before) => ({ ...before, text })),
    send,
  };
}
