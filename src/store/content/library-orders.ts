import type { AssetRange, AssetSort } from "#contract/filters/asset-filters.ts";
import { fromCursor, toCursor } from "../database/cursor.ts";
import {
  countUses,
  findPlace,
  findPlaces,
  idAt,
  kindOf,
  type LibraryColumns,
  markOf,
  names,
  placeOfName,
  taskOf,
  unknown,
} from "./library-columns.ts";
import {
  distancesTo,
  type LibraryLayout,
  type LibraryView,
  matcherOf,
  modelAt,
  quarterMs,
  valuesOf,
} from "./library-views.ts";

/** Inputs of an order that aren't in the columns. */
export type OrderFacts = {
  /** For each index, whether it has the searched words. */
  marks?: Uint8Array | undefined;
  /** The ids of a collection in order. */
  items?: readonly string[] | undefined;
  /** The number of each index's title. */
  titles?: Uint32Array | undefined;
  /** The ids of the people or connections that the view is sorted by, in the order of their names. */
  named?: readonly string[] | undefined;
};

/** Returns the indexes of all visible assets that match a view, in the view's order. */
export function orderColumns(
  columns: LibraryColumns,
  viewer: number,
  view: LibraryView,
  facts: OrderFacts = {},
): Uint32Array {
  const { marks, items } = facts;
  const { count } = columns;
  const isShown = matcherOf(columns, viewer, view);
  if (items) {
    const found = findPlaces(columns, items);
    const shown = found.filter((place) => marks?.[place] !== 0 && isShown(place));
    return groupPlaces(columns, Uint32Array.from(shown), view);
  }
  const places = new Uint32Array(count);
  let found = 0;
  for (let place = count - 1; place >= 0; place -= 1) {
    if (marks && marks[place] === 0) continue;
    if (!isShown(place)) continue;
    places[found] = place;
    found += 1;
  }
  return groupPlaces(
    columns,
    sortPlaces(columns, viewer, places.slice(0, found), view, facts),
    view,
  );
}

const groupsOf = (columns: LibraryColumns, { group }: LibraryView) =>
  group && { batch: columns.batches, model: columns.models }[group];

/** Groups the indexes, each group at its first member, and keeps their order within it. */
function groupPlaces(columns: LibraryColumns, order: Uint32Array, view: LibraryView): Uint32Array {
  const groups = groupsOf(columns, view);
  if (!groups) return order;
  const byGroup = new Map<number, number[]>();
  for (const place of order) {
    const group = groups[place]!;
    const places = byGroup.get(group);
    if (places) places.push(place);
    else byGroup.set(group, [place]);
  }
  const grouped = new Uint32Array(order.length);
  let filled = 0;
  for (const places of byGroup.values()) {
    grouped.set(places, filled);
    filled += places.length;
  }
  return grouped;
}

/** Counts consecutive assets of the same group. */
function cutGroups(
  columns: LibraryColumns,
  order: Uint32Array,
  view: LibraryView,
): LibraryLayout["groups"] {
  const groups = groupsOf(columns, view);
  const cut: LibraryLayout["groups"] = [];
  if (!groups) return cut;
  let before: number | undefined;
  for (const place of order) {
    const group = groups[place]!;
    if (group !== before) {
      const isModel = view.group === "model" && group !== 0;
      cut.push({ count: 0, model: isModel ? modelAt(columns, group) : null });
      before = group;
    }
    cut.at(-1)!.count += 1;
  }
  return cut;
}

/** The sorts by a value that isn't a number of the asset. */
const rankedSorts: Record<
  Exclude<AssetSort, AssetRange>,
  (columns: LibraryColumns, facts: OrderFacts, viewer: number) => (place: number) => number
> = {
  title:
    (_columns, { titles }) =>
    (place) =>
      titles?.[place] ?? unknown,
  person: (columns, facts) => rankNamed(columns, columns.makers, names.maker, facts),
  kind:
    ({ facts }) =>
    (place) =>
      kindOf(facts[place]!),
  task:
    ({ facts }) =>
    (place) =>
      taskOf(facts[place]!),
  model: rankModels,
  connection: (columns, facts) => rankNamed(columns, columns.connections, names.connection, facts),
  aspect:
    ({ pixels, ratios }) =>
    (place) =>
      pixels[place] === unknown ? unknown : ratios[place]!,
  pick:
    ({ facts }) =>
    (place) =>
      markOf(facts[place]!),
  used(columns, _facts, viewer) {
    const counts = countUses(columns, viewer);
    return (place) => counts.get(columns.uses[place]!) ?? 0;
  },
};
/** Whether other assets change the number of an asset's value. */
const isNumbered = ({ sort }: LibraryView): boolean =>
  sort !== undefined && ["title", "person", "model", "connection"].includes(sort.by);

