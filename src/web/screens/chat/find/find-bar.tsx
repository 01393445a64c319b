import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { limits } from "#contract/limits.ts";
import { messageSearchQuery } from "../../../data/queries/conversation.queries.ts";
import { useKeysOf } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import styles from "./find-bar.module.css";
import { markMatches } from "./mark-matches.ts";

export type FindBarProps = {
  conversationId: string;
  /** The message that is shown and highlighted. */
  foundId: string | undefined;
  /** The text typed before this code had loaded. */
  initialText: string;
  onShow: (messageId: string) => void;
  onClose: () => void;
  column: RefObject<HTMLElement | null>;
  /** Changes when the bar is opened again, which selects its text. */
  called: number;
};

/**
 * Searches the whole conversation, including rows that aren't rendered.
 * @public through find.tsx
 */
export function FindBar({
  conversationId,
  foundId,
  initialText,
  onShow,
  onClose,
  column,
  called,
}: FindBarProps) {
  const bar = useRef<HTMLElement>(null);
  const [typed, setTyped] = useState(initialText);
  const q = useDebounced(typed.trim());
  const [firstCall] = useState(called);
  useEffect(() => {
    const field = bar.current?.querySelector("input");
    // Only Chromium's `select` moves the focus.
    field?.focus();
    // Text typed while this code loaded is continued, not replaced.
    if (called === firstCall) field?.setSelectionRange(initialText.length, initialText.length);
    else field?.select();
  }, [called]);
  useEffect(() => (column.current ? markMatches(column.current, q) : undefined), [column, q]);
  const found = useQuery(messageSearchQuery(conversationId, q));
  const ids = q === "" ? undefined : found.data?.messageIds.toReversed();
  const place = ids?.indexOf(foundId ?? "") ?? -1;
  useEffect(() => {
    if (!ids || place >= 0) return;
    const first = firstInView(column.current);
    const next = ids.find((id) => first === undefined || id >= first) ?? ids.at(-1);
    if (next) onShow(next);
  }, [found.data]);
  const move = (by: number) => {
    const next = ids?.at((Math.max(place, 0) + by) % ids.length);
    if (next) onShow(next);
  };
  useKeysOf("find");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    // Pressing the shortcut again opens the browser's own search.
    if ((event.ctrlKey || event.metaKey) && event.key === "f") event.stopPropagation();
    if (event.key === "Enter") {
      event.preventDefault();
      move(event.shiftKey ? -1 : 1);
    }
    if (event.key === "Escape") {
      // Otherwise Escape would stop a streaming answer.
      event.stopPropagation();
      onClose();
    }
  };
  const canMove = ids !== undefined && ids.length > 1;
  return (
    <search ref={bar} className={styles.bar} aria-busy={found.isFetching || undefined}>
      <SearchField
        label={t("chat.find")}
        value={typed}
        onValueChange={setTyped}
        onKeyDown={onKeyDown}
        className={styles.field}
      />
      <span className={styles.place} aria-live="polite">
        {ids && positionText(place, ids.length)}
      </span>
      <IconButton
        size="small"
        icon={ChevronUp}
        label={t("find.before")}
        disabled={!canMove}
        onClick={() => move(-1)}
      />
      <IconButton
        size="small"
        icon={ChevronDown}
        label={t("find.after")}
        disabled={!canMove}
        onClick={() => move(1)}
      />
      <IconButton size="small" icon={X} label={t("find.close")} onClick={onClose} />
    </search>
  );
}

function positionText(place: number, count: number): string {
  if (count === 0) return t("find.none");
  const words = { place: place + 1, count };
  return count < limits.foundMessages ? t("find.place", words) : t("find.place.newest", words);
}

/** The first visible message, where a search starts. */
function firstInView(column: HTMLElement | null): string | undefined {
  const top = column?.closest("section")?.getBoundingClientRect().top ?? 0;
  const shown = [...(column?.querySelectorAll<HTMLElement>("[data-message]") ?? [])];
  return shown.find((element) => element.getBoundingClientRect().bottom > top)?.dataset.message;
}
