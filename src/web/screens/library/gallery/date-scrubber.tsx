import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { useKeysOf } from "../../../frame/commands.tsx";
import { formatDay } from "../../../messages/format.ts";
import { locale, t } from "../../../messages/t.ts";
import { useNow } from "../../../ui/display/time.tsx";
import styles from "./date-scrubber.module.css";
import { cutMonths, type Day, dayOf } from "./days.ts";
import { type FirstVisible, useFirstVisible } from "./first-visible.ts";

type DateScrubberProps = {
  days: readonly Day[];
  count: number;
  /** The first visible item. */
  place: FirstVisible;
  onJump: (index: number) => void;
};

/** The minimum distance between labels, as a share of the height: 26 px of 800. */
const minApart = 0.034;
const shownFrom = 60;
const month = new Intl.DateTimeFormat(locale(), { month: "short" });

/**
 * The dates next to the gallery: click or drag to jump; arrow keys move by day, Page keys by month.
 */
export function DateScrubber({ days, count, place: scrolled, onJump }: DateScrubberProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const first = useFirstVisible(scrolled);
  const track = useRef<HTMLDivElement>(null);
  const now = useNow();
  const labels = useMemo(() => listLabels(days, count), [days, count]);
  // Without days, the gallery is not sorted by date.
  const isShown = count >= shownFrom && days.length > 0;
  useKeysOf("dates", isShown);
  if (!isShown) return null;

  const shown = dragged ?? first;
  const day = dayOf(days, shown);
  const jumpTo = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (!box) return;
    const share = Math.min(1, Math.max(0, (event.clientY - box.top) / box.height));
    const index = Math.min(count - 1, Math.round(share * count));
    setDragged(index);
    onJump(index);
  };
  const place = day ? days.indexOf(day) : 0;
  const onKeyDown = (event: KeyboardEvent) => {
    const months = cutMonths(days);
    const current = months.findLastIndex(({ start }) => start <= shown);
    const targets: Record<string, number | undefined> = {
      ArrowDown: days[place + 1]?.start,
      ArrowUp: days[place - 1]?.start,
      PageDown: months[current + 1]?.start,
      PageUp: months[current - 1]?.start ?? 0,
      Home: 0,
      End: count - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onJump(target);
  };
  return (
    <div
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label={t("library.scrubber")}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={count - 1}
      aria-valuenow={shown}
      aria-valuetext={day && formatDay(day.at, now)}
      className={styles.track}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        jumpTo(event);
      }}
      onPointerMove={(event) => {
        if (dragged !== null) jumpTo(event);
      }}
      onPointerUp={() => setDragged(null)}
      onPointerCancel={() => setDragged(null)}
    >
      {labels.map(({ start, text }) => (
        <span
          key={start}
          aria-hidden
          className={styles.label}
          style={{ top: `${(start / count) * 100}%` }}
        >
          {text}
        </span>
      ))}
      <span aria-hidden className={styles.mark} style={{ top: `${(shown / count) * 100}%` }}>
        {dragged !== null && day && <span className={styles.bubble}>{formatDay(day.at, now)}</span>}
      </span>
    </div>
  );
}

/** Labels for the months with enough room; a year's first label shows the year. */
function listLabels(days: readonly Day[], count: number): { start: number; text: string }[] {
  const labels: { start: number; text: string }[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let year: number | undefined;
  for (const { start, at } of cutMonths(days)) {
    if (start / count - last < minApart) continue;
    const date = new Date(at);
    const isOtherYear = year !== undefined && date.getFullYear() !== year;
    labels.push({ start, text: isOtherYear ? String(date.getFullYear()) : month.format(at) });
    last = start / count;
    year = date.getFullYear();
  }
  return labels;
}
