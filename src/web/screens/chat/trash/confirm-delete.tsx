import type { Conversation } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./trash.module.css";

type ConfirmDeleteProps = {
  /** Null while the dialog is closed. */
  conversation: Conversation | null;
  onClose: () => void;
  onConfirm: (conversation: Conversation) => void;
};

/** Lists what is deleted with a conversation and what is kept. */
export function ConfirmDelete({ conversation, onClose, onConfirm }: ConfirmDeleteProps) {
  return (
    conversation && (
      <ConfirmDialog
        open
        onOpenChange={(open) => {
          if (!open) onClose();
        }}
        title={t("chatTrash.delete.title", { title: conversation.title || t("chat.untitled") })}
        confirmLabel={t("chatTrash.delete")}
        danger
        onConfirm={() => {
          onClose();
          onConfirm(conversation);
        }}
      >
        <p>{t("chatTrash.delete.text")}</p>
        <p className={styles.stays}>{t("chatTrash.delete.stays")}</p>
      </ConfirmDialog>
    )
  );
}
