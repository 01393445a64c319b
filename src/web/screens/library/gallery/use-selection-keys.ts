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
import type { AssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import type { ActionTarget } from "../../../data/queries/library.queries.ts";
import { type Command, useCommands } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";

type SelectionKeys = {
  /** The selected items, or the open one; undefined without either. */
  target: ActionTarget | undefined;
  actions: AssetActions;
  onTag: () => void;
  onCollect: () => void;
  onMoveToProject: () => void;
  /** Moves the selected items by one place, in a collection's order. */
  onMove: ((by: -1 | 1) => void) | undefined;
  /** Undefined while nothing is selected. */
  onClear: (() => void) | undefined;
  /** Moves every rejected item to the trash. */
  trashRejects: () => void;
};

/** The shortcuts that mark the selection, listed under "?" and in the palette. */
export function useSelectionKeys({
  target,
  actions,
  onTag,
  onCollect,
  onMoveToProject,
  onMove,
  onClear,
  trashRejects,
}: SelectionKeys): void {
  const group = t("selection.group");
  const { act, undoLast, canEdit } = actions;
  const marks: Command[] = target
    ? [
        {
          id: "library.keep",
          title: t("selection.keep"),
          group,
          icon: BookmarkCheck,
          shortcut: "p",
          run: () => act("keep", target),
        },
        {
          id: "library.reject",
          title: t("selection.reject"),
          group,
          icon: ThumbsDown,
          shortcut: "x",
          run: () => act("reject", target),
        },
        {
          id: "library.tag",
          title: t("selection.tag"),
          group,
          icon: Tag,
          shortcut: "t",
          run: onTag,
        },
        {
          id: "library.collect",
          title: t("collections.act"),
          group,
          icon: FolderPlus,
          shortcut: "c",
          run: onCollect,
        },
        {
          id: "library.moveToProject",
          title: t("move.act"),
          group,
          icon: FolderInput,
          shortcut: "shift+m",
          run: onMoveToProject,
        },
        ...(onMove
          ? ([-1, 1] as const).map((by) => ({
              id: `library.move.${by}`,
              title: t(by < 0 ? "library.collection.earlier" : "library.collection.later"),
              group,
              icon: by < 0 ? ArrowLeft : ArrowRight,
              shortcut: by < 0 ? "[" : "]",
              run: () => onMove(by),
            }))
          : []),
        ...[0, 1, 2, 3, 4, 5].map((rating) => ({
          id: `library.rate.${rating}`,
          title: t("asset.rate", { stars: rating }),
          group,
          icon: Star,
          shortcut: String(rating),
          isKeyOnly: true,
          run: () => act({ action: "rate", rating }, target),
        })),
      ]
    : [];
  // The grid handles Escape while it has the focus, but Ctrl-A selects from anywhere on the screen.
  const clear: Command[] = onClear
    ? [
        {
          id: "library.clear",
          title: t("selection.clear"),
          group,
          icon: X,
          shortcut: "escape",
          run: onClear,
        },
      ]
    : [];
  useCommands(
    canEdit
      ? [
          ...clear,
          ...marks,
          {
            id: "library.undo",
            title: t("selection.undo"),
            group,
            icon: Undo2,
            shortcut: "u",
            run: undoLast,
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
