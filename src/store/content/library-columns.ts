import type { Asset } from "#contract/entities.ts";
import { assetKinds, picks, type RunState, runStates } from "#contract/entities.ts";
import { type Task, taskNames } from "#contract/tasks.ts";

/** What a library's numbers and its layout are made of. */
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
  /** Of its run. */
  task: string | null;
  cost_micros: number | null;
  state: string | null;
  batch_id: string | null;
  /** Of each run that took it as an input, the only person who sees that run, or null for everyone. */
  usedBy: (string | null)[];
  /** Ids of its tags, and of the collections that it is in. */
  labels: string[];
};

/**
 * The same of all assets of a project, by ascending id, as columns: 100,000 take 9 MB, and are counted or laid out in a few milliseconds.
 * They pass from thread to thread as they are. A column may have room behind its last asset.
 */
export type LibraryColumns = {
  count: number;
  /** Each in `idLength` bytes of ASCII, a shorter one filled up with zeros. */
  ids: Uint8Array;
  /** Kind, pick, rating, task, state, and whether it was uploaded, is in the trash or was deleted (`packFacts`). */
  facts: Uint32Array;
  /** Width by height in thousandths; 1,000 where unknown. */
  ratios: Uint16Array;
  /** Unix time in ms. */
  times: Float64Array;
  /** `unknown` where nobody knows. */
  costs: Uint32Array;
  bytes: Uint32Array;
  pixels: Uint32Array;
  durations: Uint32Array;
  /** Places in `names`; 0 for what everyone in the project sees, for what no model made, no run took, or is in no collection and has no tag. */
  authors: Uint32Array;
  makers: Uint32Array;
  connections: Uint32Array;
  models: Uint32Array;
  uses: Uint32Array;
  labels: Uint32Array;
  /** Of its batch or else its run (`batchOf`); 0 without either. */
  batches: Float64Array;
  /** Both halves of what it is similar by; 0 and 0 without that. */
  hashes: Uint32Array;
  hashTails: Uint32Array;
  names: string[];
};

/** Of a number that an asset does not have, as the length of a picture. */
export const unknown = 0xffff_ffff;
const toNumber = (value: number | null): number =>
  value === null ? unknown : Math.min(unknown - 1, Math.max(0, value));

const idLength = 36;
const mostRatio = 65_535;

const pickShift = 3;
const ratingShift = 5;
const taskShift = 8;
export const uploaded = 1 << 16;
export const trashed = 1 << 17;
/** It keeps its place, for moving all that came later costs more. */
export const deleted = 1 << 18;
const stateShift = 19;
const bits = { kind: 7, pick: 3 << pickShift, task: 255 << taskShift, state: 15 << stateShift };

const packFacts = (row: LibraryRow): number =>
  assetKinds.indexOf(row.kind as Asset["kind"]) |
  (picks.indexOf(row.pick) << pickShift) |
  (row.rating << ratingShift) |
  // 0 for what no run made.
  ((taskNames.indexOf(row.task as Task) + 1) << taskShift) |
  ((runStates.indexOf(row.state as RunState) + 1) << stateShift) |
  (row.upload_id === null ? 0 : uploaded) |
  (row.trashed_at === null ? 0 : trashed);

export const ratingOf = (facts: number): number => (facts >> ratingShift) & 7;
export const isKept = (facts: number): boolean =>
  (facts & bits.pick) === picks.indexOf("kept") << pickShift;

/** The bits of `facts` that a view looks at, and what they must be. */
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

/** How each is called in `names`. Spaces keep them apart: no id has one. */
export const names = {
  author: (userId: string) => userId,
  maker: (userId: string) => `by ${userId}`,
  connection: (connectionId: string) => `through ${connectionId}`,
  model: (connectionId: string, modelId: string) => `${connectionId} ${modelId}`,
  /** Several people in one name, or nobody: everyone sees such a run. */
  uses: (users: readonly string[]) => ["used by", ...users].join(" "),
  /** All tags and collections of an asset in one name: few sets of them are different. */
  labels: (ids: readonly string[]) => ["labelled", ...ids].join(" "),
};

/** The tags and collections of each set of them in `names`, by its place there. */
export function listLabelSets({ names: known }: LibraryColumns): Map<number, string[]> {
  const begins = `${names.labels([])} `;
  return new Map(
    known.flatMap((name, place) =>
      name.startsWith(begins) ? [[place, name.slice(begins.length).split(" ")] as const] : [],
    ),
  );
}

