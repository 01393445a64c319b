import { useRef } from "react";
import type { AssetAction, LeftReason } from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import {
  type ActionTarget,
  type AssetAct,
  useUpdateAssets,
} from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import type { MessageId } from "../../../messages/t.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

type Outcome = RouteOutput<"updateAssets">;

const noticeOf = {
  keep: "selection.kept",
  unkeep: "selection.unkept",
  reject: "selection.rejected",
  rate: "selection.rated",
  tag: "selection.tagged",
  untag: "selection.untagged",
  collect: "selection.collected",
  uncollect: "selection.uncollected",
  move: "selection.moved",
  trash: "selection.trashed",
  restore: "selection.restored",
  delete: "selection.deleted",
} as const satisfies Record<AssetAction, MessageId>;
const skipReasons = {
  gone: "selection.left.gone",
  notInTrash: "selection.left.notInTrash",
  tooManyTags: "selection.left.tooManyTags",
  collectionFull: "selection.left.collectionFull",
  inTrash: "selection.left.inTrash",
  ofTemporaryChat: "selection.left.ofTemporaryChat",
  storageFull: "selection.left.storageFull",
  tagsFull: "selection.left.tagsFull",
  mayNotMove: "selection.left.mayNotMove",
  interrupted: "selection.left.interrupted",
} as const satisfies Record<Exclude<LeftReason, "already">, MessageId>;

const limitOf: Partial<Record<string, number>> = {
  tooManyTags: limits.tagsPerAsset,
  collectionFull: limits.assetsPerCollection,
  tagsFull: limits.tagsPerProject,
};
/** Actions that change assets out of view. A toast reports them and offers undo. */
const reportedActions: readonly AssetAction[] = [
  "collect",
  "uncollect",
  "move",
  "trash",
  "restore",
  "delete",
];

const skippedOf = (left: Outcome["left"]): string[] =>
  left.flatMap(({ reason, count }) =>
    reason === "already" ? [] : t(skipReasons[reason], { count, most: limitOf[reason] ?? 0 }),
  );

/** An act, with the name of the tag or collection for the toast. */
export type NamedAct = AssetAct & { name?: string };

/** Undoes an act. False if there is nothing to undo, or if it was undone before. */
export type TakeBack = () => boolean;

function once(run: (() => unknown) | false): TakeBack {
  let isDone = run === false;
  return () => {
    if (isDone || !run) return false;
    isDone = true;
    run();
    return true;
  };
}

/** How many acts can be undone; one may hold thousands of ids. */
const undoable = 50;

const isTarget = (on: readonly string[] | ActionTarget): on is ActionTarget => !Array.isArray(on);

export type AssetActions = ReturnType<typeof useAssetActions>;

/**
 * Acts on several assets immediately, and reports in a toast, with undo where possible. Marks are
 * visible in place, so a toast reports them only if everything that a filter matches was marked or
 * something was skipped. `ofProject` is the assets' project, by default the current one. `onActed`
 * receives the acts that undo. `reportsMarks`, or the last argument of an act, makes a toast report
 * marks as well.
 */
export function useAssetActions({
  ofProject,
  onActed,
  reportsMarks = false,
}: {
  ofProject?: string | undefined;
  onActed?: (takeBack: TakeBack) => void;
  reportsMarks?: boolean;
} = {}) {
  const { project, projects } = useSession();
  const projectId = ofProject ?? project.id;
  const update = useUpdateAssets(projectId);
  const toast = useToast();
  const onError = useErrorToast();
  /** What undoes each act, the latest last. An act may still be pending. */
  const done = useRef<Promise<TakeBack>[]>([]);
  const taking = useRef(Promise.resolve());
  /** Ends when everything that was asked to be undone is. */
  const undone = useRef(Promise.resolve());
  const undo = (acts: Outcome["undo"]) => {
    undone.current = undone.current.then(() => undoInOrder(acts));
  };
  /** Moved assets return before they are put into their collections. */
  const undoInOrder = async (acts: Outcome["undo"]) => {
    try {
      for (const { ids, ...act } of acts) {
        const { left } = await update.mutateAsync({ ...act, target: { ids } });
        const missed = skippedOf(left);
        if (missed.length > 0)
          toast({ text: t("selection.undo.partly"), detail: missed.join(" ") });
      }
    } catch (error) {
      onError(error);
    }
  };
  const say = (
    { action, toProjectId, name = "" }: NamedAct,
    target: ActionTarget,
    { changed, left, undo: acts }: Outcome,
    takeBack: TakeBack,
    isReported: boolean,
  ) => {
    const missed = skippedOf(left);
    const isMark = !reportedActions.includes(action);
    if (isMark && !isReported && "ids" in target && missed.length === 0) return;
    toast({
      text: t(noticeOf[action], {
        count: changed,
        name,
        project: projects.find(({ id }) => id === toProjectId)?.name ?? "",
      }),
      detail: missed.length > 0 ? missed.join(" ") : undefined,
      action:
        acts.length > 0 ? { label: t("ui.undo"), onAction: () => void takeBack() } : undefined,
    });
  };
  const act = (
    given: AssetAction | NamedAct,
    on: readonly string[] | ActionTarget,
    onDone?: () => void,
    isReported = reportsMarks,
  ) => {
    const { name, ...what }: NamedAct = typeof given === "string" ? { action: given } : given;
    const target: ActionTarget = isTarget(on) ? on : { ids: on };
    const answer = update.mutateAsync({ ...what, target });
    const takeBackOf = ({ undo: acts }: Outcome) => once(acts.length > 0 && (() => undo(acts)));
    const undoing = answer.then(takeBackOf, () => () => false);
    done.current = [...done.current.slice(1 - undoable), undoing];
    answer.then(async (outcome) => {
      // The rest of an interrupted act stays selected, so that it can be repeated.
      if (!outcome.left.some(({ reason }) => reason === "interrupted")) onDone?.();
      const takeBack = await undoing;
      if (outcome.undo.length > 0) onActed?.(takeBack);
      say({ ...what, name }, target, outcome, takeBack, isReported);
    }, onError);
  };
  return {
    act,
    /** Undoes the last act that isn't undone yet, if there is one. */
    undoLast: () => {
      const takeLast = async () => {
        let isUndone = false;
        while (!isUndone && done.current.length > 0) isUndone = (await done.current.pop())!();
      };
      // A second press waits for the first, whose act may still be pending.
      taking.current = taking.current.then(takeLast);
    },
    isPending: update.isPending,
    canEdit: project.role !== "viewer",
    projectId,
  };
}
