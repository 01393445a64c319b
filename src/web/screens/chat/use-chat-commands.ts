import { useNavigate } from "@tanstack/react-router";
import { Archive, Info, Search, SquarePen, TimerOff, Trash2 } from "lucide-react";
import { useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";

type ChatCommandTargets = {
  /**
   * Makes the next conversation temporary, or closes a temporary one; undefined if neither applies.
   */
  onTemporary: { title: string; run: () => void } | undefined;
  onNew: () => void;
  onInspect: () => void;
};

/**
 * Chat's commands in the palette and on the keyboard, in addition to the open conversation's menu.
 */
export function useChatCommands({ onNew, onInspect, onTemporary }: ChatCommandTargets): void {
  const group = t("screen.chat");
  const navigate = useNavigate();
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
      ...(onTemporary ? [{ id: "chat.temporary", icon: TimerOff, ...onTemporary }] : []),
      {
        id: "chat.trash.open",
        title: t("chat.trash.open"),
        icon: Trash2,
        run: () => void navigate({ to: "/chat", search: { trash: "1" } }),
      },
    ].map((command) => ({ ...command, group })),
  );
}
