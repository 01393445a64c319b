import type { AssetAction, LeftReason } from "#contract/filters/asset-filters.ts";
import type { AssetRow } from "../database/schema.ts";

/** What is done to each of several assets. */
export type AssetAct = {
  action: AssetAction;
  rating?: number | undefined;
  /** Of `tag` and `untag`. */
  tagIds?: readonly string[] | undefined;
  /** Of `collect` and `uncollect`. */
  collectionId?: string | undefined;
  /** Of `move`. */
  toProjectId?: string | undefined;
  /** Where it is done, if not in the project of the act that it takes back. */
  projectId?: string | undefined;
};
/** What an act did, and the acts that take it back. */
export type ActOutcome = {
  changed: number;
  left: Map<LeftReason, number>;
  /** `orderKeys`, of each id: where it was in the collection that it is put back into. */
  undo: { act: AssetAct; ids: string[]; orderKeys?: string[] }[];
};

/** What became of one slice of an act. */
export type Done = {
  changed: readonly AssetRow[];
  left: ReadonlyMap<LeftReason, number>;
  undo: ActOutcome["undo"];
};

/** What takes an act back, once for all assets that it takes the same. */
export function groupUndo(
  acts: readonly [act: AssetAct | undefined, assetId: string][],
): ActOutcome["undo"] {
  const groups = new Map<string, ActOutcome["undo"][number]>();
  for (const [act, id] of acts) {
    if (!act) continue;
    const key = JSON.stringify(act);
    const group = groups.get(key) ?? { act, ids: [] };
    groups.set(key, group);
    group.ids.push(id);
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
    for (const { act, ids, orderKeys } of undo) {
      const same = whole.undo.find((other) => JSON.stringify(other.act) === JSON.stringify(act));
      if (same) {
        same.ids.push(...ids);
        if (orderKeys) same.orderKeys?.push(...orderKeys);
      } else
        whole.undo.push({ act, ids: [...ids], ...(orderKeys && { orderKeys: [...orderKeys] }) });
    }
  }
  return whole;
}
