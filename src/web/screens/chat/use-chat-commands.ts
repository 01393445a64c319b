import { useNavigate } from "@tanstack/react-router";
import { Archive, Info, Pencil, Pin, Search, Share, SquarePen, Trash2 } from "lucide-react";
import type { Conversation } from "#contract/entities.ts";
import { type Command, useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";

export type ChatCommandTargets = {
  /** The open conversation, when it is one's own. */
  own: Conversation | undefined;
  actions: ConversationActions;
  onNew: () => void;
  onRename: (conversation: Conversation) => void;
  onInspect: () => void;
};

/** What the palette and the keyboard can do here. */
export function useChatCommands({
  own,
  actions,
  onNew,
  onRename,
  onInspect,
}: ChatCommandTargets): void {
  const group = t("screen.chat");
  const navigate = useNavigate();
  const ofConversation: Command[] = own
    ? [
        {
          id: "chat.rename",
          title: t("chat.rename"),
          group,
          icon: Pencil,
          run: () => onRename(own),
        },
        {
          id: "chat.pin",
          title: t(own.pinned ? "chat.unpin" : "chat.pin"),
          group,
          icon: Pin,
          run: () => void actions.togglePin(own),
        },
        {
          id: "chat.share",
          title: t(own.visibility === "project" ? "chat.unshare" : "chat.share"),
          group,
          icon: Share,
          run: () => void actions.toggleShare(own),
        },
        {
          id: "chat.archive",
          title: t(own.archivedAt === null ? "chat.archive" : "chat.unarchive"),
          group,
          icon: Archive,
          run: () => void actions.toggleArchive(own),
        },
        {
          id: "chat.trash",
          title: t("chat.trash"),
          group,
          icon: Trash2,
          run: () => void actions.trash(own),
        },
      ]
    : [];
  useCommands([
    { id: "chat.new", title: t("chat.new"), group, icon: SquarePen, shortcut: "c", run: onNew },
    {
      id: "chat.search",
      title: t("chat.search"),
      group,
      icon: Search,
      shortcut: "/",
      run: () => document.querySelector<HTMLInputElement>("[data-chat-search]")?.focus(),
    },
    {
      id: "chat.inspect",
      title: t("chat.inspect"),
      group,
      icon: Info,
      shortcut: "i",
      run: onInspect,
    },
    {
      id: "chat.archive.open",
      title: t("chat.archive.open"),
      group,
      icon: Archive,
      run: () => void navigate({ to: "/chat", search: { archived: "1" } }),
    },
    ...ofConversation,
  ]);
}
