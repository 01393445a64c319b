import type { Compilable, CompiledQuery } from "kysely";
import type { Reader } from "./store.ts";

/** A placeholder in a compiled query, filled with a value at each call. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A statement's rows, or the number of changed rows. */
type Outcome = { rows: unknown[]; changed: number };
type RunAtOnce = (text: string, parameters: readonly unknown[]) => Outcome;
const atOnce = new WeakMap<Reader, RunAtOnce>();

/**
 * Runs prepared queries on this `db` directly on its synchronous connection. Kysely's own path
 * (executor, connection lock, plugins: eight promises) takes as long as the statement itself on
 * SQLite, and an admission has eleven statements.
 * @param db has its connection to itself: a reader, or the `tx` of a unit
 */
export const runAtOnce = (db: Reader, run: RunAtOnce): void => void atOnce.set(db, run);

type Build<V, O> = (db: Reader, values: V) => Compilable<O>;
type Run<V, Result> = (db: Reader, values: V) => Promise<Result>;

/**
 * A query on the hot path, compiled once for each database and each set of columns it is called
 * with. Building a query takes longer than running it (a select by id: 10 µs of a core, or 4 µs
 * compiled).
 * @param build receives named placeholders, to be put into the query but not inspected; undefined
 *   values are left out
 */
export function prepared<V extends object, O>(build: Build<V, O>): Run<V, O[]> {
  const run = compiledOnce(build);
  return async (db, values) => (await run(db, values)).rows as O[];
}

/** Like `prepared`, for a statement without rows: returns the number of changed rows. */
export function preparedChange<V extends object>(build: Build<V, unknown>): Run<V, number> {
  const run = compiledOnce(build);
  return async (db, values) => (await run(db, values)).changed;
}

/** The most rows per statement. Each number of rows is compiled as a statement of its own. */
const rowsAtOnce = 16;

/**
 * Like `prepared`, for an INSERT of any number of rows with the same columns: one statement for
 * every 16 rows.
 */
export function preparedRows<Row extends object>(
  build: (db: Reader, rows: Row[]) => Compilable,
): (db: Reader, rows: readonly Row[]) => Promise<void> {
  const insertOne = compiledOnce((db, row: Row) => build(db, [row]));
  const insertSome = compiledOnce((db, values: Record<string, unknown>) =>
    build(db, toRows(values) as Row[]),
  );
  return async (db, rows) => {
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const some = rows.slice(from, from + rowsAtOnce);
      await (some.length === 1 ? insertOne(db, some[0]!) : insertSome(db, toValues(some)));
    }
  };
}

/** The values of several rows, each keyed by row and column: `0 id`. */
function toValues(rows: readonly object[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [i, row] of rows.entries())
    for (const [column, value] of Object.entries(row)) values[`${i} ${column}`] = value;
  return values;
}

function toRows(values: Record<string, unknown>): object[] {
  const rows: Record<string, unknown>[] = [];
  for (const [name, value] of Object.entries(values)) {
    const [i, column] = name.split(" ") as [string, string];
    rows[Number(i)] = { ...rows[Number(i)], [column]: value };
  }
  return rows;
}

/** A query compiled for values with these names. */
type Variant = { names: readonly string[]; query: CompiledQuery };

function compiledOnce<V extends object, O>(
  build: Build<V, O>,
): (db: Reader, values: V) => Outcome | Promise<Outcome> {
  const compiled = new WeakMap<object, Variant[]>();
  function compile(db: Reader, given: Record<string, unknown>): Variant {
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)]));
    return { names, query: build(db, slots as V).compile() };
  }
  function find(adapter: object, db: Reader, given: Record<string, unknown>): Variant {
    const variants = compiled.get(adapter) ?? [];
    const known = variants.find(({ names }) => hasNames(given, names));
    if (known) return known;
    const variant = compile(db, given);
    compiled.set(adapter, [...variants, variant]);
    return variant;
  }
  return (db, values) => {
    // Each database has one adapter, shared by all its units of work.
    const { adapter, plugins } = db.getExecutor();
    // Plugins that watch or rewrite queries must see each one with its values.
    if (plugins.length > 0) return execute(db, build(db, values).compile());
    const given = values as Record<string, unknown>;
    const { query } = find(adapter, db, given);
    const parameters = query.parameters.map((value) =>
      value instanceof Slot ? given[value.name] : value,
    );
    const run = atOnce.get(db);
    return run ? run(query.sql, parameters) : execute(db, { ...query, parameters });
  };
}

async function execute(db: Reader, query: CompiledQuery): Promise<Outcome> {
  const { rows, numAffectedRows } = await db.executeQuery(query);
  return { rows, changed: Number(numAffectedRows ?? 0) };
}

/** Whether the defined values have exactly these names, in this order. */
function hasNames(given: Record<string, unknown>, names: readonly string[]): boolean {
  let known = 0;
  for (const name in given) {
    if (given[name] === undefined) continue;
    if (names[known] !== name) return false;
    known++;
  }
  return known === names.length;
}
