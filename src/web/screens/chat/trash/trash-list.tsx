import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import { trashedConversationsQuery } from "../../../data/queries/chat.queries.ts";
import { type RowAction, useRowActions } from "../../../frame/action-menu.tsx";
import { PlaceLink } from "../../../frame/place-link.tsx";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { useNow } from "../../../ui/display/time.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import rowStyles from "../../../ui/lists/row-target.module.css";
import { ConfirmDelete } from "./confirm-delete.tsx";
import { daysLeft } from "./days-left.ts";
import styles from "./trash.module.css";
import { useTrashActions } from "./use-trash-actions.ts";

/** A person's trashed conversations, latest first, each with the days left to restore it. */
export function TrashList({ projectId }: { projectId: string }) {
  const found = useInfiniteQuery(trashedConversationsQuery(projectId));
  const { id: openId } = useParams({ strict: false });
  const actions = useTrashActions();
  const [asked, setAsked] = useState<Conversation | null>(null);
  const now = useNow();
  if (found.isPending)
    return (
      <div className={styles.list}>
        <SkeletonText lines={4} />
      </div>
    );
  const conversations = found.data?.pages.flatMap((page) => page.conversations) ?? [];
  return (
    <nav className={styles.list} aria-label={t("chatTrash.list")}>
      {found.isError && (
        <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
      )}
      {found.isSuccess && conversations.length === 0 && (
        <p className={styles.empty}>{t("chatTrash.empty")}</p>
      )}
      {conversations.map((conversation) => (
        <TrashRow
          key={conversation.id}
          conversation={conversation}
          isOpen={conversation.id === openId}
          days={daysLeft(conversation, now)}
          isPending={actions.isPending}
          onRestore={() => actions.restore(conversation)}
          onDelete={() => setAsked(conversation)}
        />
      ))}
      <ListMore query={found} />
      <ConfirmDelete
        conversation={asked}
        onClose={() => setAsked(null)}
        onConfirm={actions.remove}
      />
    </nav>
  );
}

type TrashRowProps = {
  conversation: Conversation;
  isOpen: boolean;
  days: number;
  isPending: boolean;
  onRestore: () => void;
  onDelete: () => void;
};

function TrashRow({ conversation, isOpen, days, isPending, onRestore, onDelete }: TrashRowProps) {
  const title = conversation.title || t("chat.untitled");
  const acts: RowAction[] = [
    { id: "restore", title: t("chatTrash.restore"), icon: RotateCcw, run: onRestore },
    { id: "delete", title: t("chatTrash.delete"), icon: Trash2, run: onDelete },
  ];
  const at = useRowActions<HTMLDivElement>(title, isPending ? [] : acts);
  return (
    <div ref={at} data-row className={styles.row}>
      <PlaceLink
        to="/chat/$id"
        params={{ id: conversation.id }}
        search={{ trash: "1" }}
        isCurrent={isOpen}
        className={classes(styles.main, rowStyles.target)}
      >
        <span className={styles.title}>{title}</span>
        <span className={styles.left}>{t("chatTrash.left", { days })}</span>
      </PlaceLink>
      <IconButton
        size="small"
        icon={RotateCcw}
        label={t("chatTrash.restore.named", { title })}
        disabled={isPending}
        onClick={onRestore}
      />
      <IconButton
        size="small"
        icon={Trash2}
        label={t("chatTrash.delete.named", { title })}
        disabled={isPending}
        onClick={onDelete}
      />
    </div>
  );
}
