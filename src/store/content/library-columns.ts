import type { Asset } from "#contract/entities.ts";
import { assetKinds, picks } from "#contract/entities.ts";

/** What a library's numbers and its layout are made of. */
export type LibraryRow = {
  id: string;
  visibility: "author" | "project";
  created_by: string;
  connection_id: string | null;
  model_id: string | null;
  kind: string;
  pick: Asset["pick"];
  upload_id: string | null;
  trashed_at: number | null;
  width: number | null;
  height: number | null;
  created_at: number;
};

/**
 * The same of all assets of a project, by ascending id, as columns: 100,000 take 5 MB, and are counted or laid out in a millisecond or two.
 * They pass from thread to thread as they are. A column may have room behind its last asset.
 */
export type LibraryColumns = {
  count: number;
  /** Each in `idLength` bytes of ASCII, a shorter one filled up with zeros. */
  ids: Uint8Array;
  /** Kind, pick, and whether it was uploaded, is in the trash or was deleted (`packFacts`). */
  facts: Uint16Array;
  /** Width by height in thousandths; 1,000 where unknown. */
  ratios: Uint16Array;
  /** The quarter of an hour since 1970 that it was made in: each day of each time zone begins with one. */
  quarters: Uint32Array;
  /** Places in `names`; 0 for what everyone in the project sees, and for what no model made. */
  authors: Uint32Array;
  models: Uint32Array;
  names: string[];
};

export type LibraryCounts = { all: number; kept: number; uploads: number; trash: number };
/** What of a library is asked for, apart from words: those are not in its columns. */
export type LibraryView = {
  kind?: Asset["kind"];
  pick?: Asset["pick"];
  source?: "made" | "uploaded";
  connectionId?: string;
  modelId?: string;
  trash: boolean;
};

const idLength = 36;
export const quarterMs = 15 * 60_000;
const mostRatio = 65_535;

const pickShift = 3;
const uploaded = 1 << 5;
const trashed = 1 << 6;
/** It keeps its place, for moving all that came later costs more. */
const deleted = 1 << 7;
const kindMask = (1 << pickShift) - 1;
const pickMask = 3 << pickShift;

const packFacts = (row: LibraryRow): number =>
  assetKinds.indexOf(row.kind as Asset["kind"]) |
  (picks.indexOf(row.pick) << pickShift) |
  (row.upload_id === null ? 0 : uploaded) |
  (row.trashed_at === null ? 0 : trashed);

/** The bits of `facts` that a view looks at, and what they must be. */
export function factsOf({ kind, pick, source, trash }: LibraryView): {
  mask: number;
  value: number;
} {
  let mask = trashed | deleted;
  let value = trash ? trashed : 0;
  if (kind) {
    mask |= kindMask;
    value |= assetKinds.indexOf(kind);
  }
  if (pick) {
    mask |= pickMask;
    value |= picks.indexOf(pick) << pickShift;
  }
  if (source) {
    mask |= uploaded;
    value |= source === "uploaded" ? uploaded : 0;
  }
  return { mask, value };
}

export const nameOfModel = (connectionId: string, modelId: string): string =>
  `${connectionId} ${modelId}`;
const ratioOf = ({ width, height }: LibraryRow): number =>
  width && height ? Math.min(mostRatio, Math.max(1, Math.round((width / height) * 1_000))) : 1_000;

/** The columns of a library with these assets. */
export function toColumns(rows: readonly LibraryRow[]): LibraryColumns {
  const columns = {
    count: 0,
    ids: new Uint8Array(0),
    facts: new Uint16Array(0),
    ratios: new Uint16Array(0),
    quarters: new Uint32Array(0),
    authors: new Uint32Array(0),
    models: new Uint32Array(0),
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
  let movedFrom = Number.POSITIVE_INFINITY;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const write = rowWriter(columns);
  for (const id of changed.toSorted()) {
    const place = findPlace(columns, id);
    const isThere = place < columns.count && idAt(columns, place) === id;
    const row = byId.get(id);
    if (!row) {
      if (isThere) {
        columns.facts[place]! |= deleted;
        places.push(place);
      }
      continue;
    }
    if (isThere) places.push(place);
    else {
      makeRoom(columns, place, id);
      movedFrom = Math.min(movedFrom, place);
    }
    write(place, row);
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
    columns.facts[place] = packFacts(row);
    columns.ratios[place] = ratioOf(row);
    columns.quarters[place] = Math.floor(row.created_at / quarterMs);
    columns.authors[place] = row.visibility === "project" ? 0 : placed(row.created_by);
    columns.models[place] =
      row.connection_id === null || row.model_id === null
        ? 0
        : placed(nameOfModel(row.connection_id, row.model_id));
  };
}

function writeId({ ids }: LibraryColumns, place: number, id: string): void {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset + place * idLength, idLength);
  bytes.fill(0, bytes.write(id, "latin1"));
}

/** Puts an id at a place: nearly always the last one. */
function makeRoom(columns: LibraryColumns, place: number, id: string): void {
  if (columns.count === columns.facts.length)
    reserve(columns, Math.ceil(columns.count * 1.125) + 1_000);
  columns.ids.copyWithin((place + 1) * idLength, place * idLength, columns.count * idLength);
  for (const name of numbers) columns[name].copyWithin(place + 1, place, columns.count);
  writeId(columns, place, id);
  columns.count += 1;
}

const numbers = ["facts", "ratios", "quarters", "authors", "models"] as const;

function reserve(columns: LibraryColumns, most: number): void {
  const grown = <Column extends Uint8Array | Uint16Array | Uint32Array>(
    column: Column,
    larger: Column,
  ): Column => {
    larger.set(column);
    return larger;
  };
  columns.ids = grown(columns.ids, new Uint8Array(most * idLength));
  columns.facts = grown(columns.facts, new Uint16Array(most));
  columns.ratios = grown(columns.ratios, new Uint16Array(most));
  columns.quarters = grown(columns.quarters, new Uint32Array(most));
  columns.authors = grown(columns.authors, new Uint32Array(most));
  columns.models = grown(columns.models, new Uint32Array(most));
}

export function idAt({ ids }: LibraryColumns, place: number): string {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset + place * idLength, idLength);
  const end = bytes.indexOf(0);
  return bytes.toString("latin1", 0, end < 0 ? idLength : end);
}

/** The first place whose id is not before this one. */
function findPlace(columns: LibraryColumns, id: string): number {
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

/** The place of a name in `authors` or `models`; -1, which none of them has, for one that is not known. */
export const placeOfName = ({ names }: LibraryColumns, name: string): number => names.indexOf(name);

/** What tells people apart who look at these assets: those who have nothing of their own here see the same. */
export const viewerOf = (columns: LibraryColumns, userId: string): number =>
  placeOfName(columns, userId);

/** Counts what a person may see. */
export function countColumns(columns: LibraryColumns, viewer: number): LibraryCounts {
  const { count, facts, authors } = columns;
  const counts = { all: 0, kept: 0, uploads: 0, trash: 0 };
  const kept = picks.indexOf("kept") << pickShift;
  for (let place = 0; place < count; place += 1) {
    const author = authors[place]!;
    if (author !== 0 && author !== viewer) continue;
    const packed = facts[place]!;
    if (packed & deleted) continue;
    if (packed & trashed) counts.trash += 1;
    else {
      counts.all += 1;
      if ((packed & pickMask) === kept) counts.kept += 1;
      if (packed & uploaded) counts.uploads += 1;
    }
  }
  return counts;
}
