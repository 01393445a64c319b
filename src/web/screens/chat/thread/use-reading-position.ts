import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { isRecord, type Slot, savedEntries } from "../../../data/saved/saved-entries.ts";
import { usePersonId } from "../../../data/shell-data.ts";
import type { ThreadRow } from "./thread-rows.ts";

/** The row at the top of the view, and its distance from the view's top. */
type ReadingPosition = { row: string; px: number };

/**
 * The scroll position of a thread when its page was left, restored by a reload. A thread that
 * follows its end has none.
 */
const readingPosition: Slot<ReadingPosition> = {
  kind: "draft",
  where: "tab",
  name: "reading-place",
  version: 1,
  empty: { row: "", px: 0 },
  parse: (saved) =>
    isRecord(saved) && typeof saved.row === "string" && typeof saved.px === "number"
      ? { row: saved.row, px: saved.px }
      : null,
};

/**
 * The position to restore after a reload, until the person navigates elsewhere or the row is gone.
 * @param isElsewhere whether another message was navigated to
 */
export function useReadingPosition({
  conversationId,
  rows,
  column,
  isStuck,
  isElsewhere,
}: {
  conversationId: string;
  rows: readonly ThreadRow[];
  column: RefObject<HTMLElement | null>;
  isStuck: () => boolean;
  isElsewhere: boolean;
}): (ReadingPosition & { place: number }) | undefined {
  const person = usePersonId();
  const [saved, setSaved] = useState(() => ({
    conversationId,
    ...savedEntries().read(readingPosition, person, conversationId),
  }));
  const isOver = isElsewhere || saved.conversationId !== conversationId;
  const place = isOver ? -1 : rows.findIndex(({ key }) => key === saved.row);
  // Discarded for good: a row that reappears with another branch isn't scrolled to.
  if (place < 0 && saved.row !== "") setSaved({ conversationId, ...readingPosition.empty });
  const save = useEffectEvent(() => {
    const view = column.current?.closest("section");
    const topPx = view?.getBoundingClientRect().top ?? 0;
    const rendered = [...(view?.querySelectorAll<HTMLElement>("[data-index]") ?? [])];
    const first = rendered.find((row) => row.getBoundingClientRect().bottom > topPx);
    const row = rows[Number(first?.dataset.index)]?.key;
    savedEntries().write(
      readingPosition,
      person,
      isStuck() || !first || row === undefined
        ? readingPosition.empty
        : { row, px: first.getBoundingClientRect().top - topPx },
      conversationId,
    );
  });
  useEffect(() => {
    // The position applies to one reload, not to a later visit in this tab.
    savedEntries().write(readingPosition, person, readingPosition.empty, conversationId);
    window.addEventListener("pagehide", save);
    return () => window.removeEventListener("pagehide", save);
  }, [person, conversationId]);
  return place < 0 ? undefined : { row: saved.row, px: saved.px, place };
}
