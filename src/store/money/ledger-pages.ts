import type { DayRange } from "#domain/money/usage-range.ts";
import type { Store } from "../database/store.ts";
import { type BooksReader, mayNameKey, nameableConnections, namesOf } from "./names.ts";
import { countWithoutPrice, type UsageOf } from "./runs-without-price.ts";

/** A ledger entry in readable form. Something removed since appears as its id. */
export type NamedEntry = {
  id: string;
  at: number;
  kind: string;
  micros: number;
  project: string;
  person: string;
  connection: string;
  model: string;
  run: string;
  /** The API key that started the run. */
  key: string;
  note: string;
  /** The run is hidden from the reader: such entries appear only as sums. */
  isPrivate: boolean;
};

const entriesAtOnce = 1_000;

/**
 * Lists a page of entries written in a range, oldest first.
 * @param range `fromMs` is included, `toMs` isn't
 * @param after the last entry of the previous page; null for the first page
 */
export async function listLedgerEntries(
  { read: db }: Pick<Store, "read">,
  of: UsageOf,
  reader: BooksReader,
  range: { fromMs: number; toMs: number },
  after: Pick<NamedEntry, "id" | "at"> | null,
): Promise<{ entries: NamedEntry[]; hasMore: boolean }> {
  let query = db
    .selectFrom("ledger_entry")
    .leftJoin("run", "run.id", "ledger_entry.run_id")
    .selectAll("ledger_entry")
    .select("run.visibility as visibility")
    .where("ledger_entry.at", ">=", after?.at ?? range.fromMs)
    .where("ledger_entry.at", "<", range.toMs);
  if (after)
    query = query.where((e) =>
      e.or([e("ledger_entry.at", ">", after.at), e("ledger_entry.id", ">", after.id)]),
    );
  if (of !== "instance") query = query.where("ledger_entry.project_id", "in", of);
  const rows = await query
    .orderBy("ledger_entry.at")
    .orderBy("ledger_entry.id")
    .limit(entriesAtOnce)
    .execute();
  const names = await namesOf(db, {
    projects: rows.map((row) => row.project_id),
    people: rows.map((row) => row.user_id),
    connections: rows.flatMap((row) => row.connection_id ?? []),
    keys: rows.flatMap((row) => row.api_key_id ?? []),
  });
  const mayName = await nameableConnections(db, reader);
  const name = (id: string | null): string => (id === null ? "" : (names.get(id) ?? id));
  const entries = rows.map((row) => {
    const isOwn = row.user_id === reader.userId;
    const isPrivate =
      !isOwn && (row.visibility !== "project" || !reader.projectIds.includes(row.project_id));
    const isNamed = mayName(row);
    return {
      id: row.id,
      at: row.at,
      kind: row.kind,
      micros: row.micros,
      project: name(row.project_id),
      person: name(row.user_id),
      connection: isNamed ? name(row.connection_id) : "",
      model: isNamed ? (row.model_id ?? "") : "",
      run: isPrivate ? "" : (row.run_id ?? ""),
      key: isPrivate || !mayNameKey(reader, row.user_id) ? "" : name(row.api_key_id),
      note: isPrivate ? "" : (row.note ?? ""),
      isPrivate,
    };
  });
  return { entries, hasMore: rows.length === entriesAtOnce };
}

export type NamedWithoutPrice = Pick<NamedEntry, "project" | "person" | "connection" | "model"> & {
  day: string;
  runs: number;
};

/** Lists runs of unknown cost, which have no ledger entry, by the UTC day they ended on. */
export async function listWithoutPrice(
  { read: db }: Pick<Store, "read">,
  of: UsageOf,
  reader: BooksReader,
  range: DayRange,
): Promise<NamedWithoutPrice[]> {
  const rows = (await countWithoutPrice(db, of, range)).filter(
    ({ unpricedRuns }) => unpricedRuns > 0,
  );
  const names = await namesOf(db, {
    projects: rows.map((row) => row.project_id),
    people: rows.map((row) => row.user_id),
    connections: rows.map((row) => row.connection_id),
  });
  const mayName = await nameableConnections(db, reader);
  return rows.map((row) => {
    const isNamed = mayName(row);
    return {
      day: row.day,
      project: names.get(row.project_id) ?? row.project_id,
      person: names.get(row.user_id) ?? row.user_id,
      connection: isNamed ? (names.get(row.connection_id) ?? row.connection_id) : "",
      model: isNamed ? row.model_id : "",
      runs: row.unpricedRuns,
    };
  });
}
