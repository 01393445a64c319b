import type { AssetAction, LeftReason } from "#contract/filters/asset-filters.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { AssetRow } from "../database/schema.ts";
import type { Unit } from "../runs/unit.ts";
import { hookOfKept } from "../webhooks/hooks.ts";
import { toAsset, updateAssets } from "./assets.ts";

/** What is done to each of several assets. */
export type AssetAct = { action: AssetAction; rating?: number | undefined };
/** What an act did, and the acts that take it back. */
export type ActOutcome = {
  changed: number;
  left: Map<LeftReason, number>;
  undo: { act: AssetAct; ids: string[] }[];
};

type Facts = Pick<AssetRow, "pick" | "rating" | "trashed_at">;

const picks = { keep: "kept", unkeep: "none", reject: "rejected" } as const;
const actOfPick = { kept: "keep", none: "unkeep", rejected: "reject" } as const;

/** What an act writes. */
const setOf = ({ action, rating = 0 }: AssetAct, at: number): Partial<Facts> =>
  action === "rate"
    ? { rating }
    : action === "trash"
      ? { trashed_at: at }
      : action === "restore"
        ? { trashed_at: null }
        : action === "delete"
          ? {}
          : { pick: picks[action] };

/** Why an act leaves an asset as it is. */
function reasonToLeave({ action, rating }: AssetAct, row: Facts): LeftReason | undefined {
  if (action === "delete") return row.trashed_at === null ? "notInTrash" : undefined;
  const isAlready =
    action === "rate"
      ? row.rating === rating
      : action === "trash" || action === "restore"
        ? (row.trashed_at === null) === (action === "restore")
        : row.pick === picks[action];
  return isAlready ? "already" : undefined;
}

/** The act that brings an asset back to what it was. */
function undoOf({ action }: AssetAct, row: Facts): AssetAct | undefined {
  if (action === "delete") return undefined;
  if (action === "rate") return { action, rating: row.rating };
  if (action === "trash") return { action: "restore" };
  if (action === "restore") return { action: "trash" };
  return { action: actOfPick[row.pick] };
}

/**
 * One slice of an act: of these assets those in the project that this person may see. The whole slice is one notice for the feed, and
 * another for its person of what is theirs alone.
 */
export async function actOnAssets(
  unit: Unit,
  { projectId, userId }: { projectId: string; userId: string },
  ids: readonly string[],
  act: AssetAct,
): Promise<ActOutcome> {
  const { tx } = unit;
  // In the order of their ids, as everything that takes several takes them.
  const found = await tx
    .selectFrom("asset")
    .selectAll()
    .where(isOneOf(tx, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", userId)]))
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  // Were the project in the query, SQLite would read all of its assets for a few ids.
  const rows = found.filter((row) => row.project_id === projectId);
  const left = new Map<LeftReason, number>();
  const leave = (reason: LeftReason, count: number) =>
    count > 0 && left.set(reason, (left.get(reason) ?? 0) + count);
  leave("gone", ids.length - rows.length);
  const changing = rows.filter((row) => {
    const reason = reasonToLeave(act, row);
    if (reason) leave(reason, 1);
    return !reason;
  });
  const changed = changing.map(({ id }) => id);
  if (changed.length === 0) return { changed: 0, left, undo: [] };
  if (act.action === "delete") await updateAssets(unit, changed, { deletedAt: unit.at });
  else {
    const set = setOf(act, unit.at);
    await tx
      .updateTable("asset")
      .set(set)
      .where(isOneOf(tx, "id", toJson(changed)))
      .execute();
    for (const [userId, some] of Map.groupBy(changing, audienceOf))
      unit.outbox.changes.push({
        projectId,
        userId,
        kind: "assets",
        id: projectId,
        assetIds: some.map(({ id }) => id),
        at: unit.at,
      });
    if (act.action === "keep")
      for (const row of changing)
        unit.outbox.hooks.push(hookOfKept(toAsset({ ...row, ...set }), unit.at));
  }
  return { changed: changed.length, left, undo: groupUndo(act, changing) };
}

const audienceOf = ({ visibility, created_by }: AssetRow): string | null =>
  visibility === "author" ? created_by : null;

function groupUndo(act: AssetAct, rows: readonly AssetRow[]): ActOutcome["undo"] {
  const groups = new Map<string, ActOutcome["undo"][number]>();
  for (const row of rows) {
    const undo = undoOf(act, row);
    if (!undo) continue;
    const key = JSON.stringify(undo);
    const group = groups.get(key) ?? { act: undo, ids: [] };
    groups.set(key, group);
    group.ids.push(row.id);
  }
  return [...groups.values()];
}

/** The outcome of an act's slices together. */
export function joinOutcomes(outcomes: readonly ActOutcome[]): ActOutcome {
  const whole: ActOutcome = { changed: 0, left: new Map(), undo: [] };
  for (const { changed, left, undo } of outcomes) {
    whole.changed += changed;
    for (const [reason, count] of left)
      whole.left.set(reason, (whole.left.get(reason) ?? 0) + count);
    for (const { act, ids } of undo) {
      const same = whole.undo.find((other) => JSON.stringify(other.act) === JSON.stringify(act));
      if (same) same.ids.push(...ids);
      else whole.undo.push({ act, ids: [...ids] });
    }
  }
  return whole;
}