function rankNamed(
  columns: LibraryColumns,
  column: Uint32Array,
  nameOf: (id: string) => string,
  { named = [] }: OrderFacts,
) {
  const ranks = new Map(named.map((id, rank) => [placeOfName(columns, nameOf(id)), rank]));
  return (place: number) => ranks.get(column[place]!) ?? unknown;
}

/** Numbers the models of a library by their ids. A new model renumbers those after it. */
function rankModels(columns: LibraryColumns): (place: number) => number {
  const { count, models } = columns;
  const known = [...new Set(models.subarray(0, count))].filter((model) => model !== 0);
  const named = known.map((model) => {
    const { connectionId, modelId } = modelAt(columns, model);
    return { model, name: `${modelId} ${connectionId}` };
  });
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const ranks = new Map(named.map(({ model }, rank) => [model, rank]));
  return (place) => ranks.get(models[place]!) ?? unknown;
}

/** Returns the sort key by index, largest first. Only keys of `isNumbered` depend on other assets. */
function sortKeys(
  columns: LibraryColumns,
  viewer: number,
  { sort, similarTo }: LibraryView,
  facts: OrderFacts = {},
): (place: number) => number {
  if (!sort && similarTo !== undefined) {
    const distanceAt = distancesTo(columns, similarTo);
    return (place) => 64 - distanceAt(place);
  }
  // Ids are in creation order.
  if (!sort || sort.by === "createdAt" || sort.by === "position") return () => 0;
  const valueAt = { ...valuesOf, ...rankedSorts }[sort.by](columns, facts, viewer);
  return sort.order === "desc"
    ? (place) => (valueAt(place) === unknown ? 0 : valueAt(place) + 1)
    : (place) => unknown - valueAt(place);
}

const isByTime = ({ sort, similarTo }: LibraryView): boolean =>
  sort ? sort.by === "createdAt" : similarTo === undefined;
const isOldestFirst = ({ sort }: LibraryView): boolean =>
  sort?.by === "createdAt" && sort.order === "asc";
/** Whether an asset's position depends on other assets too. Then a cursor contains the position. */
const isByPosition = ({ sort, group }: LibraryView): boolean =>
  sort?.by === "position" || group !== undefined;

function sortPlaces(
  columns: LibraryColumns,
  viewer: number,
  places: Uint32Array,
  view: LibraryView,
  facts: OrderFacts,
): Uint32Array {
  if (isOldestFirst(view)) return places.reverse();
  if (isByTime(view)) return places;
  const keyOf = sortKeys(columns, viewer, view, facts);
  // Packs key and index into one number: sorting numbers is ten times as fast as sorting with a
  // function.
  const { count } = columns;
  const packed = Float64Array.from(places, (place) => keyOf(place) * count + place)
    .sort()
    .reverse();
  return Uint32Array.from(packed, (value) => value % count);
}

/** Whether one index comes before another in the order of `sortPlaces`. */
function precedes(
  columns: LibraryColumns,
  viewer: number,
  view: LibraryView,
): (a: number, b: number) => boolean {
  if (isOldestFirst(view)) return (a, b) => a < b;
  const keyOf = sortKeys(columns, viewer, view);
  return (a, b) => {
    const [of, others] = [keyOf(a), keyOf(b)];
    return of === others ? a > b : of > others;
  };
}

/**
 * Returns the order that `orderColumns` would, by updating the previous one: only changed assets
 * are checked and placed.
 * @param view one that needs no `OrderFacts`, and without groups, because a new asset may move a
 *   whole group
 * @param touched the indexes of all assets changed or added since; none of the others may have
 *   moved
 */
export function renewOrder(
  columns: LibraryColumns,
  viewer: number,
  view: LibraryView,
  before: Uint32Array,
  touched: ReadonlySet<number>,
): Uint32Array {
  const marks = new Uint8Array(columns.count);
  for (const place of touched) marks[place] = 1;
  // A changed value no longer leads to the asset's old position.
  const rest = withoutMarked(before, marks);
  const isBefore = precedes(columns, viewer, view);
  const coming = [...touched]
    .filter(matcherOf(columns, viewer, view))
    .sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const renewed = new Uint32Array(rest.length + coming.length);
  let from = 0;
  for (const [i, place] of coming.entries()) {
    let [low, high] = [from, rest.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(rest[middle]!, place)) low = middle + 1;
      else high = middle;
    }
    renewed.set(rest.subarray(from, low), from + i);
    renewed[low + i] = place;
    from = low;
  }
  renewed.set(rest.subarray(from), from + coming.length);
  return renewed;
}

