import type { ActionTarget } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import type { AssetActions } from "../inspector/use-asset-actions.ts";
import { ListDialog } from "../list-dialog.tsx";

const ProjectList = lazyPart(() =>
  import("./project-list.tsx").then(({ ProjectList }) => ProjectList),
);

type MoveDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The assets' project. */
  projectId: string;
  target: ActionTarget;
  /** The number of targeted assets. */
  count: number;
  actions: Pick<AssetActions, "act">;
  onMoved?: (() => void) | undefined;
};

/** Moves assets to another project. */
export function MoveDialog({
  open,
  onOpenChange,
  projectId,
  target,
  count,
  actions,
  onMoved,
}: MoveDialogProps) {
  const title = t("move.title", { count });
  const move = (toProjectId: string) => {
    actions.act({ action: "move", toProjectId }, target, onMoved);
    onOpenChange(false);
  };
  return (
    <ListDialog open={open} onOpenChange={onOpenChange} title={title}>
      <ProjectList projectId={projectId} label={title} onChoose={move} />
    </ListDialog>
  );
}
