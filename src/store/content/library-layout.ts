import { toCursor } from "../database/cursor.ts";
import { idAt, type LibraryColumns } from "./library-columns.ts";
import { type LibraryLayout, type LibraryView, matcherOf, quarterMs } from "./library-views.ts";

/**
 * A view of a range of consecutive indexes, newest first. A layout caches these parts, so that
 * after a change of one asset the other 99,999 aren't read again.
 */
type Part = {
  count: number;
  ratios: Uint16Array;
  /** Offset of each asset from the part's first index. */
  places: Uint16Array;
  times: LibraryLayout["times"];
  /** The page cursors that start in this part when its first asset is number `at` on its page. */
  cursors: { at: number; made: string[] };
};
/** By index in the library, oldest first; undefined where an asset has changed. */
export type LayoutParts = (Part | undefined)[];

/** The maximum that fits `Part.places`. */
export const assetsOfPart = 4_096;

/** Drops the parts that `updateColumns` changed. */
export function forgetParts(
  parts: LayoutParts,
  { places, movedFrom }: { places: readonly number[]; movedFrom: number },
  size: number,
): void {
  for (const place of places) parts[Math.floor(place / size)] = undefined;
  parts.length = Math.min(parts.length, Math.floor(movedFrom / size));
}

/**
 * Lays out everything a person may see, newest first, for the gallery, with the cursor of every
 * page.
 * @param parts cached parts of the same view, of the size `size`; missing ones are filled in
 */
export function layOutColumns(
  columns: LibraryColumns,
  viewer: number,
  view: LibraryView,
  pageSize: number,
  parts: LayoutParts = [],
  size = assetsOfPart,
): LibraryLayout {
  const isShown = matcherOf(columns, viewer, view);
  const times: LibraryLayout["times"] = [];
  const cursors: string[] = [];
  const shown: Part[] = [];
  let count = 0;
  for (let i = Math.ceil(columns.count / size) - 1; i >= 0; i -= 1) {
    const from = i * size;
    parts[i] ??= readPart(columns, isShown, from, Math.min(from + size, columns.count));
    const part = parts[i]!;
    if (part.count === 0) continue;
    const at = count % pageSize;
    if (part.cursors.at !== at)
      part.cursors = { at, made: cursorsOf(columns, part, from, at, pageSize) };
    for (const cursor of part.cursors.made) cursors.push(cursor);
    addTimes(times, part.times);
    shown.push(part);
    count += part.count;
  }
  const ratios = new Uint16Array(count);
  let filled = 0;
  for (const part of shown) {
    ratios.set(part.ratios, filled);
    filled += part.count;
  }
  return {
    count,
    ratios: Buffer.from(ratios.buffer).toString("base64"),
    times,
    groups: [],
    cursors,
  };
}

function readPart(
  columns: LibraryColumns,
  isShown: (place: number) => boolean,
  from: number,
  to: number,
): Part {
  const ratios = new Uint16Array(to - from);
  const places = new Uint16Array(to - from);
  const times: LibraryLayout["times"] = [];
  let count = 0;
  let quarter = -1;
  for (let place = to - 1; place >= from; place -= 1) {
    if (!isShown(place)) continue;
    const of = Math.floor(columns.times[place]! / quarterMs);
    if (of !== quarter) {
      quarter = of;
      times.push({ at: quarter * quarterMs, count: 0 });
    }
    times.at(-1)!.count += 1;
    ratios[count] = columns.ratios[place]!;
    places[count] = place - from;
    count += 1;
  }
  return {
    count,
    ratios: ratios.slice(0, count),
    places: places.slice(0, count),
    times,
    cursors: { at: -1, made: [] },
  };
}

function cursorsOf(
  columns: LibraryColumns,
  { count, places }: Part,
  from: number,
  at: number,
  pageSize: number,
): string[] {
  const cursors: string[] = [];
  for (let i = (pageSize - at) % pageSize; i < count; i += pageSize)
    cursors.push(toCursor([idAt(columns, from + places[i]!)]));
  return cursors;
}

/** A quarter-hour may continue in the next part. */
function addTimes(times: LibraryLayout["times"], more: LibraryLayout["times"]): void {
  for (const { at, count } of more) {
    const last = times.at(-1);
    if (last?.at === at) last.count += count;
    else times.push({ at, count });
  }
}
