import type { AssetAction, LeftReason } from "#contract/filters/asset-filters.ts";
import type { AssetRow } from "../database/schema.ts";

/** One action on each of several assets. */
export type AssetAct = {
  action: AssetAction;
  rating?: number | undefined;
  /** The tags of `tag` and `untag`. */
  tagIds?: readonly string[] | undefined;
  /** The collection of `collect` and `uncollect`. */
  collectionId?: string | undefined;
  /** The target project of `move`. */
  toProjectId?: string | undefined;
  /** The project to act in; undefined means the project of the act being undone. */
  projectId?: string | undefined;
};
/** The result of an act, and the acts that undo it. */
export type ActOutcome = {
  changed: number;
  left: Map<LeftReason, number>;
  /** `orderKeys` holds each id's position in the collection it is put back into. */
  undo: { act: AssetAct; ids: string[]; orderKeys?: string[] }[];
};

/** The result of one slice of an act. */
export type SliceOutcome = {
  changed: readonly AssetRow[];
  left: ReadonlyMap<LeftReason, number>;
  undo: ActOutcome["undo"];
};

/** Groups undo acts, so that assets with the same undo share one. */
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

/** Combines the outcomes of an act's slices. */
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
