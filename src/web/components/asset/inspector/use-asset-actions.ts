import { type AssetAction, useUpdateAssets } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

const saidOf = {
  trash: "selection.trashed",
  restore: "selection.restored",
  delete: "selection.deleted",
} as const;
const undoOf: Partial<Record<AssetAction, AssetAction>> = { trash: "restore", restore: "trash" };

/** Acts on several assets: done at once, said in a toast, with undo where there is one. What is kept is seen where it lies, so no toast says it. */
export function useAssetActions() {
  const { project } = useSession();
  const update = useUpdateAssets(project.id);
  const toast = useToast();
  const onError = useErrorToast();
  const act = (
    action: keyof typeof saidOf | "keep" | "unkeep",
    ids: string[],
    onDone?: () => void,
  ) =>
    update.mutate(
      { ids, action },
      {
        onError,
        onSuccess: () => {
          onDone?.();
          if (action === "keep" || action === "unkeep") return;
          const undo = undoOf[action];
          const onAction = () => undo && update.mutate({ ids, action: undo }, { onError });
          toast({
            text: t(saidOf[action], { count: ids.length }),
            action: undo && { label: t("ui.undo"), onAction },
          });
        },
      },
    );
  return {
    act,
    isPending: update.isPending,
    canEdit: project.role !== "viewer",
    projectId: project.id,
  };
}
