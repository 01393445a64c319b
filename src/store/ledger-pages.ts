import { namesOf } from "./names.ts";
import type { Store } from "./store.ts";
import type { UsageOf } from "./usage.ts";

/** An entry of the books as people read it. A name is the id of what was removed since. */
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
  /** The API key that it was asked for with. */
  key: string;
  note: string;
};

const entriesAtOnce = 1_000;

/**
 * Entries that were written in a range, oldest first, so many at a time.
 * @param range `fromMs` included, `toMs` not
 * @param after the last entry of the page before; null begins
 */
export async function listLedgerEntries(
  { read: db }: Pick<Store, "read">,
  of: UsageOf,
  range: { fromMs: number; toMs: number },
  after: Pick<NamedEntry, "id" | "at"> | null,
): Promise<{ entries: NamedEntry[]; hasMore: boolean }> {
  let query = db
    .selectFrom("ledger_entry")
    .selectAll()
    .where("at", ">=", after?.at ?? range.fromMs)
    .where("at", "<", range.toMs);
  if (after) query = query.where((e) => e.or([e("at", ">", after.at), e("id", ">", after.id)]));
  if (of !== "instance") query = query.where("project_id", "in", of);
  const rows = await query.orderBy("at").orderBy("id").limit(entriesAtOnce).execute();
  const names = await namesOf(db, {
    projects: rows.map((row) => row.project_id),
    people: rows.map((row) => row.user_id),
    connections: rows.flatMap((row) => row.connection_id ?? []),
    keys: rows.flatMap((row) => row.api_key_id ?? []),
  });
  const name = (id: string | null): string => (id === null ? "" : (names.get(id) ?? id));
  const entries = rows.map((row) => ({
    id: row.id,
    at: row.at,
    kind: row.kind,
    micros: row.micros,
    project: name(row.project_id),
    person: name(row.user_id),
    connection: name(row.connection_id),
    model: row.model_id ?? "",
    run: row.run_id ?? "",
    key: name(row.api_key_id),
    note: row.note ?? "",
  }));
  return { entries, hasMore: rows.length === entriesAtOnce };
}
