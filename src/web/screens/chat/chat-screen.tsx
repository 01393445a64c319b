import { useNavigate, useParams } from "@tanstack/react-router";
import { Download, Ellipsis, Search, Share, SquarePen, TimerOff, Users } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import type { ComposerHandle } from "../../components/composer/composer.tsx";
import { useChosenModel } from "../../components/composer/use-chosen-model.ts";
import { fromModelPath } from "../../data/model-ref.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part, PopupPart } from "../../ui/part.tsx";
import { useWidth } from "../../ui/use-width.ts";
import { isOwn } from "./answer/message-parts.ts";
import { ConversationMenu } from "./conversations/conversation-menu.tsx";
import { ConversationPane } from "./conversations/conversation-pane.tsx";
import styles from "./conversations/conversation-work.module.css";
import { ConversationWork } from "./conversations/conversation-work.tsx";
import { Rename } from "./conversations/rename.tsx";
import { CloseTemporary, TemporarySwitch } from "./conversations/temporary-switch.tsx";
import { useConversationActions } from "./conversations/use-conversation-actions.ts";
import { Export } from "./export/export.tsx";
import { readEntry, useOpenConversation } from "./thread/use-open-conversation.ts";
import { useChatCommands } from "./use-chat-commands.ts";
import { useChatSetup } from "./use-chat-setup.ts";

const AnswerInspector = lazyPart(
  () => import("./answer/answer-inspector.tsx").then(({ AnswerInspector }) => AnswerInspector),
  "answerInspector",
  "feedback",
);

const FilingDialog = lazyPart(
  () => import("./folders/filing-dialog.tsx").then(({ FilingDialog }) => FilingDialog),
  "asset",
);

