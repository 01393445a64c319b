import { toCursor } from "../database/cursor.ts";
import { idAt, type LibraryColumns } from "./library-columns.ts";
import { type LibraryLayout, type LibraryView, matcherOf, quarterMs } from "./library-views.ts";

/**
 * What a view shows of some places in a row, newest first. A layout keeps these parts, so that after a change of one asset the other
 * 99,999 are not looked at again.
 */
type Part = {
  count: number;
  ratios: Uint16Array;
  /** How far behind the part's first place each of them is. */
  places: Uint16Array;
  times: LibraryLayout["times"];
  /** The cursors of the pages that begin in it when its first asset is at `at` of its own page. */
  cursors: { at: number; made: string[] };
};
/** By their place in the library, oldest first; undefined where an asset changed. */
export type LayoutParts = (Part | undefined)[];

/** At most what `Part.places` can tell. */
export const assetsOfPart = 4_096;

/** Forgets the parts that `updateColumns` changed. */
export function forgetParts(
  parts: LayoutParts,
  { places, movedFrom }: { places: readonly number[]; movedFrom: number },
  size: number,
): void {
  for (const place of places) parts[Math.floor(place / size)] = undefined;
  parts.length = Math.min(parts.length, Math.floor(movedFrom / size));
}

/**
 * What a gallery needs to lay out all that a person may see, newest first, with a cursor at the first of every page.
 * @param parts those of the same view before, of the size `size`; filled up here
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

/** A quarter of an hour may end in the next part. */
function addTimes(times: LibraryLayout["times"], more: LibraryLayout["times"]): void {
  for (const { at, count } of more) {
    const last = times.at(-1);
    if (last?.at === at) last.count += count;
    else times.push({ at, count });
  }
}
