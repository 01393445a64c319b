import { Copy, Pencil } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Message } from "#contract/entities.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { CopyIcon, useCopy } from "../../../ui/controls/copy-button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { filesOf, textOf } from "../answer/message-parts.ts";
import { BranchSwitcher } from "./branch-switcher.tsx";
import { MessageFiles } from "./message-files.tsx";
import type { Siblings } from "./message-tree.ts";
import styles from "./thread.module.css";

/** Longer messages are folded, so that a pasted chapter doesn't push its answer off the screen. */
const foldCharacters = 2_400;

export type UserMessageProps = {
  message: Message;
  siblings: Siblings;
  onTurn: (messageId: string) => void;
  /** Left out for viewers. */
  onEdit?: () => void;
  menu?: ReactNode;
};

export function UserMessage({ message, siblings, onTurn, onEdit, menu }: UserMessageProps) {
  const text = textOf(message.parts);
  const copying = useCopy(text);
  const copy = { id: "copy", title: t("chat.copy.message"), icon: Copy, run: copying.copy };
  const edit = onEdit && { id: "edit", title: t("chat.edit"), icon: Pencil, run: onEdit };
  const at = useRowActions<HTMLDivElement>(t("chat.message.menu"), edit ? [copy, edit] : [copy]);
  return (
    <div ref={at} data-row className={styles.mine}>
      <MessageFiles assetIds={filesOf(message.parts)} />
      {text && <Bubble text={text} />}
      <div className={classes(styles.foot, styles.mineFoot)}>
        <BranchSwitcher siblings={siblings} onTurn={onTurn} />
        <span className={styles.quiet}>
          <CopyIcon {...copying} label={copy.title} />
          {edit && (
            <IconButton size="small" icon={edit.icon} label={edit.title} onClick={edit.run} />
          )}
          {menu}
        </span>
      </div>
    </div>
  );
}

/** The text as typed. */
export function Bubble({ text, isPending = false }: { text: string; isPending?: boolean }) {
  const isLong = text.length > foldCharacters;
  const [isFolded, setFolded] = useState(isLong);
  return (
    <div className={classes(styles.bubble, isPending && styles.pending)}>
      <p className={styles.words}>
        {isFolded ? `${text.slice(0, foldCharacters / 2).trimEnd()}…` : text}
      </p>
      {isLong && (
        <Button
          size="small"
          variant="ghost"
          className={styles.unfold}
          aria-expanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        >
          {t(isFolded ? "chat.unfold" : "chat.fold", { count: text.length })}
        </Button>
      )}
    </div>
  );
}
