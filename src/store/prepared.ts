import type { Compilable, CompiledQuery } from "kysely";
import type { Reader } from "./store.ts";

/** Stands in a query for a value that each call gives anew. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query of the road, built and compiled once for each database and each set of columns it is called with: to build one
 * takes longer than to run it (a select by id 10 µs of a core, 4 µs when compiled before).
 * @param build gets the values by their names, to be put into the query and not to be looked at; one that is undefined is left out.
 * What else it needs (the store, for its locks) is the same at each call on a database.
 */
export function prepared<V extends object, O, Needs extends unknown[] = []>(
  build: (db: Reader, values: V, ...needs: Needs) => Compilable<O>,
): (db: Reader, values: V, ...needs: Needs) => Promise<O[]> {
  const compiled = new WeakMap<object, Map<string, CompiledQuery<O>>>();
  return async (db, values, ...needs) => {
    // The adapter is one for each database, shared by all units of work on it.
    const { adapter, plugins } = db.getExecutor();
    // Who watches or rewrites queries by a plugin sees each of them, with its values.
    if (plugins.length > 0) return (await db.executeQuery(build(db, values, ...needs))).rows;
    const known = compiled.get(adapter) ?? new Map<string, CompiledQuery<O>>();
    compiled.set(adapter, known);
    const given = values as Record<string, unknown>;
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const shape = names.join();
    let query = known.get(shape);
    if (!query) {
      query = build(db, Object.fromEntries(names.map((name) => [name, new Slot(name)])) as V, ...needs).compile();
      known.set(shape, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Slot ? given[value.name] : value));
    return (await db.executeQuery<O>({ ...query, parameters })).rows;
  };
}
