import { failureOf } from "./run-problem.ts";

/**
 * Merges several sources in order of arrival. A failing one doesn't end the others; the failure of
 * all is thrown when all are done.
 */
export async function* together<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const [only] = sources;
  // A single source, the usual case, skips the race.
  if (only && sources.length === 1) return yield* only;
  type Next = { source: AsyncGenerator<T>; result?: IteratorResult<T>; error?: unknown };
  const ask = async (source: AsyncGenerator<T>): Promise<Next> => {
    try {
      return { source, result: await source.next() };
    } catch (error) {
      return { source, error };
    }
  };
  const open = new Map(sources.map((source) => [source, ask(source)]));
  const failures: unknown[] = [];
  try {
    while (open.size > 0) {
      const { source, result, error } = await Promise.race(open.values());
      if (!result) failures.push(error);
      if (!result || result.done) open.delete(source);
      else {
        open.set(source, ask(source));
        yield result.value;
      }
    }
  } finally {
    // The reader may have left.
    for (const source of open.keys()) void source.return(undefined);
  }
  if (failures.length > 0) throw failureOf(failures);
}
