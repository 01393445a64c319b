import type { Model } from "#contract/entities.ts";

type Named = Pick<Model, "name" | "modelId">;

/** Moves models named exactly like the search to the front, because Enter takes the first. */
export function exactFirst<M extends Named>(models: readonly M[], search = ""): M[] {
  const sought = search.trim().toLowerCase();
  const isExact = ({ name, modelId }: Named) =>
    name.toLowerCase() === sought || modelId.toLowerCase() === sought;
  return sought === ""
    ? [...models]
    : [...models.filter(isExact), ...models.filter((model) => !isExact(model))];
}