const ratioOf = ({ width, height }: LibraryRow): number =>
  width && height ? Math.min(mostRatio, Math.max(1, Math.round((width / height) * 1_000))) : 1_000;

/** The columns of a library with these assets. */
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
 * Brings the columns up to date with some assets as they are now.
 * @param changed ids, each once
 * @param rows those of them that still exist
 * @returns the places of those that were there, and the first place where one was put in: all behind it moved
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

/** Writes all but its id. */
function rowWriter(columns: LibraryColumns): (place: number, row: LibraryRow) => void {
  const placeOf = new Map(columns.names.map((name, place) => [name, place]));
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

/** A hash of 16 hex digits as two numbers. */
export const halvesOf = (hash: string | null): [number, number] =>
  hash ? [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)] : [0, 0];

/**
 * A number for what was ordered at once. There are tens of thousands in a library: as names they would be half of all, and these are
 * looked through at each question. 53 bits of the hash cyrb53, which Bryc published without any rights: among a million the chance that two
 * are the same is one in twenty thousand, and they would only share a heading.
 */
function batchOf({ batch_id: batchId, run_id: runId }: LibraryRow): number {
  const id = batchId ?? runId;
  if (id === null) return 0;
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < id.length; i += 1) {
    const code = id.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}

function placeOfUses(usedBy: LibraryRow["usedBy"], placed: (name: string) => number): number {
  if (usedBy.length === 0) return 0;
  const users = usedBy.filter((user) => user !== null);
  if (users.length < usedBy.length) return placed(names.uses([]));
  // Each is somebody who sees other things here than others do (viewerOf).
  for (const user of users) placed(names.author(user));
  return placed(names.uses([...new Set(users)].sort()));
}

function writeId({ ids }: LibraryColumns, place: number, id: string): void {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset + place * idLength, idLength);
  bytes.fill(0, bytes.write(id, "latin1"));
}

/**
 * Puts ascending ids at their places: nearly always the last ones. What came from another project is older than much of what is here, and
 * all of it moves what is behind it once.
 * @returns the first place where one was put in
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

/** Ascending ids, each in the bytes that it has among a library's. */
export function packIds(ids: readonly string[]): Uint8Array {
  const packed = new Uint8Array(ids.length * idLength);
  for (const [place, id] of ids.entries())
    packed.set(Buffer.from(id, "latin1").subarray(0, idLength), place * idLength);
  return packed;
}

/** Of each place whether its id is among these. */
export function markIds({ ids, count }: LibraryColumns, packed: Uint8Array): Uint8Array {
  const marks = new Uint8Array(count);
  const [all, some] = [toBuffer(ids), toBuffer(packed)];
  let next = 0;
  for (let place = 0; place < count && next < some.length; place += 1) {
    const start = place * idLength;
    const compare = () => all.compare(some, next, next + idLength, start, start + idLength);
    let order = compare();
    // What was found may have come after the columns were read.
    while (order > 0 && next + idLength < some.length) {
      next += idLength;
      order = compare();
    }
    if (order !== 0) continue;
    marks[place] = 1;
    next += idLength;
  }
  return marks;
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export function idAt({ ids }: LibraryColumns, place: number): string {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset + place * idLength, idLength);
  const end = bytes.indexOf(0);
  return bytes.toString("latin1", 0, end < 0 ? idLength : end);
}

/** The first place whose id is not before this one. */
export function findPlace(columns: LibraryColumns, id: string): number {
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

/** The places of those of these ids that are there, each once. */
export const findPlaces = (columns: LibraryColumns, ids: Iterable<string>): number[] =>
  [...new Set(ids)].flatMap((id) => {
    const place = findPlace(columns, id);
    return place < columns.count && idAt(columns, place) === id ? place : [];
  });

/** The place of a name; -1, which no column has, for one that is not known. */
export const placeOfName = ({ names }: LibraryColumns, name: string): number => names.indexOf(name);

/** What tells people apart who look at these assets: those who have nothing of their own here see the same. */
export const viewerOf = (columns: LibraryColumns, userId: string): number =>
  placeOfName(columns, names.author(userId));
