import type { Asset, ModelRef, RunState } from "#contract/entities.ts";
import {
  type AssetAspect,
  type AssetGroup,
  type AssetRange,
  type AssetSort,
  assetRanges,
  type NumberRange,
  parseRange,
  type TagMatch,
} from "#contract/filters/asset-filters.ts";
import type { Task } from "#contract/tasks.ts";
import {
  countUses,
  deleted,
  factsOf,
  halvesOf,
  idAt,
  isKept,
  type LibraryColumns,
  listLabelSets,
  names,
  placeOfName,
  ratingOf,
  trashed,
  unknown,
  uploaded,
} from "./library-columns.ts";

type Labels = { ids: readonly string[]; match: TagMatch };
/** By a value of each asset, or by a collection's order. */
type LibrarySort =
  | { by: AssetSort; order: "asc" | "desc" }
  | { by: "position"; collectionId: string };

/** A filter on a library, except for words, which aren't in its columns. */
export type LibraryView = {
  kind?: Asset["kind"] | undefined;
  pick?: Asset["pick"] | undefined;
  source?: "made" | "uploaded" | undefined;
  connectionId?: string | undefined;
  modelId?: string | undefined;
  task?: Task | undefined;
  state?: RunState | undefined;
  createdBy?: string | undefined;
  aspect?: AssetAspect | undefined;
  used?: boolean | undefined;
  tags?: Labels | undefined;
  collection?: Labels | undefined;
  /** In the format of `parseRange`. */
  ranges?: Partial<Record<AssetRange, string>> | undefined;
  /** Newest first by default. */
  sort?: LibrarySort | undefined;
  group?: AssetGroup | undefined;
  /**
   * The hash of a picture to find similar ones of. The most similar come first, unless another sort
   * is set.
   */
  similarTo?: string | undefined;
  trash: boolean;
};

/** The response of `layoutAssets`. */
export type LibraryLayout = {
  count: number;
  ratios: string;
  times: { at: number; count: number }[];
  groups: { count: number; model: ModelRef | null }[];
  cursors: string[];
};
export type LibraryCounts = { all: number; kept: number; uploads: number; trash: number };

/** Every time zone's days start at a multiple of it. */
export const quarterMs = 15 * 60_000;

/** Counts the assets a person may see. */
export function countColumns(columns: LibraryColumns, viewer: number): LibraryCounts {
  const { count, facts, authors } = columns;
  const counts = { all: 0, kept: 0, uploads: 0, trash: 0 };
  for (let place = 0; place < count; place += 1) {
    const author = authors[place]!;
    if (author !== 0 && author !== viewer) continue;
    const packed = facts[place]!;
    if (packed & deleted) continue;
    if (packed & trashed) counts.trash += 1;
    else {
      counts.all += 1;
      if (isKept(packed)) counts.kept += 1;
      if (packed & uploaded) counts.uploads += 1;
    }
  }
  return counts;
}

/** Counts the assets outside of the trash that a person sees by model, largest count first. */
export function countModels(
  columns: LibraryColumns,
  viewer: number,
): (ModelRef & { count: number })[] {
  const { count, facts, models } = columns;
  const byModel = new Map<number, number>();
  for (let place = 0; place < count; place += 1) {
    const model = models[place]!;
    if (model === 0 || facts[place]! & trashed || !isSeenBy(columns, viewer, place)) continue;
    byModel.set(model, (byModel.get(model) ?? 0) + 1);
  }
  return [...byModel]
    .map(([model, of]) => ({ ...modelAt(columns, model), count: of }))
    .sort((a, b) => b.count - a.count);
}

/** Parses the entry of `names` that an index in `models` refers to. */
export function modelAt({ names: known }: LibraryColumns, place: number): ModelRef {
  const name = known[place]!;
  const end = name.indexOf(" ");
  return { connectionId: name.slice(0, end), modelId: name.slice(end + 1) };
}

/** Returns an asset's value in a range's column, or `unknown`. */
export const valuesOf: Record<AssetRange, (columns: LibraryColumns) => (place: number) => number> =
  {
    createdAt:
      ({ times }) =>
      (place) =>
        times[place]!,
    rating:
      ({ facts }) =>
      (place) =>
        ratingOf(facts[place]!),
    costMicros:
      ({ costs }) =>
      (place) =>
        costs[place]!,
    bytes:
      ({ bytes }) =>
      (place) =>
        bytes[place]!,
    pixels:
      ({ pixels }) =>
      (place) =>
        pixels[place]!,
    durationMs:
      ({ durations }) =>
      (place) =>
        durations[place]!,
  };

/**
 * The most bits of 64 that may differ. Krawetz considers pictures with more than about ten
 * different, and unrelated ones differ in 32.
 */
const maxSimilar = 12;
/** The distance of an asset without a hash. */
const farthest = 64;

/** Lists the people or connections with assets in a library, visible or not. */
export const listNamed = (
  { names: known }: LibraryColumns,
  nameOf: (id: string) => string,
): string[] => {
  const begins = nameOf("");
  return known.flatMap((name) => (name.startsWith(begins) ? name.slice(begins.length) : []));
};

/** Returns the number of bits in which an index's hash differs from this one. */
export function distancesTo(
  { hashes, hashTails }: LibraryColumns,
  hash: string,
): (place: number) => number {
  const [head, tail] = halvesOf(hash);
  return (place) => {
    const [of, end] = [hashes[place]!, hashTails[place]!];
    if (of === 0 && end === 0) return farthest;
    return countBits(of ^ head) + countBits(end ^ tail);
  };
}

