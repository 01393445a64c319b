import { useChangeCollection } from "../../../data/queries/library/collections.queries.ts";
import type { ActTarget } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { Part } from "../../../ui/part.tsx";
import type { AssetActions } from "../inspector/use-asset-actions.ts";
import styles from "../tags/tags.module.css";

const CollectionList = lazyPart(() =>
  import("./collection-list.tsx").then(({ CollectionList }) => CollectionList),
);

type CollectDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  projectId: string;
  target: ActTarget;
  /** How many those are. */
  count: number;
  actions: Pick<AssetActions, "act">;
};

/** Puts assets into a collection that is chosen, or made by typing its name. */
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
  const collect = (collectionId: string) => {
    actions.act({ action: "collect", collectionId }, target);
    onOpenChange(false);
  };
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} isBare>
      <Part
        fallback={
          <div className={styles.loading}>
            <SkeletonText lines={5} />
          </div>
        }
      >
        <CollectionList
          projectId={projectId}
          label={title}
          onChoose={({ id }) => collect(id)}
          onMake={(name) =>
            !change.isPending &&
            change.mutate(
              { create: { name } },
              { onSuccess: (made) => made && collect(made.id), onError },
            )
          }
        />
      </Part>
    </Dialog>
  );
}
