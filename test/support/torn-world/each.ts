/** Runs a function for each item, a limited number at a time. */
export async function eachOf<T>(
  all: readonly T[],
  most: number,
  live: (one: T) => Promise<void>,
): Promise<void> {
  const waiting = [...all];
  const take = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await live(one);
  };
  await Promise.all(Array.from({ length: most }, take));
}
