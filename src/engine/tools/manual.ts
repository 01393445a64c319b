import { readManual, type Section } from "#providers/builtin/guide/manual.ts";
import { createSearch, type Search } from "#providers/builtin/guide/search.ts";

/** Searches the manual's sections, best match first. The pages are read with the first search. */
export function createManual(): (q: string, most: number) => Promise<Section[]> {
  let search: Promise<Search> | undefined;
  return async (q, most) => {
    search ??= readManual().then(createSearch);
    const found = (await search).answer(q);
    return found.slice(0, most).map(({ section }) => section);
  };
}
