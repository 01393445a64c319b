/** What a library can be narrowed by between two numbers, and sorted by. */
export const assetRanges = [
  "createdAt",
  "rating",
  "costMicros",
  "bytes",
  "pixels",
  "durationMs",
] as const;
export type AssetRange = (typeof assetRanges)[number];

/** `square`: neither side is longer than the other by more than a twentieth. */
export const assetAspects = ["landscape", "portrait", "square"] as const;
export type AssetAspect = (typeof assetAspects)[number];

/** What a gallery puts together: what one order made, or what one model did. A day is no group of this kind, for it is a part of the order by date. */
export const assetGroups = ["batch", "model"] as const;
export type AssetGroup = (typeof assetGroups)[number];

/** What is done to several assets at once. */
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

/** Why an act left an asset as it is. */
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
] as const;
export type LeftReason = (typeof leftReasons)[number];

/** Whether an asset has to have each of several tags, or one of them. */
export const tagMatches = ["all", "any"] as const;
export type TagMatch = (typeof tagMatches)[number];

/** Both ends are included; without one the range is open there. */
export type NumberRange = { from?: number; to?: number };

export const rangePattern = /^(?!\.\.$)(\d{0,15})\.\.(\d{0,15})$/;

/** A range as text, `3..5` or `3..`. @returns undefined for any other text */
export function parseRange(text: string | undefined): NumberRange | undefined {
  const [, from, to] = rangePattern.exec(text ?? "") ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
}

export const writeRange = ({ from, to }: NumberRange): string => `${from ?? ""}..${to ?? ""}`;
