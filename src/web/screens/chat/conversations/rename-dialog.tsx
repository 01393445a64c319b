import { useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { NameField } from "../../../ui/controls/name-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";

export type RenameDialogProps = {
  conversation: Conversation;
  onRename: (title: string) => void;
  onClose: () => void;
};

/** Asks for a new title. Mounted per conversation. */
export function RenameDialog({ conversation, onRename, onClose }: RenameDialogProps) {
  const [title, setTitle] = useState(conversation.title);
  const isEmpty = title.trim() === "";
  const save = () => {
    if (isEmpty) return;
    onRename(title.trim());
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button variant="primary" disabled={isEmpty} onClick={save}>
        {t("chat.rename")}
      </Button>
    </>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("chat.rename.title")}
      footer={footer}
    >
      <NameField
        maxLength={limits.nameCharacters}
        label={t("chat.rename.label")}
        value={title}
        onValueChange={setTitle}
        previous={conversation.title}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) save();
        }}
      />
    </Dialog>
  );
}
