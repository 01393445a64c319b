import { CollectDialog } from "../../../components/asset/collections/collect-dialog.tsx";
import type { AssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import { MoveDialog } from "../../../components/asset/move/move-dialog.tsx";
import { TagDialog } from "../../../components/asset/tags/tag-dialog.tsx";
import type { ActionTarget } from "../../../data/queries/library.queries.ts";

const dialogs = { tag: TagDialog, collect: CollectDialog, move: MoveDialog };

/** What a dialog asks about: new tags, a collection, or another project. */
export type Question = keyof typeof dialogs;

type SelectionDialogProps = {
  question: Question;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  projectId: string;
  target: ActionTarget;
  /** The number of targeted items. */
  count: number;
  actions: AssetActions;
  onMoved: () => void;
};

/** The dialog of an act on the selected items that needs an answer. */
export function SelectionDialog({ question, ...props }: SelectionDialogProps) {
  const Dialog = dialogs[question];
  return <Dialog {...props} />;
}