/** Chat: the list of conversations, the open one, and the answer inspector. */
export function ChatScreen() {
  const { id } = useParams({ strict: false });
  const { user, project, projects } = useSession();
  const navigate = useNavigate();
  const composer = useRef<ComposerHandle>(null);
  const [renaming, setRenaming] = useState<Conversation | null>(null);
  const [isExporting, setExporting] = useState(false);
  const [findCalls, setFindCalls] = useState(0);
  const [filing, setFiling] = useSearchValue("filing");
  const isPhone = useWidth() === "phone";
  const [trash] = useSearchValue("trash");
  // On a phone the trash is shown in place of a new conversation.
  const isTrash = isPhone && trash !== undefined;
  const inspector = useInspector();
  const open = useOpenConversation(id, inspector.messageId);
  const actions = useConversationActions();
  const projectId = open.conversation?.projectId ?? project.id;
  const chosen = useChosenModel(
    projectId,
    id === undefined ? undefined : { id, model: open.lastModel },
  );
  const [linked, setLinked] = useSearchValue("model");
  useEffect(() => {
    if (linked === undefined) return;
    const ref = fromModelPath(linked);
    if (ref) chosen.choose(ref);
    // Applied once, so that a reload doesn't undo a later choice.
    setLinked(null);
  }, [linked]);
  const { conversation } = open;
  const projectName = projects.find((known) => known.id === projectId)?.name ?? "";
  const setup = useChatSetup(projectId, conversation, actions);
  const isListed = conversation?.expiresAt === null;
  const temporary =
    conversation && !isListed && isOwn(conversation, user.id) ? conversation : undefined;
  const role = projects.find((known) => known.id === projectId)?.role ?? "viewer";
  // A conversation in the trash can be read, restored and deleted.
  const own =
    isListed && conversation.trashedAt === null && isOwn(conversation, user.id)
      ? conversation
      : undefined;

  const beginNew = () => {
    void navigate({ to: "/chat", search: {} }).then(() => composer.current?.focus());
  };
  const closeTemporary = temporary && (() => void actions.closeTemporary(temporary));
  const switchTemporary =
    id === undefined && !isTrash && role !== "viewer"
      ? (isTemporary: boolean) => setup.change({ temporary: isTemporary })
      : undefined;
  useChatCommands({
    onTemporary: closeTemporary
      ? { title: t("chat.temporary.close"), run: closeTemporary }
      : switchTemporary && {
          title: t("chat.temporary"),
          run: () => switchTemporary(!setup.isTemporary),
        },
    onNew: beginNew,
    onInspect: () => inspector.setOpen(!inspector.isOpen),
  });
  const asked = open.branch.find(
    (message) => message.id === inspector.messageId && message.role === "assistant",
  );
  const inspected = asked ?? open.branch.findLast(({ role }) => role === "assistant");
  const inspectedEntry = open.entries.find((entry) => entry.some((node) => node === inspected));
  const find = () => setFindCalls(findCalls + 1);
  const menu = own ? (
    <ConversationMenu
      onFind={find}
      messageId={open.branch.at(-1)?.id}
      conversation={own}
      actions={actions}
      onRename={setRenaming}
      trigger={
        <IconButton
          icon={Ellipsis}
          label={t("chat.menu", { title: own.title || t("chat.untitled") })}
        />
      }
    />
  ) : (
    conversation && (
      <>
        <IconButton icon={Search} label={t("chat.find")} onClick={find} />
        {isListed && (
          <IconButton icon={Download} label={t("chat.export")} onClick={() => setExporting(true)} />
        )}
      </>
    )
  );
  const switchOrClose = closeTemporary ? (
    <CloseTemporary onClose={closeTemporary} />
  ) : (
    switchTemporary && (
      <TemporarySwitch isTemporary={setup.isTemporary} onChange={switchTemporary} />
    )
  );
  return (
    <Screen
      title={t("screen.chat")}
      heading={
        id === undefined
          ? t(isTrash ? "chat.trash.open" : "chat.new")
          : conversation && (conversation.title || t(isListed ? "chat.untitled" : "chat.temporary"))
      }
      tools={
        projectId !== project.id && projectName ? (
          <span className={styles.elsewhere}>{t("chat.elsewhere", { name: projectName })}</span>
        ) : (
          temporary &&
          !isPhone && (
            <span className={styles.note}>
              <TimerOff aria-hidden />
              {t("chat.temporary.note")}
            </span>
          )
        )
      }
      isSelfScrolling
      actions={
        <>
          {own && (
            <Button
              icon={own.visibility === "project" ? Users : Share}
              onClick={() => void actions.toggleShare(own)}
            >
              {t(own.visibility === "project" ? "chat.isShared" : "chat.share.short")}
            </Button>
          )}
          {menu}
          {switchOrClose}
        </>
      }
      phoneActions={
        menu || switchOrClose ? (
          <>
            {menu}
            {switchOrClose}
          </>
        ) : null
      }
      pane={{
        actions: (
          <IconButton icon={SquarePen} label={t("chat.new")} shortcut="c" onClick={beginNew} />
        ),
        children: <ConversationPane projectId={project.id} userId={user.id} />,
        phone: "sheet",
      }}
      inspector={
        conversation && {
          title: t("chat.inspector"),
          isOpen: inspector.isOpen,
          onOpenChange: inspector.setOpen,
          children: (
            <Part fallback={<SkeletonText lines={5} />}>
              <AnswerInspector
                conversation={conversation}
                projectName={projectName}
                tree={open.tree}
                messages={open.messages}
                runs={open.runs}
                message={inspected && open.messages.get(inspected.id)}
                entry={readEntry(inspectedEntry, open.messages)}
                nameOf={chosen.nameOf}
                find={chosen.find}
              />
            </Part>
          ),
        }
      }
    >
      <ConversationWork
        id={id}
        projectId={projectId}
        open={open}
        actions={actions}
        setup={setup}
        chosen={chosen}
        composer={composer}
        onInspect={inspector.show}
        onNew={beginNew}
        findCalls={findCalls}
        onFindCalls={setFindCalls}
      />
      {filing !== undefined && (
        <PopupPart open onClose={() => setFiling(null)}>
          <FilingDialog
            key={filing}
            projectId={projectId}
            conversationId={filing}
            onClose={() => setFiling(null)}
          />
        </PopupPart>
      )}
      {isExporting && conversation && (
        <Export
          conversation={conversation}
          messageId={open.branch.at(-1)?.id}
          onClose={() => setExporting(false)}
        />
      )}
      {renaming && (
        <Rename
          conversation={renaming}
          onRename={(title) => actions.rename(renaming, title)}
          onClose={() => setRenaming(null)}
        />
      )}
    </Screen>
  );
}

const closed = "closed";
const last = "last";

/** The inspector's state in the address; on a wide page it opens as the person left it. */
function useInspector() {
  const [shown, setShown] = useSearchValue("inspector");
  const [wasOpen, setWasOpen] = useStored("chat-inspector", false);
  const isWide = useWidth() === "wide";
  const setOpen = (open: boolean) => {
    if (isWide) setWasOpen(open);
    setShown(open ? last : isWide ? closed : null);
  };
  return {
    isOpen: shown === undefined ? wasOpen && isWide : shown !== closed,
    /** The inspected answer; undefined for the last one. */
    messageId: shown === last || shown === closed ? undefined : shown,
    setOpen,
    // Inspecting one answer doesn't open the inspector in other conversations.
    show: (messageId: string) => setShown(messageId),
  };
}
