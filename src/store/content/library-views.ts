import type { Asset, ModelRef, RunState } from "#contract/entities.ts";
import {
  type AssetAspect,
  type AssetGroup,
  type AssetRange,
  assetRanges,
  type NumberRange,
  parseRange,
  type TagMatch,
} from "#contract/filters/asset-filters.ts";
import type { Task } from "#contract/tasks.ts";
import {
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
/** By a number of each, or in the order of a collection. */
type LibrarySort =
  | { by: AssetRange; order: "asc" | "desc" }
  | { by: "position"; collectionId: string };

/** What of a library is asked for, apart from words: those are not in its columns. */
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
  /** As `parseRange` reads them. */
  ranges?: Partial<Record<AssetRange, string>> | undefined;
  /** Newest first unless given. */
  sort?: LibrarySort | undefined;
  group?: AssetGroup | undefined;
  /** The hash of a picture, to which the others are similar; the most similar come first unless they are sorted. */
  similarTo?: string | undefined;
  trash: boolean;
};

/** As `layoutAssets` answers. */
export type LibraryLayout = {
  count: number;
  ratios: string;
  times: { at: number; count: number }[];
  groups: { count: number; model: ModelRef | null }[];
  cursors: string[];
};
export type LibraryCounts = { all: number; kept: number; uploads: number; trash: number };

/** A day of each time zone begins with one. */
export const quarterMs = 15 * 60_000;

/** Counts what a person may see. */
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

/** The models that made what a person sees outside of the trash, most first. */
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

/** Of a place in `names` that `models` has. */
export function modelAt({ names: known }: LibraryColumns, place: number): ModelRef {
  const name = known[place]!;
  const end = name.indexOf(" ");
  return { connectionId: name.slice(0, end), modelId: name.slice(end + 1) };
}

/** The value of an asset in a range's column, or `unknown`. */
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

/** So many of 64 bits may be different: beyond ten or so Krawetz calls two pictures different, and unrelated ones are 32 apart. */
const similarMost = 12;
/** Of what has no hash. */
const farthest = 64;

/** In how many bits the hash of each place is another one than this. */
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

/** Of 32 bits, as in "Hacker's Delight". */
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

/** What a place has to pass beside its bits of `facts` and its author. */
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
      // Without both sides a ratio is only what a gallery draws.
      (place) => columns.pixels[place] !== unknown && aspectOf(columns.ratios[place]!) === aspect,
    );
  if (view.similarTo !== undefined) {
    const distanceAt = distancesTo(columns, view.similarTo);
    tests.push((place) => distanceAt(place) <= similarMost);
  }
  if (used !== undefined) {
    const seen = seenUses(columns, viewer);
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

/** The places in `names` of sets that have all of these tags or collections, or one of them. */
function setsWith(columns: LibraryColumns, { ids, match }: Labels): Set<number> {
  const sets = [...listLabelSets(columns)].filter(([, of]) =>
    match === "all" ? ids.every((id) => of.includes(id)) : ids.some((id) => of.includes(id)),
  );
  return new Set(sets.map(([place]) => place));
}

/** Whether a person may see what is at a place, in the trash or not. */
export function isSeenBy({ facts, authors }: LibraryColumns, viewer: number, place: number) {
  const author = authors[place]!;
  return (facts[place]! & deleted) === 0 && (author === 0 || author === viewer);
}

/**
 * Of a tag, or a collection, its assets outside of the trash, and the newest of them. One that only trashed assets have is
 * there with 0.
 */
export type LabelCounts = ReadonlyMap<string, { count: number; newestId: string | null }>;

/** Of those that a person may know: one that only other people's own assets have is not there. */
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

/** The same of some places, which somebody sees. */
export function countLabelsAt(columns: LibraryColumns, places: Iterable<number>): LabelCounts {
  const bySet = new Map<number, Count>();
  for (const place of places) {
    const set = columns.labels[place]!;
    if (set !== 0) addTo(bySet, set, { count: 1, newest: place });
  }
  return sumSets(columns, bySet);
}

/** `newest` is a place, and -1 before there is one. */
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

/** The places in `names` of uses by runs that this person sees. */
function seenUses({ names: known }: LibraryColumns, viewer: number): Set<number> {
  const everyone = names.uses([]);
  const own = viewer < 0 ? undefined : known[viewer];
  return new Set(
    known.flatMap((name, place) => {
      if (name === everyone) return place;
      const isOwn = own !== undefined && name.startsWith(`${everyone} `);
      return isOwn && name.split(" ").includes(own) ? place : [];
    }),
  );
}

/** Whether a person may see an asset and a view asks for it. */
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
