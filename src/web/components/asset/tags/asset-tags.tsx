import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { useAssetActions } from "../inspector/use-asset-actions.ts";
import { TagChips } from "./tag-chips.tsx";
import { TagDialog } from "./tag-dialog.tsx";

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
    <>
      <TagChips
        tags={tags}
        edit={canEdit ? { onRemove: take, onAdd: () => setOpen(true) } : undefined}
      />
      {canEdit && (
        <TagDialog
          open={isOpen}
          onOpenChange={setOpen}
          projectId={asset.projectId}
          target={{ ids: [asset.id] }}
          count={1}
          actions={actions}
        />
      )}
    </>
  );
}
