/**
 * Runs work for many items, some at a time. The first error ends it, and is thrown when the started
 * work has ended.
 */
export async function atOnce<T>(
  most: number,
  things: AsyncIterable<T> | Iterable<T>,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const going = new Set<Promise<void>>();
  let failed: { error: unknown } | undefined;
  for await (const thing of things) {
    if (failed) break;
    const one: Promise<void> = work(thing)
      .catch((error: unknown) => {
        failed ??= { error };
      })
      .finally(() => going.delete(one));
    going.add(one);
    if (going.size >= most) await Promise.race(going);
  }
  await Promise.all(going);
  if (failed) throw failed.error;
}
