import { sql } from "kysely";
import { naturalKey } from "#domain/text/natural-key.ts";
import { foldWords, searchText } from "#domain/text/search-words.ts";
import { isOneOf, isSqlite } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import { naturalKeyIn } from "../database/natural-key.ts";
import type { AssetRow } from "../database/schema.ts";
import type { Reader, Searchable } from "../database/store.ts";
import {
  idAt,
  type LibraryColumns,
  type LibraryRow,
  packIds,
  type RankedTitles,
  replaceRanks,
  toColumns,
  unknown,
} from "./library-columns.ts";

/** Rows read at once. On PostgreSQL, the server does other work in between. */
const libraryRowsAtOnce = 5_000;

/** The columns read of an asset for its library, in addition to the facts from its runs. */
const assetFacts = [
  "id",
  "project_id",
  "run_id",
  "made_in",
  "visibility",
  "created_by",
  "connection_id",
  "model_id",
  "kind",
  "pick",
  "rating",
  "upload_id",
  "trashed_at",
  "width",
  "height",
  "bytes",
  "duration_ms",
  "phash",
  "created_at",
] as const;

/** Reads all assets of a project, regardless of who may see them. */
export async function readLibrary(
  { read }: Pick<Searchable, "read">,
  projectId: string,
): Promise<LibraryColumns> {
  const rows: LibraryRow[] = [];
  for (const operator of ["is", "is not"] as const)
    for (let after: string | undefined; ; after = rows.at(-1)?.id) {
      let query = read
        .selectFrom("asset")
        .select(assetFacts)
        .where("project_id", "=", projectId)
        .where("deleted_at", "is", null)
        .where("trashed_at", operator, null);
      if (after !== undefined) query = query.where("id", "<", after);
      const some = await query.orderBy("id", "desc").limit(libraryRowsAtOnce).execute();
      rows.push(...(await addRest(read, some)));
      if (some.length < libraryRowsAtOnce) break;
    }
  // An asset trashed between two reads may appear twice.
  return toColumns([...new Map(rows.map((row) => [row.id, row])).values()]);
}

