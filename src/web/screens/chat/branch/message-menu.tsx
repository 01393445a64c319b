import { Ellipsis, GitFork, MessageCircleReply, Trash2 } from "lucide-react";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import type { MenuEntry } from "../../../ui/overlays/menu-popup.tsx";

export type MessageMenuProps = {
  /** Left out for a temporary chat. */
  onFork: (() => void) | undefined;
  /** Deletes the message with its replies. */
  onPrune: () => void;
  isAnswer?: boolean;
  /** For a person's message without an answer. */
  onAsk?: (() => void) | undefined;
};

/** The author's actions on the branch at a message or answer. */
export function MessageMenu({ onFork, onPrune, isAnswer = false, onAsk }: MessageMenuProps) {
  const label = t("chat.message.menu");
  const entries: MenuEntry[] = [
    ...(onAsk ? [{ label: t("chat.message.ask"), icon: MessageCircleReply, onSelect: onAsk }] : []),
    ...(onFork
      ? [{ label: t("chat.fork"), icon: GitFork, movesFocus: true, onSelect: onFork }]
      : []),
    ...(onAsk || onFork ? [{ separator: true as const }] : []),
    {
      label: t(isAnswer ? "chat.prune.answer" : "chat.prune.message"),
      icon: Trash2,
      danger: true,
      movesFocus: true,
      onSelect: onPrune,
    },
  ];
  return (
    <ActionMenu
      trigger={<IconButton size="small" icon={Ellipsis} label={label} />}
      label={label}
      entries={entries}
    />
  );
}
