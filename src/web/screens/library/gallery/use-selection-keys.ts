import {
  ArrowLeft,
  ArrowRight,
  BookmarkCheck,
  FolderInput,
  FolderPlus,
  Star,
  Tag,
  ThumbsDown,
  Trash2,
  Undo2,
  X,
} from "lucide-react";
import { useEffect, useRef } from "react";
import type { AssetAction } from "#contract/filters/asset-filters.ts";
import type { AssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import type { ActionTarget, AssetAct } from "../../../data/queries/library.queries.ts";
import { type Command, useCommands } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";
import type { SelectionState } from "./use-selection.ts";

type SelectionKeys = {
  /** The selected items, or the open one; undefined without either. */
  target: ActionTarget | undefined;
  /** The item in focus, on which the keys act without a target. Undefined in the trash. */
  atFocus: (() => ActionTarget | undefined) | undefined;
  state: SelectionState;
  actions: AssetActions;
  onTag: (on: ActionTarget) => void;
  onCollect: (on: ActionTarget) => void;
  onMoveToProject: (on: ActionTarget) => void;
  /** Undefined in the trash, and while nothing is selected or loading. */
  onTrash: (() => void) | undefined;
  /** Moves the selected items by one place, in a collection's order. */
  onMove: ((by: -1 | 1) => void) | undefined;
  /** Undefined while nothing is selected or loading. */
  onClear: (() => void) | undefined;
  /** Moves every rejected item to the trash. */
  trashRejects: () => void;
};

/**
 * The shortcuts that mark the selection, listed under "?" and in the palette. Those pressed while
 * the selection loads act on it once it is there.
 */
export function useSelectionKeys(keys: SelectionKeys): void {
  const { target, atFocus, state, actions, onTrash, onMove, onClear, trashRejects } = keys;
  const group = t("selection.group");
  const { canEdit } = actions;
  const waiting = useRef<((keys: SelectionKeys) => void)[]>([]);
  useEffect(() => {
    if (state === "coming") return;
    const pressed = waiting.current.splice(0);
    if (state === "here") for (const run of pressed) run(keys);
  });
  const whenHere = (run: (keys: SelectionKeys) => void) => () => {
    if (state === "coming") waiting.current.push(run);
    else run(keys);
  };
  const whenMarked = (run: (target: ActionTarget, keys: SelectionKeys) => void) =>
    whenHere((now) => {
      const on = now.target ?? now.atFocus?.();
      if (on) run(on, now);
    });
  const mark = (action: AssetAction | AssetAct) =>
    whenMarked((on, { actions: { act } }) => act(action, on));
  const isMarkable = target !== undefined || state === "coming";
  const marks: Omit<Command, "group">[] = atFocus
    ? [
        {
          id: "library.keep",
          title: t("selection.keep"),
          icon: BookmarkCheck,
          shortcut: "p",
          run: mark("keep"),
        },
        {
          id: "library.reject",
          title: t("selection.reject"),
          icon: ThumbsDown,
          shortcut: "x",
          run: mark("reject"),
        },
        {
          id: "library.tag",
          title: t("selection.tag"),
          icon: Tag,
          shortcut: "t",
          run: whenMarked((on, { onTag }) => onTag(on)),
        },
        {
          id: "library.collect",
          title: t("collections.act"),
          icon: FolderPlus,
          shortcut: "c",
          run: whenMarked((on, { onCollect }) => onCollect(on)),
        },
        {
          id: "library.moveToProject",
          title: t("move.act"),
          icon: FolderInput,
          shortcut: "shift+m",
          run: whenMarked((on, { onMoveToProject }) => onMoveToProject(on)),
        },
        ...(onTrash
          ? [
              {
                id: "selection.trash",
                title: t("selection.trash"),
                icon: Trash2,
                shortcut: "delete",
                run: whenMarked((_on, now) => now.onTrash?.()),
              },
            ]
          : []),
        ...(onMove && isMarkable
          ? ([-1, 1] as const).map((by) => ({
              id: `library.move.${by}`,
              title: t(by < 0 ? "library.collection.earlier" : "library.collection.later"),
              icon: by < 0 ? ArrowLeft : ArrowRight,
              shortcut: by < 0 ? "[" : "]",
              run: whenMarked((_on, now) => now.onMove?.(by)),
            }))
          : []),
        ...[0, 1, 2, 3, 4, 5].map((rating) => ({
          id: `library.rate.${rating}`,
          title: t("asset.rate", { stars: rating }),
          icon: Star,
          keywords: [t("asset.rating")],
          shortcut: String(rating),
          isFoundOnly: true,
          run: mark({ action: "rate", rating }),
        })),
      ]
    : [];
  const clear: Command[] = onClear
    ? [
        {
          id: "library.clear",
          title: t("selection.clear"),
          group,
          icon: X,
          shortcut: "escape",
          // Without another key before it, it cancels the loading.
          run: () =>
            waiting.current.length > 0 ? whenHere((now) => now.onClear?.())() : onClear(),
        },
      ]
    : [];
  useCommands(
    canEdit
      ? [
          ...clear,
          // The palette has the acts of the item in focus from its tile.
          ...marks.map((act) => ({ group, isKeyOnly: !isMarkable, ...act })),
          {
            id: "library.undo",
            title: t("selection.undo"),
            group,
            icon: Undo2,
            shortcut: "u",
            run: whenHere((now) => now.actions.undoLast()),
          },
          {
            id: "library.trashRejects",
            title: t("library.trashRejects"),
            group,
            icon: Trash2,
            run: trashRejects,
          },
        ]
      : clear,
  );
}
