import { useNavigate } from "@tanstack/react-router";
import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";
import type { ComposerHandle } from "../../components/composer/composer.tsx";
import { useFileDrop } from "../../components/composer/use-file-drop.ts";
import { t } from "../../messages/t.ts";
import { useSession } from "../../shell/shell-data.ts";
import { describeError } from "../../ui/describe-error.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useSearchValue } from "../../use-search-value.ts";
import { Announcer } from "./announcer.tsx";
import { isOwn } from "./answer-facts.ts";
import { ChatComposer } from "./chat-composer.tsx";
import { settingsFor } from "./chat-settings.ts";
import { FirstStep, ReadOnlyNote, ThreadSkeleton } from "./conversation-states.tsx";
import styles from "./conversation-work.module.css";
import { emptyDraft } from "./draft-store.ts";
import { newestLeaf } from "./message-tree.ts";
import { Thread } from "./thread.tsx";
import type { ThreadActions } from "./thread-actions.ts";
import { type Ask, newPlace, type Said, useAnswerAgain, useSay } from "./use-ask.ts";
import { useAttachments } from "./use-attachments.ts";
import type { ChosenModel } from "./use-chosen-model.ts";
import type { ConversationActions } from "./use-conversation-actions.ts";
import { useConversationFacts } from "./use-conversation-facts.ts";
import { useMessageDraft } from "./use-message-draft.ts";
import type { OpenConversation } from "./use-open-conversation.ts";
import { useStickToEnd } from "./use-stick-to-end.ts";
import { useStop } from "./use-stop.ts";

export type ConversationWorkProps = {
  id: string | undefined;
  projectId: string;
  open: OpenConversation;
  actions: ConversationActions;
  chosen: ChosenModel;
  composer: RefObject<ComposerHandle | null>;
  onInspect: (messageId: string) => void;
  onNew: () => void;
};

/** The middle: what was said, and what one says next. */
export function ConversationWork({ id, projectId, open, actions, chosen, composer, onInspect, onNew }: ConversationWorkProps) {
  const { user, projects } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const [, setMessageParam] = useSearchValue("message");
  const place = id ?? newPlace;
  const { conversation, branch, tree, leaf } = open;
  const { draft, change, clear, flush } = useMessageDraft(`chat:${user.id}:${id ?? `${newPlace}:${projectId}`}`);
  const attachments = useAttachments(projectId, draft, change);
  const beginning = useConversationFacts(`chat-new:${user.id}:${projectId}`, conversation, actions);
  const { say, pending, failure, endPending } = useSay();
  const answerAgain = useAnswerAgain();
  const stop = useStop(open.runId);
  const [editing, setEditing] = useState<string | null>(null);
  /** Typed while the message before is on its way. */
  const [meanwhile, setMeanwhile] = useState("");
  const isPending = pending?.place === place;
  const isThread = branch.length > 0 || isPending;
  const scroll = useRef<HTMLElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const stick = useStickToEnd(scroll, column, `${place} ${isThread}`);
  const drop = useFileDrop({ onFiles: (files) => void attachments.add(files) });
  useEffect(() => {
    setEditing(null);
    endPending();
  }, [id]);

  const role = projects.find((known) => known.id === projectId)?.role ?? "viewer";
  const mayWrite = (conversation === undefined ? role !== "viewer" : isOwn(conversation, user.id)) && !open.error;
  const ask: Ask | undefined = chosen.ref
    ? { model: chosen.ref, settings: settingsFor(chosen.inputSchema, beginning.facts.settings) }
    : undefined;
  const failed = (error: unknown) => {
    const { title, advice } = describeError(error);
    toast({ text: title, detail: advice, kind: "error" });
  };

  const send = async () => {
    if (!ask || isPending || open.isLoading) return;
    flush();
    const said: Said = { text: draft.text, attachments: draft.files.map(({ assetId }) => assetId), parentId: leaf?.id ?? null, ask };
    stick.toEnd();
    const kept = await say(conversation ?? { projectId, ...beginning.facts }, said);
    if (!kept) {
      setMeanwhile((typed) => {
        if (typed) change((before) => ({ ...before, text: `${before.text}\n${typed}` }));
        return "";
      });
      return;
    }
    clear();
    if (conversation) {
      setMeanwhile((typed) => {
        if (typed) change(() => ({ ...emptyDraft, text: typed }));
        return "";
      });
      if (open.foundId !== undefined) setMessageParam(null);
      return;
    }
    beginning.clear();
    setMeanwhile("");
    await navigate({ to: "/chat/$id", params: { id: kept.id }, search: ({ inspector }) => ({ inspector }) });
  };
  const again = (question: Message, continueFrom?: string) => {
    if (!conversation || !ask) return;
    stick.toEnd();
    setMessageParam(null);
    answerAgain(conversation, question, ask, continueFrom).catch(failed);
  };
  const threadActions: ThreadActions = {
    turn: (messageId) => {
      if (!conversation || !isOwn(conversation, user.id)) return setMessageParam(messageId);
      void actions.change(conversation, { headMessageId: newestLeaf(tree, messageId) });
      if (open.foundId !== undefined) setMessageParam(null);
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
      const said: Said = { text, attachments: files, parentId: message.parentId, ask: isAsking ? ask : undefined };
      if (!(await say(conversation, said))) return false;
      setEditing(null);
      setMessageParam(null);
      return true;
    },
  };
  const lastOwn = branch.findLast((message) => message.role === "user");

  return (
    <div className={styles.work} {...(mayWrite ? drop.handlers : {})}>
      <Announcer answer={leaf} />
      {open.isLoading ? (
        <ThreadSkeleton />
      ) : open.error ? (
        <ErrorState error={open.error} onRetry={open.retry} />
      ) : isThread ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section ref={scroll} className={styles.scroll} tabIndex={0} aria-label={t("chat.thread")}>
          <Thread
            tree={tree}
            branch={branch}
            runs={open.runs}
            pending={isPending && editing === null ? pending.said : null}
            foundId={open.foundId}
            editingId={editing}
            nameOf={chosen.nameOf}
            actions={threadActions}
            mayWrite={mayWrite}
            canAsk={ask !== undefined}
            column={column}
            onFound={stick.release}
          />
        </section>
      ) : (
        <FirstStep
          model={chosen.model}
          onPick={(text) => {
            change((before) => ({ ...before, text }));
            composer.current?.focus();
          }}
        />
      )}
      <div className={styles.dock}>
        {isThread && stick.isAway && <IconButton className={styles.toEnd} icon={ArrowDown} label={t("chat.toEnd")} onClick={stick.toEnd} />}
        {mayWrite ? (
          <ChatComposer
            ref={composer}
            projectId={projectId}
            text={isPending && editing === null ? meanwhile : draft.text}
            files={isPending && editing === null ? [] : draft.files}
            onText={(text) => (isPending ? setMeanwhile(text) : change((before) => ({ ...before, text })))}
            attachments={attachments}
            chosen={chosen}
            conversation={beginning.facts}
            onSettings={beginning.change}
            isSending={isPending}
            isRunning={open.runId !== null}
            error={failure?.place === place ? failure.error : null}
            isReply={branch.length > 0}
            onSend={() => void send()}
            onStop={stop}
            onEditLast={lastOwn && (() => setEditing(lastOwn.id))}
          />
        ) : (
          !open.error &&
          !open.isLoading && <ReadOnlyNote isShared={conversation !== undefined} canBegin={role !== "viewer"} onNew={onNew} />
        )}
      </div>
      {drop.isOver && <div className={styles.drop}>{t("composer.drop")}</div>}
    </div>
  );
}
