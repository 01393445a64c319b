import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { isRecord, kept, type Slot } from "../../../data/kept/kept.ts";
import { usePersonId } from "../../../data/shell-data.ts";
import type { ThreadRow } from "./thread-rows.ts";

/** The row at the top of the view, and how far below the view's top it begins. */
type ReadingPlace = { row: string; px: number };

/** Where a thread was read when its page was left: a reload shows it there. One that follows its end has none. */
const readingPlace: Slot<ReadingPlace> = {
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
 * The place to show in a thread that a reload interrupted, until something else is gone to or its row is gone.
 * @param isElsewhere a message was gone to
 */
export function useReadingPlace({
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
}): (ReadingPlace & { place: number }) | undefined {
  const person = usePersonId();
  const [left, setLeft] = useState(() => ({
    conversationId,
    ...kept().read(readingPlace, person, conversationId),
  }));
  const isOver = isElsewhere || left.conversationId !== conversationId;
  const place = isOver ? -1 : rows.findIndex(({ key }) => key === left.row);
  // For good: a row that comes back, as with another branch, is not gone to.
  if (place < 0 && left.row !== "") setLeft({ conversationId, ...readingPlace.empty });
  const save = useEffectEvent(() => {
    const view = column.current?.closest("section");
    const topPx = view?.getBoundingClientRect().top ?? 0;
    const drawn = [...(view?.querySelectorAll<HTMLElement>("[data-index]") ?? [])];
    const first = drawn.find((row) => row.getBoundingClientRect().bottom > topPx);
    const row = rows[Number(first?.dataset.index)]?.key;
    kept().write(
      readingPlace,
      person,
      isStuck() || !first || row === undefined
        ? readingPlace.empty
        : { row, px: first.getBoundingClientRect().top - topPx },
      conversationId,
    );
  });
  useEffect(() => {
    // It is the place of one reload, and of no later visit in this tab.
    kept().write(readingPlace, person, readingPlace.empty, conversationId);
    window.addEventListener("pagehide", save);
    return () => window.removeEventListener("pagehide", save);
  }, [person, conversationId]);
  return place < 0 ? undefined : { row: left.row, px: left.px, place };
}
