import type { Asset } from "#contract/entities.ts";
import { assetKinds, picks, type RunState, runStates } from "#contract/entities.ts";
import { type Task, taskNames } from "#contract/tasks.ts";

/** The facts that a library's counts and layout are computed from. */
export type LibraryRow = {
  id: string;
  run_id: string | null;
  visibility: "author" | "project";
  created_by: string;
  connection_id: string | null;
  model_id: string | null;
  kind: string;
  pick: Asset["pick"];
  rating: number;
  upload_id: string | null;
  trashed_at: number | null;
  width: number | null;
  height: number | null;
  bytes: number;
  duration_ms: number | null;
  phash: string | null;
  created_at: number;
  /** Facts of its run. */
  task: string | null;
  cost_micros: number | null;
  state: string | null;
  batch_id: string | null;
  /**
   * One entry per run that used the asset as input: the only person who sees that run, or null for
   * everyone.
   */
  usedBy: (string | null)[];
  /** Ids of its tags and collections. */
  labels: string[];
};

/**
 * All assets of a project by ascending id, stored as columns: 100,000 take 11 MB, and are counted or
 * laid out in a few milliseconds. They can be passed between threads without copying. A column may
 * have spare room after its last asset.
 */
export type LibraryColumns = {
  count: number;
  /** `idLength` bytes of ASCII each, padded with zeros. */
  ids: Uint8Array;
  /**
   * Kind, pick, rating, task and state, and whether the asset was uploaded, trashed or deleted
   * (`packFacts`).
   */
  facts: Uint32Array;
  /** Width divided by height, in thousandths; 1,000 when unknown. */
  ratios: Uint16Array;
  /** Unix time in ms. */
  times: Float64Array;
  /** `unknown` when there is no value. */
  costs: Uint32Array;
  bytes: Uint32Array;
  pixels: Uint32Array;
  durations: Uint32Array;
  /**
   * Indexes into `names`. 0 means, by column: visible to everyone, made by no model, used by no
   * run, or without collection and tag.
   */
  authors: Uint32Array;
  makers: Uint32Array;
  connections: Uint32Array;
  models: Uint32Array;
  uses: Uint32Array;
  labels: Uint32Array;
  /** Hash of its batch, or else its run (`batchOf`); 0 when it has neither. */
  batches: Float64Array;
  /** Both halves of the similarity hash; 0 and 0 when there is none. */
  hashes: Uint32Array;
  hashTails: Uint32Array;
  names: string[];
};

/** Marks a number that the asset doesn't have, such as the duration of a picture. */
export const unknown = 0xffff_ffff;
const toNumber = (value: number | null): number =>
  value === null ? unknown : Math.min(unknown - 1, Math.max(0, value));

const idLength = 36;
const maxRatio = 65_535;

const pickShift = 3;
const ratingShift = 5;
const taskShift = 8;
export const uploaded = 1 << 16;
export const trashed = 1 << 17;
/** A deleted asset keeps its index, because moving all later assets costs more. */
export const deleted = 1 << 18;
const stateShift = 19;
const bits = { kind: 7, pick: 3 << pickShift, task: 255 << taskShift, state: 15 << stateShift };

const packFacts = (row: LibraryRow): number =>
  assetKinds.indexOf(row.kind as Asset["kind"]) |
  (picks.indexOf(row.pick) << pickShift) |
  (row.rating << ratingShift) |
  // 0 for assets without a run.
  ((taskNames.indexOf(row.task as Task) + 1) << taskShift) |
  ((runStates.indexOf(row.state as RunState) + 1) << stateShift) |
  (row.upload_id === null ? 0 : uploaded) |
  (row.trashed_at === null ? 0 : trashed);

/** Returns the index of the kind in `assetKinds`. */
export const kindOf = (facts: number): number => facts & bits.kind;
/** Returns the index of the task in `taskNames`, or `unknown`. */
export const taskOf = (facts: number): number =>
  facts & bits.task ? ((facts & bits.task) >> taskShift) - 1 : unknown;
const pickOrder = (["rejected", "none", "kept"] as const).map((pick) => picks.indexOf(pick));
/** Returns 0 for a rejected asset, 1 for one without a mark, and 2 for a kept one. */
export const markOf = (facts: number): number =>
  pickOrder.indexOf((facts & bits.pick) >> pickShift);
export const ratingOf = (facts: number): number => (facts >> ratingShift) & 7;
export const isKept = (facts: number): boolean =>
  (facts & bits.pick) === picks.indexOf("kept") << pickShift;

