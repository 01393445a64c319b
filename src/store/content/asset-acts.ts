import { Problem } from "#contract/errors.ts";
import type { AssetAction, LeftReason } from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { AssetRow } from "../database/schema.ts";
import type { Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";
import { hookOfKept } from "../webhooks/hooks.ts";
import { type ActOutcome, type AssetAct, groupUndo, type SliceOutcome } from "./act-outcomes.ts";
import { toAsset, updateAssets } from "./assets.ts";
import { collectRows, uncollectRows } from "./collected-rows.ts";
import { lockCollection } from "./collections.ts";

type Facts = Pick<AssetRow, "pick" | "rating" | "trashed_at">;
/** An action that writes only the asset's own columns. */
type RowAction = Exclude<AssetAction, "tag" | "untag" | "collect" | "uncollect" | "move">;
/** An act within one project. */
type InnerAct = AssetAct & { action: Exclude<AssetAction, "move"> };
type RowAct = { action: RowAction; rating?: number | undefined };

const picks = { keep: "kept", unkeep: "none", reject: "rejected" } as const;
const actOfPick = { kept: "keep", none: "unkeep", rejected: "reject" } as const;

/** Returns the columns that an act writes. */
const setOf = ({ action, rating = 0 }: RowAct, at: number): Partial<Facts> =>
  action === "rate"
    ? { rating }
    : action === "trash"
      ? { trashed_at: at }
      : action === "restore"
        ? { trashed_at: null }
        : action === "delete"
          ? {}
          : { pick: picks[action] };

/** Returns why an act skips an asset; undefined when it doesn't. */
function reasonToLeave({ action, rating }: RowAct, row: Facts): LeftReason | undefined {
  if (action === "delete") return row.trashed_at === null ? "notInTrash" : undefined;
  const isAlready =
    action === "rate"
      ? row.rating === rating
      : action === "trash" || action === "restore"
        ? (row.trashed_at === null) === (action === "restore")
        : row.pick === picks[action];
  return isAlready ? "already" : undefined;
}

/** Returns the act that restores an asset's previous state. */
function undoOf({ action }: RowAct, row: Facts): AssetAct | undefined {
  if (action === "delete") return undefined;
  if (action === "rate") return { action, rating: row.rating };
  if (action === "trash") return { action: "restore" };
  if (action === "restore") return { action: "trash" };
  return { action: actOfPick[row.pick] };
}

/**
 * Runs one slice of an act on those of the assets that are in the project and visible to the
 * person. The whole slice is one notice in the feed, plus one to the person for private assets.
 */
export async function actOnAssets(
  unit: Unit,
  { projectId, userId }: { projectId: string; userId: string },
  ids: readonly string[],
  act: InnerAct,
  orderKeys?: ReadonlyMap<string, string>,
): Promise<ActOutcome> {
  const { tx } = unit;
  const { collectionId } = act;
  if (collectionId !== undefined) await lockCollection(tx, collectionId, projectId);
  const tagIds = act.action === "tag" ? await lockTags(tx, projectId, act.tagIds) : act.tagIds;
  const found = await lockSeen(tx, userId, ids);
  const rows = found.filter((row) => row.project_id === projectId);
  const { action } = act;
  const done =
    action === "tag" || action === "untag"
      ? await tagRows(unit, userId, rows, { action, tagIds: tagIds ?? [] })
      : action === "collect"
        ? await collectRows(
            unit,
            { collectionId: collectionId!, userId },
            inOrder(rows, ids),
            orderKeys,
          )
        : action === "uncollect"
          ? await uncollectRows(unit, collectionId!, rows)
          : await changeRows(unit, rows, { ...act, action });
  const left = new Map(done.left);
  if (rows.length < ids.length) left.set("gone", ids.length - rows.length);
  if (action !== "delete") notifyAssets(unit, projectId, done.changed);
  return { changed: done.changed.length, left, undo: done.undo };
}

/**
 * Locks those of the assets that the person may see, in any project: with the project in the query,
 * SQLite would read all its assets for a few ids. Ordered by id, the lock order of every unit that
 * locks several rows.
 */
export const lockSeen = (tx: Tx, userId: string, ids: readonly string[]): Promise<AssetRow[]> =>
  tx
    .selectFrom("asset")
    .selectAll()
    .where(isOneOf(tx, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", userId)]))
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();

/** Writes columns of the assets themselves. */
async function changeRows(
  unit: Unit,
  rows: readonly AssetRow[],
  act: RowAct,
): Promise<SliceOutcome> {
  const left = new Map<LeftReason, number>();
  const changed = rows.filter((row) => {
    const reason = reasonToLeave(act, row);
    if (reason) left.set(reason, (left.get(reason) ?? 0) + 1);
    return !reason;
  });
  const ids = changed.map(({ id }) => id);
  if (ids.length === 0) return { changed, left, undo: [] };
  if (act.action === "delete") await updateAssets(unit, ids, { deletedAt: unit.at });
  else {
    const { tx } = unit;
    const set = setOf(act, unit.at);
    await tx
      .updateTable("asset")
      .set(set)
      .where(isOneOf(tx, "id", toJson(ids)))
      .execute();
    if (act.action === "keep")
      for (const row of changed)
        unit.outbox.hooks.push(hookOfKept(toAsset({ ...row, ...set }), unit.at));
  }
  const undo = groupUndo(changed.map((row) => [undoOf(act, row), row.id]));
  return { changed, left, undo };
}

/**
 * Adds one notice to the project for shared assets, and one to each person for their private ones.
 */
export function notifyAssets(
  { outbox, at }: Unit,
  projectId: string,
  changed: readonly AssetRow[],
): void {
  for (const [userId, some] of Map.groupBy(changed, audienceOf))
    outbox.changes.push({
      projectId,
      userId,
      kind: "assets",
      id: projectId,
      assetIds: some.map(({ id }) => id),
      at,
    });
}

/** Restores the requested order, which becomes the order in a collection. */
function inOrder(rows: readonly AssetRow[], ids: readonly string[]): AssetRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Returns those of the tags that still exist. None of them can be deleted before the unit ends.
 * @throws Problem not_found when none exists
 */
async function lockTags(tx: Tx, projectId: string, tagIds: readonly string[] = []) {
  const rows = await tx
    .selectFrom("tag")
    .select(["id", "project_id"])
    .where(isOneOf(tx, "id", toJson(tagIds)))
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  const ids = rows.filter((row) => row.project_id === projectId).map(({ id }) => id);
  if (ids.length === 0) throw new Problem("not_found", { message: sentences.tags.gone });
  return ids;
}

/**
 * Adds tags to assets or removes them. For each asset, the undo lists only the tags that changed.
 */
async function tagRows(
  unit: Unit,
  userId: string,
  rows: readonly AssetRow[],
  { action, tagIds }: { action: "tag" | "untag"; tagIds: readonly string[] },
): Promise<SliceOutcome> {
  const { tx, at } = unit;
  const there = await tx
    .selectFrom("asset_tag")
    .select(["asset_id", "tag_id"])
    .where(isOneOf(tx, "asset_id", toJson(rows.map(({ id }) => id))))
    .execute();
  const tagsOf = Map.groupBy(there, (row) => row.asset_id);
  const left = new Map<LeftReason, number>();
  const leave = (reason: LeftReason) => left.set(reason, (left.get(reason) ?? 0) + 1);
  const changes: { row: AssetRow; tags: string[] }[] = [];
  for (const row of rows) {
    const own = new Set((tagsOf.get(row.id) ?? []).map((tag) => tag.tag_id));
    const tags = tagIds.filter((id) => own.has(id) === (action === "untag")).sort();
    if (tags.length === 0) leave("already");
    else if (action === "tag" && own.size + tags.length > limits.tagsPerAsset) leave("tooManyTags");
    else changes.push({ row, tags });
  }
  const changed = changes.map(({ row }) => row);
  if (changed.length === 0) return { changed, left, undo: [] };
  if (action === "tag")
    await tx
      .insertInto("asset_tag")
      .values(
        changes.flatMap(({ row, tags }) =>
          tags.map((tag) => ({ asset_id: row.id, tag_id: tag, user_id: userId, at })),
        ),
      )
      .execute();
  else
    await tx
      .deleteFrom("asset_tag")
      .where(isOneOf(tx, "asset_id", toJson(changed.map(({ id }) => id))))
      .where(isOneOf(tx, "tag_id", toJson(tagIds)))
      .execute();
  const back = action === "tag" ? ("untag" as const) : ("tag" as const);
  const undo = groupUndo(changes.map(({ row, tags }) => [{ action: back, tagIds: tags }, row.id]));
  return { changed, left, undo };
}

const audienceOf = ({ visibility, created_by }: AssetRow): string | null =>
  visibility === "author" ? created_by : null;