/**
 * `filter` calls a function for each element: for 100,000 that took longer than everything else
 * here.
 */
function withoutMarked(places: Uint32Array, marks: Uint8Array): Uint32Array {
  const rest = new Uint32Array(places.length);
  let count = 0;
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i]!;
    if (marks[place] !== 0) continue;
    rest[count] = place;
    count += 1;
  }
  return rest.subarray(0, count);
}

/** Lays out indexes in order for the gallery, with the cursor of every page. */
export function layOutOrder(
  columns: LibraryColumns,
  viewer: number,
  order: Uint32Array,
  view: LibraryView,
  pageSize: number,
  facts: OrderFacts = {},
): LibraryLayout {
  const ratios = new Uint16Array(order.length);
  const times: LibraryLayout["times"] = [];
  const hasDays = !view.group && isByTime(view);
  let quarter = -1;
  for (const [i, place] of order.entries()) {
    ratios[i] = columns.ratios[place]!;
    if (!hasDays) continue;
    const of = Math.floor(columns.times[place]! / quarterMs);
    if (of !== quarter) {
      quarter = of;
      times.push({ at: quarter * quarterMs, count: 0 });
    }
    times.at(-1)!.count += 1;
  }
  const keyOf = sortKeys(columns, viewer, view, facts);
  const pages = Array.from({ length: Math.ceil(order.length / pageSize) }, (_, page) => page);
  return {
    count: order.length,
    ratios: Buffer.from(ratios.buffer).toString("base64"),
    times,
    groups: cutGroups(columns, order, view),
    cursors: pages.map((page) => cursorAt(columns, order, view, page * pageSize, keyOf)),
  };
}

const cursorAt = (
  columns: LibraryColumns,
  order: Uint32Array,
  view: LibraryView,
  at: number,
  keyOf: (place: number) => number,
): string => {
  const place = order[at]!;
  const id = idAt(columns, place);
  if (isByPosition(view)) return toCursor([at, id]);
  return toCursor(isPlain(view) ? [id] : [keyOf(place), id]);
};

/** Whether `listAssets` has the view's order and cursors from its indexes. */
const isPlain = (view: LibraryView): boolean =>
  !view.group && isByTime(view) && !isOldestFirst(view);

/** Returns a page of an order, from a cursor whose asset may be gone. */
export function pageColumns(
  columns: LibraryColumns,
  viewer: number,
  order: Uint32Array,
  view: LibraryView,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  facts: OrderFacts = {},
): { ids: string[]; next: string | null } {
  const keyOf = sortKeys(columns, viewer, view, facts);
  const from = cursor === undefined ? 0 : findCursor(columns, order, view, cursor, keyOf);
  const after = from + limit;
  return {
    ids: Array.from(order.subarray(from, from + limit), (place) => idAt(columns, place)),
    next: after < order.length ? cursorAt(columns, order, view, after, keyOf) : null,
  };
}

function findCursor(
  columns: LibraryColumns,
  order: Uint32Array,
  view: LibraryView,
  cursor: string,
  keyOf: (place: number) => number,
): number {
  const [asked, id] = isPlain(view)
    ? [0, fromCursor(cursor, ["string"])[0] as string]
    : (fromCursor(cursor, ["number", "string"]) as [number, string]);
  const place = findPlace(columns, id);
  const isThere = place < columns.count && idAt(columns, place) === id;
  // An asset that moved in its collection continues from its new position, a removed one from its
  // old position.
  if (isByPosition(view)) {
    const at = isThere ? order.indexOf(place) : -1;
    return at < 0 ? Math.max(0, Math.min(asked, order.length)) : at;
  }
  // A value that changed since doesn't move the page, but its new number does. A deleted asset has
  // none.
  const key = (isThere && isNumbered(view) && keyOf(place)) || asked;
  const isBefore = isOldestFirst(view)
    ? (other: number) => other < place
    : (other: number) => {
        const others = keyOf(other);
        return others === key ? (isThere ? other > place : other >= place) : others > key;
      };
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(order[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
