import { ArrowDown, Search } from "lucide-react";
import { lazy, useDeferredValue, useEffect, useRef, useState } from "react";
import { useFileDrop } from "../../../components/composer/use-file-drop.ts";
import { useSession } from "../../../data/shell-data.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { useCommands } from "../../../frame/commands.tsx";
import { loadArea, loadLaterTexts } from "../../../messages/areas.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part, usePreload } from "../../../ui/part.tsx";
import { useWidth } from "../../../ui/use-width.ts";
import { isLong, isOwn } from "../answer/message-parts.ts";
import { useStopByEscape } from "../answer/use-stop-run.ts";
import { ChatComposer } from "../composer/chat-composer.tsx";
import { loadContextMeter } from "../context/lazy-context.ts";
import { Find } from "../find/find.tsx";
import { Announcer } from "../thread/announcer.tsx";
import threadStyles from "../thread/thread.module.css";
import { readEntry } from "../thread/use-open-conversation.ts";
import { useStickToEnd } from "../thread/use-stick-to-end.ts";
import { type ChatProps, useChat } from "../use-chat.ts";
import { FirstStep, PendingThread, ReadOnlyNote, ThreadSkeleton } from "./conversation-states.tsx";
import styles from "./conversation-work.module.css";

const loadThread = () =>
  Promise.all([import("../thread/thread.tsx"), loadArea("thread"), loadLaterTexts()]);
const Thread = lazy(() => loadThread().then(([{ Thread }]) => ({ default: Thread })));

/** The number of rows rendered first. */
const lastRows = 8;

const TrashList = lazyPart(
  () => import("../trash/trash-list.tsx").then(({ TrashList }) => TrashList),
  "chatTrash",
);

const TrashDock = lazyPart(
  () => import("../trash/trash-dock.tsx").then(({ TrashDock }) => TrashDock),
  "chatTrash",
);

type ConversationWorkProps = Omit<ChatProps, "onSent"> & {
  onNew: () => void;
  /** How often the search in the conversation was opened; 0 while it is closed. */
  findCalls: number;
  onFindCalls: (calls: number) => void;
};

