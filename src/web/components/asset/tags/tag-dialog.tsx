import { useQuery } from "@tanstack/react-query";
import type { Tag } from "#contract/entities.ts";
import { tagsOfQuery } from "../../../data/queries/library/tags.queries.ts";
import type { ActionTarget } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import type { AssetActions } from "../inspector/use-asset-actions.ts";
import { ListDialog } from "../list-dialog.tsx";
import type { TagState } from "./tag-list.tsx";
import styles from "./tags.module.css";

export const TagList = lazyPart(() => import("./tag-list.tsx").then(({ TagList }) => TagList));

type TagDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  projectId: string;
  target: ActionTarget;
  /** The number of targeted assets. */
  count: number;
  /** The caller's actions, so that the caller's undo covers these changes. */
  actions: Pick<AssetActions, "act">;
};

/** Adds tags to assets and removes them. Typing a name creates a tag. */
export function TagDialog({
  open,
  onOpenChange,
  projectId,
  target,
  count,
  actions,
}: TagDialogProps) {
  const title = t("tags.title", { count });
  return (
    <ListDialog open={open} onOpenChange={onOpenChange} title={title}>
      <TagsOfAssets projectId={projectId} target={target} label={title} act={actions.act} />
    </ListDialog>
  );
}

type TagsOfAssetsProps = Pick<TagDialogProps, "projectId" | "target"> &
  Pick<AssetActions, "act"> & { label: string };

function TagsOfAssets({ projectId, target, label, act }: TagsOfAssetsProps) {
  const { data: there, error, refetch } = useQuery(tagsOfQuery(projectId, target));
  // Without the current tags, an existing one would look unset, and selecting it would add it
  // again.
  if (!there)
    return (
      <div className={styles.loading}>
        {error ? (
          <ErrorState compact error={error} onRetry={() => void refetch()} />
        ) : (
          <SkeletonText lines={5} />
        )}
      </div>
    );
  const chosen = there.tags.map((tag) => ({
    tag,
    state: tag.count === there.assets ? ("all" as const) : ("some" as const),
  }));
  const toggle = ({ id, name }: Tag, state: TagState | undefined) =>
    act({ action: state === "all" ? "untag" : "tag", tagIds: [id], name }, target);
  return (
    <TagList
      projectId={projectId}
      label={label}
      chosen={chosen}
      onToggle={toggle}
      onMake={(name, onDone) => act({ action: "tag", tags: [name], name }, target, onDone)}
    />
  );
}
