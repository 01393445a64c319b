import type { Conversation } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { NameDialog } from "../../../ui/overlays/name-dialog.tsx";

type RenameProps = {
  conversation: Conversation;
  /** Resolves to whether the title was saved. */
  onRename: (title: string) => Promise<boolean>;
  onClose: () => void;
};

/** Asks for a conversation's new title. */
export const Rename = ({ conversation: { id, title }, onRename, onClose }: RenameProps) => (
  <NameDialog
    key={id}
    naming={{
      title: t("chat.rename.title"),
      label: t("chat.rename.label"),
      name: title,
      action: t("chat.rename"),
      onSave: onRename,
    }}
    onClose={onClose}
  />
);
