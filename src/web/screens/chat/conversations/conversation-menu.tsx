import {
  Archive,
  ArchiveRestore,
  Download,
  FolderInput,
  Lock,
  type LucideIcon,
  Pencil,
  Pin,
  PinOff,
  Search,
  Share,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import type { MenuEntry } from "../../../ui/overlays/menu-popup.tsx";
import type { PopupTrigger } from "../../../ui/overlays/use-popup-trigger.tsx";
import { Export } from "../export/export.tsx";
import type { ConversationActions } from "./use-conversation-actions.ts";

type Target = {
  conversation: Conversation;
  actions: ConversationActions;
  onRename: (conversation: Conversation) => void;
};

/** The author's actions on a conversation. */
function listConversationActions({ conversation, actions, onRename }: Target): {
  id: string;
  title: string;
  icon: LucideIcon;
  run: () => void;
}[] {
  const { pinned, archivedAt, visibility } = conversation;
  const isShared = visibility === "project";
  const isArchived = archivedAt !== null;
  return [
    { id: "chat.rename", title: t("chat.rename"), icon: Pencil, run: () => onRename(conversation) },
    {
      id: "chat.pin",
      title: t(pinned ? "chat.unpin" : "chat.pin"),
      icon: pinned ? PinOff : Pin,
      run: () => void actions.togglePin(conversation),
    },
    {
      id: "chat.share",
      title: t(isShared ? "chat.unshare" : "chat.share"),
      icon: isShared ? Lock : Share,
      run: () => void actions.toggleShare(conversation),
    },
    {
      id: "chat.file",
      title: t("chat.filing"),
      icon: FolderInput,
      run: () => actions.file(conversation),
    },
    {
      id: "chat.archive",
      title: t(isArchived ? "chat.unarchive" : "chat.archive"),
      icon: isArchived ? ArchiveRestore : Archive,
      run: () => void actions.toggleArchive(conversation),
    },
    {
      id: "chat.trash",
      title: t("chat.trash"),
      icon: Trash2,
      run: () => void actions.trash(conversation),
    },
  ];
}

/**
 * @param onFind opens the open conversation's search, for people without a keyboard
 * @param messageId the end of the branch on screen
 */
export function ConversationMenu({
  trigger,
  onFind,
  messageId,
  ...target
}: Target & { trigger: PopupTrigger; onFind?: () => void; messageId?: string | undefined }) {
  const [isExporting, setExporting] = useState(false);
  const { title } = target.conversation;
  const find: MenuEntry[] = onFind
    ? [
        { label: t("chat.find"), icon: Search, movesFocus: true, onSelect: onFind },
        { separator: true },
      ]
    : [];
  return (
    <>
      <ActionMenu
        trigger={trigger}
        label={t("chat.menu", { title: title || t("chat.untitled") })}
        entries={[
          ...find,
          ...listConversationActions(target).flatMap(
            ({ id, title: label, icon, run }): MenuEntry[] =>
              id === "chat.trash"
                ? [
                    {
                      label: t("chat.export"),
                      icon: Download,
                      movesFocus: true,
                      onSelect: () => setExporting(true),
                    },
                    { separator: true },
                    { label, icon, danger: true, onSelect: run },
                  ]
                : [{ label, icon, onSelect: run }],
          ),
        ]}
      />
      {isExporting && (
        <Export
          conversation={target.conversation}
          messageId={messageId}
          onClose={() => setExporting(false)}
        />
      )}
    </>
  );
}
