/** `known`: a price above zero. */
export const priceKinds = ["free", "known", "unknown"] as const;
export type PriceKind = (typeof priceKinds)[number];

/** The capabilities that models can be filtered by. */
export const modelCapabilities = ["tools", "reasoning", "imageInput", "pdfInput", "seed"] as const;
export type ModelCapability = (typeof modelCapabilities)[number];

/**
 * `local`: on the server's machine or network. `cloud`: in the user's cloud account. `hosted`: at a
 * service.
 */
export const runPlaces = ["local", "cloud", "hosted"] as const;
export type RunPlace = (typeof runPlaces)[number];

/** The categories of services in the list of kinds. */
export const serviceGroups = ["media", "language", "cloud", "own", "tools"] as const;
export type ServiceGroup = (typeof serviceGroups)[number];

/** The capabilities that a person can set for a model, which determine how it is used. */
export const statableCapabilities = [
  "tools",
  "reasoning",
  "imageInput",
  "pdfInput",
  "audioInput",
  "videoInput",
  "seed",
  "prefill",
] as const;

/** `price`: cheapest first, by the cost of typical use; unknown last. */
export const modelOrders = ["name", "price", "newest", "context"] as const;
export type ModelOrder = (typeof modelOrders)[number];

/**
 * The orders of the models used in a project. `rating`: by votes in comparisons; `speed`: by the
 * median time in this project. Models without one come last.
 */
export const usedModelOrders = ["recent", "rating", "price", "speed", "newest"] as const;
export type UsedModelOrder = (typeof usedModelOrders)[number];

/** How long after its release a model counts as new. */
export const newModelDays = 14;

/** The earliest release of a new model at `now`. The filter and the badge both use this. */
export const newSince = (now: number): number => now - newModelDays * 86_400_000;

export const isNewModel = ({ cameAt }: { cameAt: number | null }, now: number): boolean =>
  cameAt !== null && cameAt >= newSince(now);

/** States of a model on a local server. A sleeping one is loaded again by its next request. */
export const localModelStates = [
  "loaded",
  "loading",
  "sleeping",
  "downloading",
  "unloaded",
  "failed",
] as const;
export type LocalModelState = (typeof localModelStates)[number];

/** The actions on models that a local server allows. */
export const localActs = ["load", "unload", "pull", "remove"] as const;
export type LocalAct = (typeof localActs)[number];