/** The thread and the composer. */
export function ConversationWork({
  onNew,
  findCalls,
  onFindCalls,
  ...place
}: ConversationWorkProps) {
  const { id, projectId, open, chosen, composer } = place;
  const { user, projects } = useSession();
  const { conversation, branch } = open;
  const scroll = useRef<HTMLElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const toEnd = useRef<() => void>(() => undefined);
  const chat = useChat({ ...place, onSent: () => toEnd.current() });
  const isThread = branch.length > 0 || chat.pending !== undefined;
  const hasThread = id !== undefined || chat.text !== "";
  // Loaded early: without a server a message must still be shown.
  usePreload(() => Promise.all([loadThread(), loadContextMeter()]));
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    // Loads while the conversation loads or its first message is written.
    const onEnd = () => setLoaded(true);
    if (hasThread) void loadThread().then(onEnd, onEnd);
  }, [hasThread]);
  // A long thread renders in slices behind its skeleton. Until its code has loaded it would wait in
  // a Suspense boundary, which the next update above would render in one go.
  const shown = `${id} ${isThread && isLoaded}`;
  const isDrawn = useDeferredValue(shown, "") === shown && isLoaded;
  const lastRead = open.entries
    .slice(-lastRows)
    .flatMap((entry) => readEntry(entry, open.messages) ?? []);
  const isDrawing = !isDrawn && isLong(lastRead);
  const stick = useStickToEnd(scroll, column, `${id} ${isThread} ${isDrawing}`);
  useEffect(() => {
    toEnd.current = stick.toEnd;
  }, [stick.toEnd]);
  const stop = useStopByEscape(open.runId);
  const [, setMessageParam] = useSearchValue("message");
  useEffect(() => onFindCalls(0), [id]);
  /** The last found message when the search was closed; it is no longer outlined. */
  const [leftId, setLeftId] = useState<string>();
  if (leftId !== undefined && open.foundId !== leftId) setLeftId(undefined);
  const isOutlined = findCalls > 0 || open.foundId !== leftId;
  useCommands(
    id === undefined
      ? []
      : [
          {
            id: "chat.find",
            title: t("chat.find"),
            group: t("screen.chat"),
            icon: Search,
            shortcut: "mod+f",
            run: () => onFindCalls(findCalls + 1),
          },
          ...(stick.isAway
            ? [
                {
                  id: "chat.toEnd",
                  title: t("chat.toEnd"),
                  group: t("screen.chat"),
                  icon: ArrowDown,
                  run: stick.toEnd,
                },
              ]
            : []),
        ],
  );
  const drop = useFileDrop({
    onFiles: chat.isTemporary ? undefined : (files) => void chat.attachments.add(files),
  });
  const role = projects.find((known) => known.id === projectId)?.role ?? "viewer";
  const isMine = conversation === undefined ? role !== "viewer" : isOwn(conversation, user.id);
  const isTrashed = conversation !== undefined && conversation.trashedAt !== null;
  const mayWrite = isMine && !isTrashed && !open.error;
  const [trash] = useSearchValue("trash");
  const isPhone = useWidth() === "phone";
  const lastOwn = branch.findLast((message) => message.role === "user");
  // The pane isn't visible there.
  if (isPhone && trash !== undefined && id === undefined)
    return (
      <div className={styles.work}>
        <Part>
          <TrashList projectId={projectId} />
        </Part>
      </div>
    );
  return (
    <div className={styles.work} {...(mayWrite ? drop.handlers : {})}>
      {findCalls > 0 && id !== undefined && (
        <Find
          conversationId={id}
          foundId={open.foundId}
          onShow={(messageId) => setMessageParam(messageId, { scrolls: true })}
          onClose={() => {
            onFindCalls(0);
            setLeftId(open.foundId);
          }}
          column={column}
          called={findCalls}
        />
      )}
      <Announcer answer={open.lastAnswer} />
      {open.isLoading || isDrawing ? (
        <ThreadSkeleton />
      ) : open.error ? (
        <ErrorState error={open.error} onRetry={open.retry} />
      ) : isThread ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section ref={scroll} className={styles.scroll} tabIndex={0} aria-label={t("chat.thread")}>
          <div
            ref={column}
            className={classes(threadStyles.column, isOutlined && threadStyles.outlined)}
          >
            <Part fallback={<PendingThread />}>
              <Thread
                tree={open.tree}
                branch={branch}
                messages={open.messages}
                runs={open.runs}
                pending={chat.pending ?? null}
                onSendNow={chat.sendNow}
                onWithdraw={chat.withdraw}
                foundId={open.foundId}
                editingId={chat.editing}
                nameOf={chosen.nameOf}
                work={chat.work}
                mayWrite={mayWrite}
                mayRate={
                  role !== "viewer" && conversation?.expiresAt === null && !conversation.trashedAt
                }
                canAsk={chat.canAsk}
                isTemporary={chat.isTemporary}
                conversationId={conversation?.id ?? ""}
                forkedFrom={open.forkedFrom}
                projectId={projectId}
                model={chosen.model}
                column={column}
                isStuck={stick.isStuck}
                onFound={stick.release}
              />
            </Part>
          </div>
        </section>
      ) : (
        <FirstStep
          model={chosen.model}
          isTemporary={chat.isTemporary}
          onPick={(text) => {
            chat.setText(text);
            composer.current?.focus();
          }}
        />
      )}
      <div className={styles.dock}>
        {isThread && stick.isAway && (
          <IconButton
            className={styles.toEnd}
            icon={ArrowDown}
            label={t("chat.toEnd")}
            onClick={stick.toEnd}
          />
        )}
        {mayWrite ? (
          <ChatComposer
            ref={composer}
            projectId={projectId}
            userId={user.id}
            conversationId={conversation?.id}
            parentId={open.leaf?.id ?? null}
            text={chat.text}
            files={chat.files}
            onText={chat.setText}
            attachments={chat.attachments}
            chosen={chosen}
            others={chat.others}
            isTemporary={chat.isTemporary}
            isLoading={id !== undefined && conversation === undefined}
            conversation={chat.setup}
            onSettings={chat.changeSetup}
            isSending={chat.isSending}
            isUnsent={chat.pending?.isUnsent === true}
            isRunning={open.runId !== null}
            error={chat.error}
            isReply={branch.length > 0}
            onSend={() => void chat.send()}
            onStop={stop}
            onEditLast={lastOwn && (() => chat.edit(lastOwn.id))}
          />
        ) : isMine && isTrashed && !open.error ? (
          <Part>
            <TrashDock conversation={conversation} />
          </Part>
        ) : (
          !open.error &&
          !open.isLoading && (
            <ReadOnlyNote
              isShared={conversation !== undefined}
              canBegin={role !== "viewer"}
              onNew={onNew}
            />
          )
        )}
      </div>
      {drop.isOver && <div className={styles.drop}>{t("composer.drop")}</div>}
    </div>
  );
}
