import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ellipsis, Pin, Users } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import { conversationsQuery } from "../../../data/queries/chat.queries.ts";
import { PaneHeading, PaneRow } from "../../../frame/pane.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { useNow } from "../../../ui/display/time.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { isOwn } from "../answer/message-parts.ts";
import { dragConversation } from "../folders/dragged-conversation.ts";
import { useFiled } from "../folders/use-filed.ts";
import { type GroupName, type ListRow, listRows, rowKey } from "./conversation-groups.ts";
import { ConversationMenu } from "./conversation-menu.tsx";
import styles from "./conversation-pane.module.css";
import { Rename } from "./rename.tsx";
import { useConversationActions } from "./use-conversation-actions.ts";

const VirtualLines = lazyPart(() =>
  import("./virtual-lines.tsx").then(({ VirtualLines }) => VirtualLines),
);

/**
 * Up to this many rows are all rendered. Longer lists are virtual, and fully rendered until that
 * code loads.
 */
const drawnAtMost = 60;

/** The headings of the groups. */
const headings = {
  pinned: "chat.group.pinned",
  today: "chat.group.today",
  week: "chat.group.week",
  earlier: "chat.group.earlier",
  archived: "chat.group.archived",
} as const satisfies Record<GroupName, string>;

/** A project's conversations by group. Long lists render only the visible rows. */
export function ConversationList({
  projectId,
  userId,
  archived,
}: {
  projectId: string;
  userId: string;
  archived: boolean;
}) {
  const filed = useFiled();
  const list = useInfiniteQuery(conversationsQuery(projectId, archived, archived ? {} : filed));
  const isFiled = !archived && (filed.folderId !== undefined || filed.tag !== undefined);
  const [renaming, setRenaming] = useState<Conversation | null>(null);
  const actions = useConversationActions();
  const now = useNow();
  const scroll = useRef<HTMLElement>(null);
  const shown = (list.data?.pages ?? [])
    .flatMap((page) => page.conversations)
    .filter(({ archivedAt }) => (archivedAt !== null) === archived);
  const rows = listRows(shown, now);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  if (list.isPending) return <ListSkeleton />;
  if (list.isError && shown.length === 0) {
    return (
      <div className={styles.scroll}>
        <ErrorState compact error={list.error} onRetry={() => void list.refetch()} />
      </div>
    );
  }
  const draw = (row: ListRow) =>
    row.kind === "heading" ? (
      <PaneHeading>{t(headings[row.group])}</PaneHeading>
    ) : (
      <ConversationRow
        conversation={row.conversation}
        isMine={isOwn(row.conversation, userId)}
        actions={actions}
        onRename={setRenaming}
      />
    );
  return (
    <nav
      ref={scroll}
      className={styles.scroll}
      aria-label={t(archived ? "chat.group.archived" : "chat.list")}
    >
      {rows.length === 0 && (
        <p className={styles.note}>
          {t(archived ? "chat.archive.empty" : isFiled ? "chat.filed.empty" : "chat.list.empty")}
        </p>
      )}
      {rows.length <= drawnAtMost && !hasNextPage ? (
        <Lines rows={rows} draw={draw} />
      ) : (
        <Part fallback={<Lines rows={rows} draw={draw} />}>
          <VirtualLines
            rows={rows}
            draw={draw}
            scroll={scroll}
            onNearEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          />
        </Part>
      )}
      {renaming && (
        <Rename
          conversation={renaming}
          onRename={(title) => actions.rename(renaming, title)}
          onClose={() => setRenaming(null)}
        />
      )}
    </nav>
  );
}

function Lines({ rows, draw }: { rows: readonly ListRow[]; draw: (row: ListRow) => ReactNode }) {
  return rows.map((row) => (
    <div key={rowKey(row)} className={styles.plainLine}>
      {draw(row)}
    </div>
  ));
}

type RowProps = {
  conversation: Conversation;
  isMine: boolean;
  actions: ReturnType<typeof useConversationActions>;
  onRename: (conversation: Conversation) => void;
};

function ConversationRow({ conversation, isMine, actions, onRename }: RowProps) {
  const title = conversation.title || t("chat.untitled");
  const trigger = <IconButton size="small" icon={Ellipsis} label={t("chat.menu", { title })} />;
  const icon = conversation.pinned ? (
    <Pin aria-label={t("chat.group.pinned")} />
  ) : conversation.visibility === "project" ? (
    <Users aria-label={t("chat.isShared")} />
  ) : undefined;
  const row = (
    <PaneRow
      link={
        <Link
          to="/chat/$id"
          params={{ id: conversation.id }}
          search={({ archived, inspector, folder, tag }) => ({ archived, inspector, folder, tag })}
        />
      }
      icon={icon}
      end={
        isMine && (
          <ConversationMenu
            conversation={conversation}
            trigger={trigger}
            actions={actions}
            onRename={onRename}
          />
        )
      }
    >
      {title}
    </PaneRow>
  );
  if (!isMine) return row;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's way is the menu
    <div onDragStart={dragConversation(conversation.id)}>{row}</div>
  );
}

function ListSkeleton() {
  return (
    <div className={styles.skeletons} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      {["62%", "84%", "71%", "90%", "58%", "77%"].map((width) => (
        <Skeleton key={width} width={width} height={12} />
      ))}
    </div>
  );
}
