import { useNavigate } from "@tanstack/react-router";
import { Archive, Info, Search, SquarePen, Trash2 } from "lucide-react";
import type { Conversation } from "#contract/entities.ts";
import { useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { listConversationActions } from "./conversations/conversation-menu.tsx";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";

type ChatCommandTargets = {
  /** The open conversation, if the person is its author. */
  own: Conversation | undefined;
  actions: ConversationActions;
  onNew: () => void;
  onRename: (conversation: Conversation) => void;
  onInspect: () => void;
};

/** The chat's commands in the palette and on the keyboard. */
export function useChatCommands({
  own,
  actions,
  onNew,
  onRename,
  onInspect,
}: ChatCommandTargets): void {
  const group = t("screen.chat");
  const navigate = useNavigate();
  const forOpen = own ? listConversationActions({ conversation: own, actions, onRename }) : [];
  useCommands(
    [
      { id: "chat.new", title: t("chat.new"), icon: SquarePen, shortcut: "c", run: onNew },
      {
        id: "chat.search",
        title: t("chat.search"),
        icon: Search,
        shortcut: "/",
        run: () => document.querySelector<HTMLInputElement>("[data-chat-search]")?.focus(),
      },
      { id: "chat.inspect", title: t("chat.inspect"), icon: Info, shortcut: "i", run: onInspect },
      {
        id: "chat.archive.open",
        title: t("chat.archive.open"),
        icon: Archive,
        run: () => void navigate({ to: "/chat", search: { archived: "1" } }),
      },
      {
        id: "chat.trash.open",
        title: t("chat.trash.open"),
        icon: Trash2,
        run: () => void navigate({ to: "/chat", search: { trash: "1" } }),
      },
      ...forOpen,
    ].map((command) => ({ ...command, group })),
  );
}
