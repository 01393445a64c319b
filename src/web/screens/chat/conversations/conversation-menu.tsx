import { Archive, ArchiveRestore, Lock, Pencil, Pin, PinOff, Share, Trash2 } from "lucide-react";
import type { Conversation } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { Menu } from "../../../ui/overlays/menu.tsx";
import type { PopupTrigger } from "../../../ui/overlays/use-popup-trigger.tsx";
import type { ConversationActions } from "./use-conversation-actions.ts";

export type ConversationMenuProps = {
  conversation: Conversation;
  trigger: PopupTrigger;
  actions: ConversationActions;
  onRename: (conversation: Conversation) => void;
};

/** Everything one can do to a conversation of one's own. */
export function ConversationMenu({
  conversation,
  trigger,
  actions,
  onRename,
}: ConversationMenuProps) {
  const { pinned, archivedAt, visibility } = conversation;
  const isShared = visibility === "project";
  return (
    <Menu
      trigger={trigger}
      label={t("chat.menu", { title: conversation.title || t("chat.untitled") })}
      entries={[
        { label: t("chat.rename"), icon: Pencil, onSelect: () => onRename(conversation) },
        {
          label: t(pinned ? "chat.unpin" : "chat.pin"),
          icon: pinned ? PinOff : Pin,
          onSelect: () => void actions.togglePin(conversation),
        },
        {
          label: t(isShared ? "chat.unshare" : "chat.share"),
          icon: isShared ? Lock : Share,
          onSelect: () => void actions.toggleShare(conversation),
        },
        {
          label: t(archivedAt === null ? "chat.archive" : "chat.unarchive"),
          icon: archivedAt === null ? Archive : ArchiveRestore,
          onSelect: () => void actions.toggleArchive(conversation),
        },
        { separator: true },
        {
          label: t("chat.trash"),
          icon: Trash2,
          danger: true,
          onSelect: () => void actions.trash(conversation),
        },
      ]}
    />
  );
}
