import { type KeyboardEvent, useState } from "react";
import { t } from "../../../messages/t.ts";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import styles from "./find-bar.module.css";
import type { FindBarProps } from "./find-bar.tsx";

const FindBar = lazyPart(() => import("./find-bar.tsx").then(({ FindBar }) => FindBar), "find");

/** The search in a conversation. Text typed before its code has loaded is searched then. */
export function Find({ onClose, ...props }: Omit<FindBarProps, "initialText">) {
  const [text, setText] = useState("");
  const [opener] = useState(() => document.activeElement);
  const close = () => {
    // A menu's entry is gone by now.
    const back = opener?.isConnected ? opener : props.column.current?.closest("section");
    if (back instanceof HTMLElement) back.focus({ preventScroll: true });
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    // Otherwise Escape would stop a streaming answer.
    event.stopPropagation();
    close();
  };
  const coming = (
    <search className={styles.bar} aria-busy>
      <SearchField
        label={t("chat.find")}
        value={text}
        onValueChange={setText}
        onKeyDown={onKeyDown}
        className={styles.field}
        autoFocus
      />
    </search>
  );
  return (
    <Part fallback={coming}>
      <FindBar {...props} initialText={text} onClose={close} />
    </Part>
  );
}