/** Returns the bits of `facts` that a view checks, and their required values. */
export function factsOf(view: {
  kind?: Asset["kind"] | undefined;
  pick?: Asset["pick"] | undefined;
  task?: Task | undefined;
  state?: RunState | undefined;
  source?: "made" | "uploaded" | undefined;
  trash: boolean;
}): { mask: number; value: number } {
  let mask = trashed | deleted;
  let value = view.trash ? trashed : 0;
  if (view.kind) {
    mask |= bits.kind;
    value |= assetKinds.indexOf(view.kind);
  }
  if (view.pick) {
    mask |= bits.pick;
    value |= picks.indexOf(view.pick) << pickShift;
  }
  if (view.task) {
    mask |= bits.task;
    value |= (taskNames.indexOf(view.task) + 1) << taskShift;
  }
  if (view.state) {
    mask |= bits.state;
    value |= (runStates.indexOf(view.state) + 1) << stateShift;
  }
  if (view.source) {
    mask |= uploaded;
    value |= view.source === "uploaded" ? uploaded : 0;
  }
  return { mask, value };
}

const usedBy = "used by";
/**
 * How each kind of entry is written in `names`. Spaces separate the parts, because no id contains
 * one.
 */
export const names = {
  author: (userId: string) => userId,
  maker: (userId: string) => `by ${userId}`,
  connection: (connectionId: string) => `through ${connectionId}`,
  model: (connectionId: string, modelId: string) => `${connectionId} ${modelId}`,
  /** The number of runs that everyone sees, and for each person the number of private ones. */
  uses: (everyone: number, people: readonly (readonly [userId: string, runs: number])[]) =>
    [usedBy, everyone, ...people.map((one) => one.join(":"))].join(" "),
  /** All tags and collections of an asset in one entry: few combinations differ. */
  labels: (ids: readonly string[]) => ["labelled", ...ids].join(" "),
};

/**
 * Returns the number of runs that used an asset and that a person sees, by index in `names`. Uses
 * without such a run are left out.
 */
export function countUses({ names: known }: LibraryColumns, viewer: number): Map<number, number> {
  const own = viewer < 0 ? undefined : `${known[viewer]}:`;
  const counts = new Map<number, number>();
  for (const [index, name] of known.entries()) {
    if (!name.startsWith(`${usedBy} `)) continue;
    const [everyone, ...people] = name.slice(usedBy.length + 1).split(" ");
    const mine = own && people.find((one) => one.startsWith(own))?.slice(own.length);
    const count = Number(everyone) + Number(mine ?? 0);
    if (count > 0) counts.set(index, count);
  }
  return counts;
}

/** Returns the sets of tags and collections in `names`, by index. */
export function listLabelSets({ names: known }: LibraryColumns): Map<number, string[]> {
  const begins = `${names.labels([])} `;
  return new Map(
    known.flatMap((name, index) =>
      name.startsWith(begins) ? [[index, name.slice(begins.length).split(" ")] as const] : [],
    ),
  );
}

const ratioOf = ({ width, height }: LibraryRow): number =>
  width && height ? Math.min(maxRatio, Math.max(1, Math.round((width / height) * 1_000))) : 1_000;

/** Builds the columns of a library from its assets. */
export function toColumns(rows: readonly LibraryRow[]): LibraryColumns {
  const columns: LibraryColumns = {
    count: 0,
    ids: new Uint8Array(0),
    facts: new Uint32Array(0),
    ratios: new Uint16Array(0),
    times: new Float64Array(0),
    costs: new Uint32Array(0),
    bytes: new Uint32Array(0),
    pixels: new Uint32Array(0),
    durations: new Uint32Array(0),
    authors: new Uint32Array(0),
    makers: new Uint32Array(0),
    connections: new Uint32Array(0),
    models: new Uint32Array(0),
    uses: new Uint32Array(0),
    labels: new Uint32Array(0),
    batches: new Float64Array(0),
    hashes: new Uint32Array(0),
    hashTails: new Uint32Array(0),
    names: [""],
  };
  reserve(columns, rows.length);
  const write = rowWriter(columns);
  for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    writeId(columns, columns.count, row.id);
    write(columns.count, row);
    columns.count += 1;
  }
  return columns;
}

/**
 * Updates the columns with the current state of some assets.
 * @param changed their ids, without duplicates
 * @param rows those of them that still exist
 * @returns the indexes of assets that were already present, and the first index where one was
 *   inserted, from which all have moved
 */
