/**
 * The rendered part of a film strip: items from `first` to `last`, inclusive, the first of them at
 * `left` px.
 */
export type StripWindow = { first: number; last: number; left: number };

type Strip = {
  count: number;
  index: number;
  /** The strip's width in px. */
  width: number;
  gap: number;
  widthAt: (index: number) => number;
};

/**
 * Centers the shown item as far as the strip's ends allow, and renders only the items with room
 * around it.
 */
export function windowStrip({ count, index, width, gap, widthAt }: Strip): StripWindow {
  if (count === 0 || width <= 0) return { first: 0, last: -1, left: 0 };
  const own = widthAt(index);
  let first = index;
  let before = 0;
  let last = index;
  let after = 0;
  // One side may fill less than half of the width; the other then takes the rest.
  while (first > 0 && before < width) {
    first -= 1;
    before += widthAt(first) + gap;
  }
  while (last + 1 < count && after < width) {
    last += 1;
    after += gap + widthAt(last);
  }
  const centered = (width - own) / 2;
  const total = before + own + after;
  if (total <= width) return { first, last, left: (width - total) / 2 };
  let left = centered - before;
  if (first === 0) left = Math.min(0, left);
  if (last === count - 1) left = Math.max(width - total, left);
  // Starts at the first visible item.
  let start = left;
  while (start + widthAt(first) + gap <= 0 && first < index) {
    start += widthAt(first) + gap;
    first += 1;
  }
  let end = left + total;
  while (end - widthAt(last) - gap >= width && last > index) {
    end -= widthAt(last) + gap;
    last -= 1;
  }
  return { first, last, left: start };
}