/** Counts the bits of a 32-bit number, as in "Hacker's Delight". */
function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x5555_5555);
  count = (count & 0x3333_3333) + ((count >>> 2) & 0x3333_3333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

type Test = (place: number) => boolean;

const testRange = (
  valueAt: (place: number) => number,
  isTime: boolean,
  range: NumberRange,
): Test => {
  const { from = 0, to = Number.POSITIVE_INFINITY } = range;
  return (place) => {
    const value = valueAt(place);
    return value >= from && value <= to && (isTime || value !== unknown);
  };
};

const aspectOf = (ratio: number): AssetAspect =>
  ratio > 1_050 ? "landscape" : ratio < 953 ? "portrait" : "square";

/** Returns the view's tests besides the `facts` bits and the author. */
function testsOf(columns: LibraryColumns, viewer: number, view: LibraryView): Test[] {
  const tests: Test[] = [];
  const equals = (column: Uint32Array, name: string) => {
    const wanted = placeOfName(columns, name);
    tests.push((place) => column[place] === wanted);
  };
  const { connectionId, modelId, createdBy, aspect, used } = view;
  if (connectionId !== undefined && modelId !== undefined)
    equals(columns.models, names.model(connectionId, modelId));
  else if (connectionId !== undefined) equals(columns.connections, names.connection(connectionId));
  if (createdBy !== undefined) equals(columns.makers, names.maker(createdBy));
  if (aspect !== undefined)
    tests.push(
      // If a side is unknown, the ratio is only a default for drawing.
      (place) => columns.pixels[place] !== unknown && aspectOf(columns.ratios[place]!) === aspect,
    );
  if (view.similarTo !== undefined) {
    const distanceAt = distancesTo(columns, view.similarTo);
    tests.push((place) => distanceAt(place) <= maxSimilar);
  }
  if (used !== undefined) {
    const seen = countUses(columns, viewer);
    tests.push((place) => seen.has(columns.uses[place]!) === used);
  }
  for (const wanted of [view.tags, view.collection]) {
    if (!wanted) continue;
    const sets = setsWith(columns, wanted);
    tests.push((place) => sets.has(columns.labels[place]!));
  }
  for (const field of assetRanges) {
    const range = parseRange(view.ranges?.[field]);
    if (range) tests.push(testRange(valuesOf[field](columns), field === "createdAt", range));
  }
  return tests;
}

/**
 * Returns the indexes in `names` of the sets with all of these tags or collections, or with any of
 * them.
 */
function setsWith(columns: LibraryColumns, { ids, match }: Labels): Set<number> {
  const sets = [...listLabelSets(columns)].filter(([, of]) =>
    match === "all" ? ids.every((id) => of.includes(id)) : ids.some((id) => of.includes(id)),
  );
  return new Set(sets.map(([place]) => place));
}

/** Whether a person may see the asset at an index, trashed or not. */
export function isSeenBy({ facts, authors }: LibraryColumns, viewer: number, place: number) {
  const author = authors[place]!;
  return (facts[place]! & deleted) === 0 && (author === 0 || author === viewer);
}

/**
 * For each tag or collection, the number of its assets outside of the trash and the newest one.
 * With only trashed assets, it has the count 0.
 */
export type LabelCounts = ReadonlyMap<string, { count: number; newestId: string | null }>;

/**
 * Counts the labels a person may know. A label that only other people's private assets have is left
 * out.
 */
export function countLabels(columns: LibraryColumns, viewer: number): LabelCounts {
  const { count, facts, labels } = columns;
  const bySet = new Map<number, Count>();
  for (let place = 0; place < count; place += 1) {
    const set = labels[place]!;
    if (set === 0 || !isSeenBy(columns, viewer, place)) continue;
    addTo(
      bySet,
      set,
      facts[place]! & trashed ? { count: 0, newest: -1 } : { count: 1, newest: place },
    );
  }
  return sumSets(columns, bySet);
}

/** Like `countLabels`, for these indexes, all of which the viewer sees. */
export function countLabelsAt(columns: LibraryColumns, places: Iterable<number>): LabelCounts {
  const bySet = new Map<number, Count>();
  for (const place of places) {
    const set = columns.labels[place]!;
    if (set !== 0) addTo(bySet, set, { count: 1, newest: place });
  }
  return sumSets(columns, bySet);
}

/** `newest` is an index, or -1 when there is none. */
type Count = { count: number; newest: number };

function addTo<Key>(counts: Map<Key, Count>, key: Key, more: Count): void {
  const before = counts.get(key);
  if (before) {
    before.count += more.count;
    before.newest = Math.max(before.newest, more.newest);
  } else counts.set(key, { ...more });
}

function sumSets(columns: LibraryColumns, bySet: ReadonlyMap<number, Count>): LabelCounts {
  const sets = listLabelSets(columns);
  const counts = new Map<string, Count>();
  for (const [set, more] of bySet) for (const id of sets.get(set) ?? []) addTo(counts, id, more);
  return new Map(
    [...counts].map(([id, { count, newest }]) => [
      id,
      { count, newestId: newest < 0 ? null : idAt(columns, newest) },
    ]),
  );
}

/** Tests whether a person may see an asset and the view includes it. */
export function matcherOf(columns: LibraryColumns, viewer: number, view: LibraryView): Test {
  const { facts, authors } = columns;
  const { mask, value } = factsOf(view);
  const tests = testsOf(columns, viewer, view);
  return (place) => {
    if ((facts[place]! & mask) !== value) return false;
    const author = authors[place]!;
    if (author !== 0 && author !== viewer) return false;
    return tests.every((test) => test(place));
  };
}
