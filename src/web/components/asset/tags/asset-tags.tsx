import { Plus } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { t } from "../../../messages/t.ts";
import { Chip, TagChip } from "../../../ui/controls/chip.tsx";
import { useAssetActions } from "../inspector/use-asset-actions.ts";
import { TagDialog } from "./tag-dialog.tsx";
import styles from "./tags.module.css";

type AssetTagsProps = {
  asset: Pick<Asset, "id" | "projectId">;
  tags: RouteOutput<"getAsset">["tags"];
  canEdit: boolean;
};

export function AssetTags({ asset, tags, canEdit }: AssetTagsProps) {
  const actions = useAssetActions({ ofProject: asset.projectId });
  const [isOpen, setOpen] = useState(false);
  const removal = useAssetActions({ ofProject: asset.projectId, reportsMarks: true });
  const take = ({ id, name }: (typeof tags)[number]) =>
    removal.act({ action: "untag", tagIds: [id], name }, [asset.id]);
  return (
    <div className={styles.tags}>
      {tags.map((tag) => (
        <TagChip
          key={tag.id}
          {...(canEdit && {
            onRemove: () => take(tag),
            removeLabel: t("tags.remove", { name: tag.name }),
          })}
        >
          {tag.name}
        </TagChip>
      ))}
      {canEdit && (
        <>
          <Chip icon={Plus} onClick={() => setOpen(true)}>
            {t("tags.add")}
          </Chip>
          <TagDialog
            open={isOpen}
            onOpenChange={setOpen}
            projectId={asset.projectId}
            target={{ ids: [asset.id] }}
            count={1}
            actions={actions}
          />
        </>
      )}
    </div>
  );
}