export function updateColumns(
  columns: LibraryColumns,
  changed: readonly string[],
  rows: readonly LibraryRow[],
): { places: number[]; movedFrom: number } {
  const places: number[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const isThere = (id: string, place: number): boolean =>
    place < columns.count && idAt(columns, place) === id;
  const sorted = changed.toSorted();
  const added = sorted.filter((id) => byId.has(id) && !isThere(id, findPlace(columns, id)));
  const movedFrom = makeRoom(columns, added);
  const isAdded = new Set(added);
  const write = rowWriter(columns);
  for (const id of sorted) {
    const place = findPlace(columns, id);
    const row = byId.get(id);
    if (row) write(place, row);
    else if (isThere(id, place)) columns.facts[place]! |= deleted;
    else continue;
    if (!isAdded.has(id)) places.push(place);
  }
  return { places, movedFrom };
}

/** Returns a function that writes all columns except the id. */
function rowWriter(columns: LibraryColumns): (place: number, row: LibraryRow) => void {
  const placeOf = new Map(columns.names.map((name, index) => [name, index]));
  const placed = (name: string): number => {
    const known = placeOf.get(name);
    if (known !== undefined) return known;
    placeOf.set(name, columns.names.length);
    return columns.names.push(name) - 1;
  };
  return (place, row) => {
    const { connection_id: connectionId, model_id: modelId, width, height } = row;
    columns.facts[place] = packFacts(row);
    columns.ratios[place] = ratioOf(row);
    columns.times[place] = row.created_at;
    columns.costs[place] = toNumber(row.cost_micros);
    columns.bytes[place] = toNumber(row.bytes);
    columns.pixels[place] = toNumber(width && height ? width * height : null);
    columns.durations[place] = toNumber(row.duration_ms);
    columns.authors[place] =
      row.visibility === "project" ? 0 : placed(names.author(row.created_by));
    columns.makers[place] = placed(names.maker(row.created_by));
    columns.connections[place] = connectionId === null ? 0 : placed(names.connection(connectionId));
    columns.models[place] =
      connectionId === null || modelId === null ? 0 : placed(names.model(connectionId, modelId));
    columns.uses[place] = placeOfUses(row.usedBy, placed);
    columns.labels[place] =
      row.labels.length === 0 ? 0 : placed(names.labels(row.labels.toSorted()));
    columns.batches[place] = batchOf(row);
    [columns.hashes[place], columns.hashTails[place]] = halvesOf(row.phash);
  };
}

/** Splits a hash of 16 hex digits into two numbers. */
export const halvesOf = (hash: string | null): [number, number] =>
  hash ? [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)] : [0, 0];

/**
 * Hashes the batch to a number. A library has tens of thousands of batches: as `names` they would
 * be half of all entries, and every query scans those. Colliding batches would only share a heading.
 */
function batchOf({ batch_id: batchId, run_id: runId }: LibraryRow): number {
  const id = batchId ?? runId;
  return id === null ? 0 : hashText(id);
}

/**
 * Uses 53 bits of cyrb53, which Bryc released into the public domain. Among a million texts, the
 * chance of a collision is one in twenty thousand.
 */
function hashText(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}

function placeOfUses(users: LibraryRow["usedBy"], placed: (name: string) => number): number {
  if (users.length === 0) return 0;
  const runs = new Map<string, number>();
  for (const user of users) if (user !== null) runs.set(user, (runs.get(user) ?? 0) + 1);
  // Gives each of them an entry, because their view of this library differs (viewerOf).
  for (const user of runs.keys()) placed(names.author(user));
  const everyone = users.filter((user) => user === null).length;
  return placed(names.uses(everyone, [...runs].sort()));
}

function writeId({ ids }: Pick<LibraryColumns, "ids">, place: number, id: string): void {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset + place * idLength, idLength);
  bytes.fill(0, bytes.write(id, "latin1"));
}

/**
 * Inserts ascending ids, nearly always at the end. Assets moved from another project are older than
 * most, and all of them together shift the later ones once.
 * @returns the first index where an id was inserted
 */
function makeRoom(columns: LibraryColumns, ids: readonly string[]): number {
  const places = ids.map((id) => findPlace(columns, id));
  const { count } = columns;
  const needed = count + ids.length;
  if (needed > columns.facts.length)
    reserve(columns, Math.max(needed, Math.ceil(count * 1.125) + 1_000));
  let end = count;
  for (let by = ids.length; by > 0; by -= 1) {
    const from = places[by - 1]!;
    columns.ids.copyWithin((from + by) * idLength, from * idLength, end * idLength);
    for (const name of numbers) columns[name].copyWithin(from + by, from, end);
    writeId(columns, from + by - 1, ids[by - 1]!);
    end = from;
  }
  columns.count = needed;
  return places[0] ?? Number.POSITIVE_INFINITY;
}

const numbers = [
  "facts",
  "ratios",
  "times",
  "costs",
  "bytes",
  "pixels",
  "durations",
  "authors",
  "makers",
  "connections",
  "models",
  "uses",
  "labels",
  "batches",
  "hashes",
  "hashTails",
] as const;

