import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { formatWhen } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { useNow } from "../../../ui/display/time.tsx";
import { ConfirmDelete } from "./confirm-delete.tsx";
import { daysLeft } from "./days-left.ts";
import styles from "./trash.module.css";
import { useTrashActions } from "./use-trash-actions.ts";

/**
 * Replaces the composer in the trash: how long the conversation can be restored, with the buttons
 * to restore or delete it.
 */
export function TrashDock({ conversation }: { conversation: Conversation }) {
  const { restore, remove, isPending } = useTrashActions();
  const [isAsking, setAsking] = useState(false);
  const trashedAt = conversation.trashedAt ?? 0;
  // `useNow` lags by up to 30 seconds and must not precede the trashing.
  const now = Math.max(useNow(), trashedAt);
  return (
    <div className={styles.dock}>
      <p>
        {t("chatTrash.note", {
          when: formatWhen(trashedAt, now),
          days: daysLeft(conversation, now),
        })}
      </p>
      <div className={styles.acts}>
        <ActionButton
          action="chatTrash.restore"
          icon={RotateCcw}
          disabled={isPending}
          onClick={() => restore(conversation)}
        >
          {t("chatTrash.restore")}
        </ActionButton>
        <ActionButton
          action="chatTrash.delete"
          variant="danger"
          icon={Trash2}
          disabled={isPending}
          onClick={() => setAsking(true)}
        >
          {t("chatTrash.delete")}
        </ActionButton>
      </div>
      <ConfirmDelete
        conversation={isAsking ? conversation : null}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      />
    </div>
  );
}
