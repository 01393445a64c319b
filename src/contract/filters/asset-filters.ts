/** The numbers that the library can be filtered by range. */
export const assetRanges = [
  "createdAt",
  "rating",
  "costMicros",
  "bytes",
  "pixels",
  "durationMs",
] as const;
export type AssetRange = (typeof assetRanges)[number];

/**
 * What the library can be sorted by, besides the order of a collection. Titles are the names that
 * tiles show. Kinds and tasks are in the order of their lists, models by id, people and connections
 * by name. `aspect` is width by height. Of the marks, kept is the highest and rejected the lowest.
 * `used` counts the runs that had the file as input.
 */
export const assetSorts = [
  ...assetRanges,
  "title",
  "person",
  "kind",
  "task",
  "model",
  "connection",
  "aspect",
  "pick",
  "used",
] as const;
export type AssetSort = (typeof assetSorts)[number];

/** `square`: the longer side is at most a twentieth longer than the other. */
export const assetAspects = ["landscape", "portrait", "square"] as const;
export type AssetAspect = (typeof assetAspects)[number];

/**
 * The groups of a gallery: the results of one batch or of one model. Days are not a group, because
 * they are part of the order by date.
 */
export const assetGroups = ["batch", "model"] as const;
export type AssetGroup = (typeof assetGroups)[number];

/** Actions on several assets at once. */
export const assetActions = [
  "keep",
  "unkeep",
  "reject",
  "rate",
  "tag",
  "untag",
  "collect",
  "uncollect",
  "move",
  "trash",
  "restore",
  "delete",
] as const;
export type AssetAction = (typeof assetActions)[number];

/** Why an action left an asset unchanged. */
export const leftReasons = [
  "already",
  "gone",
  "notInTrash",
  "tooManyTags",
  "collectionFull",
  "inTrash",
  "ofTemporaryChat",
  "storageFull",
  "tagsFull",
  "mayNotMove",
  "interrupted",
] as const;
export type LeftReason = (typeof leftReasons)[number];

/** Whether an asset needs all of several tags, or any of them. */
export const tagMatches = ["all", "any"] as const;
export type TagMatch = (typeof tagMatches)[number];

/** Both ends are included; a missing end is open. */
export type NumberRange = { from?: number; to?: number };

export const rangePattern = /^(?!\.\.$)(\d{0,15})\.\.(\d{0,15})$/;

/**
 * Parses a range such as `3..5` or `3..`.
 * @returns undefined for any other text
 */
export function parseRange(text: string | undefined): NumberRange | undefined {
  const [, from, to] = rangePattern.exec(text ?? "") ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
}

export const writeRange = ({ from, to }: NumberRange): string => `${from ?? ""}..${to ?? ""}`;
