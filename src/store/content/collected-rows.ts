import type { LeftReason } from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import { keysBetween } from "#domain/text/order-key.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { AssetRow } from "../database/schema.ts";
import type { Unit } from "../runs/unit.ts";
import type { SliceOutcome } from "./act-outcomes.ts";
import { listItems } from "./collections.ts";

/** Adds assets at the end of a collection, or at their previous positions. */
export async function collectRows(
  { tx, at }: Unit,
  { collectionId, userId }: { collectionId: string; userId: string },
  rows: readonly AssetRow[],
  orderKeys: ReadonlyMap<string, string> = new Map(),
): Promise<SliceOutcome> {
  const items = await listItems(tx, collectionId);
  const there = new Set(items.map(({ assetId }) => assetId));
  const wanted = rows.filter(({ id }) => !there.has(id));
  const changed = wanted.slice(0, Math.max(0, limits.assetsPerCollection - items.length));
  const left = new Map<LeftReason, number>();
  if (wanted.length < rows.length) left.set("already", rows.length - wanted.length);
  if (changed.length < wanted.length) left.set("collectionFull", wanted.length - changed.length);
  if (changed.length === 0) return { changed, left, undo: [] };
  const atEnd = changed.filter(({ id }) => !orderKeys.has(id));
  const keys = keysBetween(items.at(-1)?.orderKey ?? "", undefined, atEnd.length);
  const placed = new Map([...orderKeys, ...atEnd.map(({ id }, i) => [id, keys[i]!] as const)]);
  await tx
    .insertInto("collection_item")
    .values(
      changed.map(({ id }) => ({
        collection_id: collectionId,
        asset_id: id,
        order_key: placed.get(id)!,
        added_by: userId,
        added_at: at,
      })),
    )
    .execute();
  const ids = changed.map(({ id }) => id);
  return { changed, left, undo: [{ act: { action: "uncollect", collectionId }, ids }] };
}

/** Removes assets from a collection. The undo restores their positions. */
export async function uncollectRows(
  { tx }: Unit,
  collectionId: string,
  rows: readonly AssetRow[],
): Promise<SliceOutcome> {
  const ids = toJson(rows.map(({ id }) => id));
  const removed = await tx
    .deleteFrom("collection_item")
    .where("collection_id", "=", collectionId)
    .where(isOneOf(tx, "asset_id", ids))
    .returning(["asset_id", "order_key"])
    .execute();
  const keys = new Map(removed.map((row) => [row.asset_id, row.order_key]));
  const changed = rows.filter(({ id }) => keys.has(id));
  const left = new Map<LeftReason, number>();
  if (changed.length < rows.length) left.set("already", rows.length - changed.length);
  if (changed.length === 0) return { changed, left, undo: [] };
  const back = {
    act: { action: "collect" as const, collectionId },
    ids: changed.map(({ id }) => id),
    orderKeys: changed.map(({ id }) => keys.get(id)!),
  };
  return { changed, left, undo: [back] };
}