function reserve(columns: LibraryColumns, most: number): void {
  const grown = <Column extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
    column: Column,
    size: number,
  ): Column => {
    const larger = new (column.constructor as new (size: number) => Column)(size);
    larger.set(column);
    return larger;
  };
  const columnsOf: Record<string, unknown> = columns;
  columns.ids = grown(columns.ids, most * idLength);
  for (const name of numbers) columnsOf[name] = grown(columns[name], most);
}

/** Packs ascending ids, in the byte format of a library's ids. */
export function packIds(ids: readonly string[]): Uint8Array {
  const packed = new Uint8Array(ids.length * idLength);
  for (const [index, id] of ids.entries())
    packed.set(Buffer.from(id, "latin1").subarray(0, idLength), index * idLength);
  return packed;
}

/** Marks, for each index, whether its id is among these. */
export function markIds(columns: LibraryColumns, packed: Uint8Array): Uint8Array {
  const marks = new Uint8Array(columns.count);
  eachOf(columns, packed, (place) => {
    marks[place] = 1;
  });
  return marks;
}

/**
 * The assets that have a title, by ascending id, packed like a library's. Each has the number of its
 * title.
 */
export type RankedTitles = { ids: Uint8Array; ranks: Uint32Array };

/** Returns the number of each index's title, or `unknown`. */
export function ranksByPlace(columns: LibraryColumns, { ids, ranks }: RankedTitles): Uint32Array {
  const byPlace = new Uint32Array(columns.count).fill(unknown);
  eachOf(columns, ids, (place, which) => {
    byPlace[place] = ranks[which]!;
  });
  return byPlace;
}

/**
 * Replaces the entries of some assets.
 * @param changed their ids, each with its new number; left out with `undefined`
 */
export function replaceRanks(
  { ids, ranks }: RankedTitles,
  changed: ReadonlyMap<string, number | undefined>,
): RankedTitles {
  const known = { ids, count: ranks.length };
  const most = ranks.length + changed.size;
  const next = { ids: new Uint8Array(most * idLength), ranks: new Uint32Array(most) };
  let [from, filled] = [0, 0];
  const copyTo = (end: number) => {
    next.ids.set(ids.subarray(from * idLength, end * idLength), filled * idLength);
    next.ranks.set(ranks.subarray(from, end), filled);
    filled += end - from;
    from = end;
  };
  for (const id of [...changed.keys()].sort()) {
    copyTo(findPlace(known, id));
    if (from < ranks.length && idAt(known, from) === id) from += 1;
    const rank = changed.get(id);
    if (rank === undefined) continue;
    writeId(next, filled, id);
    next.ranks[filled] = rank;
    filled += 1;
  }
  copyTo(ranks.length);
  return { ids: next.ids.subarray(0, filled * idLength), ranks: next.ranks.subarray(0, filled) };
}

/** Calls `use` with the index of each packed id that the library has, and with its number. */
function eachOf(
  { ids, count }: LibraryColumns,
  packed: Uint8Array,
  use: (place: number, which: number) => void,
): void {
  const [all, some] = [toBuffer(ids), toBuffer(packed)];
  let next = 0;
  for (let place = 0; place < count && next < some.length; place += 1) {
    const start = place * idLength;
    const compare = () => all.compare(some, next, next + idLength, start, start + idLength);
    let order = compare();
    // A found asset may be newer than the columns.
    while (order > 0 && next + idLength < some.length) {
      next += idLength;
      order = compare();
    }
    if (order !== 0) continue;
    use(place, next / idLength);
    next += idLength;
  }
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export function idAt({ ids }: Pick<LibraryColumns, "ids">, place: number): string {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset + place * idLength, idLength);
  const end = bytes.indexOf(0);
  return bytes.toString("latin1", 0, end < 0 ? idLength : end);
}

/** Returns the first index whose id isn't below this one. */
export function findPlace(columns: Pick<LibraryColumns, "ids" | "count">, id: string): number {
  if (columns.count === 0 || idAt(columns, columns.count - 1) < id) return columns.count;
  let low = 0;
  let high = columns.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (idAt(columns, middle) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the indexes of those ids that are present, without duplicates. */
export const findPlaces = (columns: LibraryColumns, ids: Iterable<string>): number[] =>
  [...new Set(ids)].flatMap((id) => {
    const place = findPlace(columns, id);
    return place < columns.count && idAt(columns, place) === id ? place : [];
  });

/** Returns the index of a name; -1, which no column contains, for an unknown one. */
export const placeOfName = ({ names }: LibraryColumns, name: string): number => names.indexOf(name);

/** Distinguishes viewers of a library: people without private assets in it all see the same. */
export const viewerOf = (columns: LibraryColumns, userId: string): number =>
  placeOfName(columns, names.author(userId));
