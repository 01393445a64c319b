/** `known` costs something. */
export const priceKinds = ["free", "known", "unknown"] as const;
export type PriceKind = (typeof priceKinds)[number];

/** What a model can be asked to be able to do; among the names of its capabilities. */
export const modelCapabilities = ["tools", "reasoning", "imageInput", "pdfInput", "seed"] as const;
export type ModelCapability = (typeof modelCapabilities)[number];

/** `local`: on the server's machine or network. `cloud`: in the user's cloud account. `hosted`: at a service. */
export const runPlaces = ["local", "cloud", "hosted"] as const;
export type RunPlace = (typeof runPlaces)[number];

/** Where a person looks for a service among the others: by what it is. */
export const serviceGroups = ["media", "language", "cloud", "own", "tools"] as const;
export type ServiceGroup = (typeof serviceGroups)[number];

/** What a person may say that a model can, or can't: what is asked of it depends on these. */
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

/** `price`: cheapest first, by what an ordinary use costs; unknown last. */
export const modelOrders = ["name", "price", "newest", "context"] as const;
export type ModelOrder = (typeof modelOrders)[number];

/** So long after it came, a model is new. */
export const newModelDays = 14;

/** When a model must have come to be new at `now`: the filter and the mark ask this alone. */
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

/** What a local server lets others do with its models. */
export const localActs = ["load", "unload", "pull", "remove"] as const;
export type LocalAct = (typeof localActs)[number];