/** Reads those of the assets that are in the project, regardless of who may see them. */
export async function readLibraryRows(
  db: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<LibraryRow[]> {
  const rows = await db
    .selectFrom("asset")
    .select(assetFacts)
    .where(isOneOf(db, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .execute();
  // With the project in the query, SQLite would read all its assets for a few ids.
  return addRest(
    db,
    rows.filter((row) => row.project_id === projectId),
  );
}

type AssetFacts = Pick<AssetRow, (typeof assetFacts)[number]>;
const nobody: { run_id: string }[] = [];
const unlabelled: { id: string }[] = [];

/**
 * Adds the columns from other tables, looked up by id: for a join, PostgreSQL would read all runs.
 * For a run in another project, only constant facts are added: its changes don't reach this
 * project's feed, and its cost belongs to the other project.
 */
async function addRest(db: Reader, rows: AssetFacts[]): Promise<LibraryRow[]> {
  if (rows.length === 0) return [];
  // A run may have the same file in several places.
  const inputs = await db
    .selectFrom("run_input")
    .select(["asset_id", "run_id"])
    .distinct()
    .where(isOneOf(db, "asset_id", toJson(rows.map(({ id }) => id))))
    .execute();
  const labels = await listLabels(db, toJson(rows.map(({ id }) => id)));
  const runIds = [...rows, ...inputs].flatMap(({ run_id: id }) => id ?? []);
  const runs = await db
    .selectFrom("run")
    .select(["id", "project_id", "task", "cost_micros", "state", "batch_id"])
    .select(["visibility", "user_id"])
    .where(isOneOf(db, "id", toJson([...new Set(runIds)])))
    .execute();
  const byId = new Map(runs.map((run) => [run.id, run]));
  const byAsset = Map.groupBy(inputs, (input) => input.asset_id);
  const labelsByAsset = Map.groupBy(labels, (label) => label.asset_id);
  // A shared constant: of a hundred thousand assets, few were ever used.
  return rows.map((row) => {
    const run = row.run_id === null ? undefined : byId.get(row.run_id);
    const own = row.made_in === null ? run : undefined;
    const users = (byAsset.get(row.id) ?? nobody)
      .flatMap((input) => byId.get(input.run_id) ?? [])
      .filter((user) => user.project_id === row.project_id);
    return Object.assign(row, {
      task: run?.task ?? null,
      cost_micros: own?.cost_micros ?? null,
      state: own?.state ?? null,
      batch_id: run?.batch_id ?? null,
      usedBy: users.map((user) => (user.visibility === "project" ? null : user.user_id)),
      labels: (labelsByAsset.get(row.id) ?? unlabelled).map(({ id }) => id),
    });
  });
}

/** Lists the assets' tags and collections. */
async function listLabels(
  db: Reader,
  assetIds: string,
): Promise<{ asset_id: string; id: string }[]> {
  const tags = await db
    .selectFrom("asset_tag")
    .select(["asset_id", "tag_id as id"])
    .where(isOneOf(db, "asset_id", assetIds))
    .execute();
  const collections = await db
    .selectFrom("collection_item")
    .select(["asset_id", "collection_id as id"])
    .where(isOneOf(db, "asset_id", assetIds))
    .execute();
  return [...tags, ...collections];
}

/**
 * An asset's name for sorting, ignoring case and accents: the stored search text begins with the
 * folded words of the title, or else of the prompt, and folding hardly changes their length. 200
 * characters decide.
 */
const sortedName = sql<string>`substr(substr(search, 1, 200), 1, length(case when title = '' then prompt_text else title end))`;
const isNamed = sql<boolean>`(title != '' or prompt_text != '')`;

/**
 * Numbers a project's assets by title, or else by prompt, regardless of who may see them. Equal ones
 * have equal numbers, and an asset with neither has none.
 */
export async function rankTitles(
  { read }: Pick<Searchable, "read">,
  projectId: string,
): Promise<RankedTitles> {
  // Numbers by value, letters by their codes, as `renewTitles` has it. Other collations differ by
  // database.
  const inCodes = isSqlite(read) ? sql`collate binary` : sql`collate "C"`;
  const ranked = await read
    .selectFrom("asset")
    .select("id")
    .select(
      sql<number>`dense_rank() over (order by ${naturalKeyIn(read, sortedName)} ${inCodes})`.as(
        "rank",
      ),
    )
    .where("project_id", "=", projectId)
    .where("deleted_at", "is", null)
    .where(isNamed)
    .execute();
  ranked.sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    ids: packIds(ranked.map(({ id }) => id)),
    ranks: Uint32Array.from(ranked, ({ rank }) => Number(rank)),
  };
}

/**
 * Numbers the titles again after some assets were changed, added or removed. Each of their titles is
 * placed by a binary search, which reads a few other titles instead of all.
 * @returns undefined if a compared title is gone, because its asset was changed meanwhile
 */
export async function renewTitles(
  db: Reader,
  projectId: string,
  before: RankedTitles,
  changed: readonly string[],
): Promise<RankedTitles | undefined> {
  const names = await readNames(db, projectId, changed);
  const rest = replaceRanks(before, new Map(changed.map((id) => [id, undefined])));
  // The index of one asset for each number.
  const most = rest.ranks.reduce((highest, rank) => Math.max(highest, rank), 0);
  const examples = new Uint32Array(most + 1).fill(unknown);
  rest.ranks.forEach((rank, index) => {
    examples[rank] = index;
  });
  const numbers: number[] = [];
  for (let rank = 1; rank <= most; rank += 1) if (examples[rank] !== unknown) numbers.push(rank);
  const distinct = new Map(names.values().map((name) => [keyOf(name), name]));
  const searches = [...distinct.values()]
    .sort(Buffer.compare)
    .map((name) => ({ name, low: 0, high: numbers.length, isKnown: false }));
  for (;;) {
    const open = searches.flatMap((search) => {
      const middle = (search.low + search.high) >> 1;
      const isOpen = search.low < search.high && !search.isKnown;
      return isOpen ? { search, middle, id: idAt(rest, examples[numbers[middle]!]!) } : [];
    });
    if (open.length === 0) break;
    const others = await readNames(db, projectId, [...new Set(open.map(({ id }) => id))]);
    for (const { search, middle, id } of open) {
      const other = others.get(id);
      if (!other) return undefined;
      const order = Buffer.compare(other, search.name);
      if (order < 0) search.low = middle + 1;
      else search.high = middle;
      if (order === 0) Object.assign(search, { low: middle, isKnown: true });
    }
  }
  // Each new title moves all later ones by one number.
  const ranks = new Map<string, number>();
  const lows: number[] = [];
  for (const { name, low, isKnown } of searches) {
    ranks.set(keyOf(name), low + lows.length + 1);
    if (!isKnown) lows.push(low);
  }
  const renumbered = new Uint32Array(examples.length);
  let earlier = 0;
  for (const [position, number] of numbers.entries()) {
    while (earlier < lows.length && lows[earlier]! <= position) earlier += 1;
    renumbered[number] = position + earlier + 1;
  }
  return replaceRanks(
    { ids: rest.ids, ranks: rest.ranks.map((rank) => renumbered[rank]!) },
    new Map(names.entries().map(([id, name]) => [id, ranks.get(keyOf(name))])),
  );
}

const keyOf = (name: Buffer): string => name.toString("latin1");

/** Reads what `rankTitles` compares, of those assets that have it. */
async function readNames(
  db: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await db
    .selectFrom("asset")
    .select(["id", "project_id", sortedName.as("name")])
    .where(isOneOf(db, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .where(isNamed)
    .execute();
  // With the project in the query, SQLite would read all its assets for a few ids.
  return new Map(
    rows.flatMap((row) =>
      row.project_id === projectId ? [[row.id, Buffer.from(naturalKey(row.name))] as const] : [],
    ),
  );
}

/** Sorts people or connections by name, ignoring case and accents, and numbers by value. */
export async function sortByName(
  db: Reader,
  table: "user" | "connection",
  ids: readonly string[],
): Promise<string[]> {
  const named = await db
    .selectFrom(table)
    .select(["id", "name"])
    .where(isOneOf(db, "id", toJson(ids)))
    .execute();
  const keyed = named.map(({ id, name }) => ({ id, key: `${naturalKey(searchText(name))} ${id}` }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ id }) => id);
}

/**
 * Finds a project's assets with these words, regardless of who may see them. Returns their ids,
 * packed like a library's.
 */
export async function findInLibrary(
  store: Searchable,
  { projectId, q, tagged = {} }: LibraryWords,
): Promise<Uint8Array> {
  const words = foldWords(q);
  // `in` would find the word "constructor" in every object.
  const plain = words.filter((word) => !Object.hasOwn(tagged, word));
  const found = plain.length > 0 ? [await findWords(store, projectId, plain)] : [];
  // A word in a tag's name may match through the tag or through the asset.
  for (const [word, tagIds] of Object.entries(tagged))
    found.push(
      new Set([
        ...(await findWords(store, projectId, [word])),
        ...(await findTagged(store.read, tagIds)),
      ]),
    );
  const ids = found.reduce((both, some) => both.intersection(some));
  return packIds([...ids].sort());
}

/** Folded words, and for each word that tag names contain, those tags. */
export type LibraryWords = {
  projectId: string;
  q: string;
  tagged?: Readonly<Record<string, readonly string[]>>;
};

async function findWords(
  store: Searchable,
  projectId: string,
  words: string[],
): Promise<Set<string>> {
  const rows = await store.read
    .selectFrom("asset")
    .select("id")
    .where("deleted_at", "is", null)
    .where("project_id", "=", projectId)
    .where(store.search("asset", words, projectId))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function findTagged(db: Reader, tagIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("asset_tag")
    .select("asset_id")
    .where(isOneOf(db, "tag_id", toJson(tagIds)))
    .execute();
  return rows.map((row) => row.asset_id);
}
