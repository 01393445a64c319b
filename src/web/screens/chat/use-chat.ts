import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import { settingsFor } from "../../components/composer/chat-settings.ts";
import type { ComposerHandle } from "../../components/composer/composer.tsx";
import {
  type Draft,
  emptyDraft,
  messageDraft,
  newChatDraftId,
} from "../../components/composer/message-draft.ts";
import { useAttachments } from "../../components/composer/use-attachments.ts";
import type { ChosenModel } from "../../components/composer/use-chosen-model.ts";
import {
  isBroken,
  otherModels,
  useOtherModels,
} from "../../components/composer/use-other-models.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { savedEntries } from "../../data/saved/saved-entries.ts";
import { useSaved } from "../../data/saved/use-saved.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";
import type { OpenConversation } from "./thread/use-open-conversation.ts";
import type { ThreadWork } from "./thread/use-thread-actions.ts";
import type { ChatSetup } from "./use-chat-setup.ts";
import { type Ask, type NewMessage, useSendMessage } from "./use-send-message.ts";

export type ChatProps = {
  id: string | undefined;
  projectId: string;
  open: OpenConversation;
  actions: ConversationActions;
  setup: ChatSetup;
  chosen: ChosenModel;
  composer: RefObject<ComposerHandle | null>;
  onInspect: (messageId: string) => void;
  /** Called after a message is sent: scrolls to the end. */
  onSent: () => void;
};

/** Drafts and sends messages. Typed text is never lost. */
export function useChat({
  id,
  projectId,
  open,
  actions,
  setup,
  chosen,
  composer,
  onInspect,
  onSent,
}: ChatProps) {
  const { user, project, projects } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const [, setMessageParam] = useSearchValue("message");
  const { conversation, leaf } = open;
  const draftId = id ?? newChatDraftId(projectId);
  const { value: draft, change, clearSent, flush } = useSaved(messageDraft, draftId);
  const attachments = useAttachments(projectId, draftId, draft, change);
  const outbox = useSendMessage({ waits: true });
  const [editing, setEditing] = useState<string | null>(null);
  /** Sent before the model or the conversation has loaded; goes out as soon as they have. */
  const [isWaiting, setWaiting] = useState(false);
  /** Typed while the previous message is being sent. The ref is read when sending ends. */
  const [meanwhile, showMeanwhile] = useState("");
  const typedMeanwhile = useRef("");
  const setMeanwhile = (text: string) => {
    typedMeanwhile.current = text;
    showMeanwhile(text);
  };
  /** The newest draft: a file may be attached while the message is being sent. */
  const newest = useRef({ draftId, files: draft.files });
  useEffect(() => {
    newest.current = { draftId, files: draft.files };
  });
  const isPending = outbox.pending?.draftId === draftId;
  const shownDraft = useRef<string | null>(draftId);
  useEffect(() => {
    shownDraft.current = draftId;
    setEditing(null);
    setWaiting(false);
    outbox.endPending();
    return () => {
      shownDraft.current = null;
      // A message that waits for the server stays in the draft of its conversation.
      outbox.withdraw();
    };
  }, [draftId]);
  // Another project takes the place of the current one when that is deleted.
  const lastProject = useRef(project);
  useEffect(() => {
    const from = lastProject.current;
    lastProject.current = project;
    if (id !== undefined || projects.some((known) => known.id === from.id)) return;
    import("./move-draft.ts").then(
      ({ moveDraft }) => moveDraft(user.id, from, project, change, toast),
      () => undefined,
    );
  }, [project.id]);

  const others = useOtherModels(projectId, draftId, chosen.ref);
  const ask: Ask | undefined = chosen.ref
    ? { model: chosen.ref, settings: settingsFor(chosen.inputSchema, setup.value.settings) }
    : undefined;
  const asks: Ask[] = ask
    ? [
        ask,
        ...others.models.map((model) => ({
          model: toModelRef(model),
          settings: settingsFor(model.inputSchema, setup.value.settings),
        })),
      ]
    : [];
  // A message to six models is never sent to only five.
  const broken = others.list.find(isBroken);
  const isReady =
    ask !== undefined && !chosen.isLoading && !others.isLoading && !broken && !open.isLoading;
  const showHead = () => {
    if (open.foundId !== undefined) setMessageParam(null);
  };

  const send = async () => {
    if (isPending) return;
    if (!isReady) return setWaiting(true);
    setWaiting(false);
    flush();
    const message: NewMessage = {
      text: draft.text,
      attachments: draft.files.map(({ assetId }) => assetId),
      parentId: leaf?.id ?? null,
      asks,
    };
    onSent();
    const result = await outbox.send(conversation ?? { projectId, ...setup.value }, message);
    const typed = typedMeanwhile.current;
    setMeanwhile("");
    if (!("conversation" in result)) {
      if (!typed) return;
      if (shownDraft.current === draftId)
        return change((before) => ({ ...before, text: `${before.text}\n${typed}` }));
      // The page shows another conversation now, so the draft is written directly.
      savedEntries().write(
        messageDraft,
        user.id,
        { ...draft, text: `${draft.text}\n${typed}` },
        draftId,
      );
      return;
    }
    clearSent(draft);
    const added =
      newest.current.draftId === draftId
        ? newest.current.files.filter(({ assetId }) => !message.attachments.includes(assetId))
        : [];
    const isAdded = added.length > 0;
    const next: Draft = { text: typed, files: added };
    if (conversation) {
      if (typed || isAdded) change(() => next);
      return showHead();
    }
    setup.clear();
    const beside = others.models.map(toModelRef);
    if (beside.length > 0)
      savedEntries().write(otherModels, user.id, beside, result.conversation.id);
    others.clear();
    if (isAdded) change(() => emptyDraft);
    if (typed || isAdded) savedEntries().write(messageDraft, user.id, next, result.conversation.id);
    await navigate({
      to: "/chat/$id",
      params: { id: result.conversation.id },
      search: ({ inspector }) => ({ inspector }),
    });
  };
  useEffect(() => {
    if (isWaiting && isReady) void send();
    else if (broken) setWaiting(false);
  }, [isWaiting, isReady, broken]);

  const work: ThreadWork = {
    id,
    open,
    actions,
    chosen,
    others,
    asks,
    composer,
    onInspect,
    onSent,
    onEdit: setEditing,
  };
  return {
    /** The dependencies of the thread's actions. */
    work,
    editing,
    edit: setEditing,
    attachments,
    setup: setup.value,
    changeSetup: setup.change,
    isTemporary: setup.isTemporary,
    canAsk: ask !== undefined,
    others,
    /** Being sent: already shown in the thread. */
    pending: isPending ? (outbox.pending ?? undefined) : undefined,
    sendNow: outbox.sendNow,
    /** Moves a message that waits for the server back into the composer. */
    withdraw: () => {
      outbox.withdraw();
      composer.current?.focus();
    },
    isSending: isPending || isWaiting,
    error: outbox.failure?.draftId === draftId ? outbox.failure.error : null,
    text: isPending ? meanwhile : draft.text,
    files: isPending ? [] : draft.files,
    setText: (text: string) =>
      isPending ? setMeanwhile(text) : change((before) => ({ ...before, text })),
    send,
  };
}
