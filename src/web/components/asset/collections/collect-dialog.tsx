import type { Collection } from "#contract/entities.ts";
import { useChangeCollection } from "../../../data/queries/library/collections.queries.ts";
import type { ActionTarget } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import type { AssetActions } from "../inspector/use-asset-actions.ts";
import { ListDialog } from "../list-dialog.tsx";

const CollectionList = lazyPart(() =>
  import("./collection-list.tsx").then(({ CollectionList }) => CollectionList),
);

type CollectDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  projectId: string;
  target: ActionTarget;
  /** The number of targeted assets. */
  count: number;
  actions: Pick<AssetActions, "act">;
};

/** Adds assets to an existing collection, or to a new one created by typing its name. */
export function CollectDialog({
  open,
  onOpenChange,
  projectId,
  target,
  count,
  actions,
}: CollectDialogProps) {
  const change = useChangeCollection(projectId);
  const onError = useErrorToast();
  const title = t("collections.add.title", { count });
  const collect = ({ id, name }: Pick<Collection, "id" | "name">) => {
    actions.act({ action: "collect", collectionId: id, name }, target);
    onOpenChange(false);
  };
  return (
    <ListDialog open={open} onOpenChange={onOpenChange} title={title}>
      <CollectionList
        projectId={projectId}
        label={title}
        onChoose={collect}
        onMake={(name) =>
          !change.isPending &&
          change.mutate(
            { create: { name } },
            { onSuccess: (made) => made && collect(made), onError },
          )
        }
      />
    </ListDialog>
  );
}
