import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { CornerDownLeft } from "lucide-react";
import type { Asset, Model } from "#contract/entities.ts";
import { isMadeByForm, type Task, tasks } from "#contract/tasks.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { taskIcon } from "../../../components/model/task-icon.ts";
import { isPlainClick, useViewerAddress } from "../../../components/viewer/viewer-address.ts";
import { modelsQuery, offeredTasksQuery } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { ModelPicker } from "./model-picker.tsx";
import styles from "./pick.module.css";

type UseAssetDialogProps = {
  projectId: string;
  /** Null closes the dialog. */
  asset: Asset | null;
  onClose: () => void;
  /** Set if the current form has a field for the file. */
  onUseHere?: () => void;
  onPick: (model: Model, task: Task) => void;
};

/**
 * Asks what to do with a file: use it in the form, crop it, upscale it, or choose a model that
 * accepts it.
 */
export function UseAssetDialog({
  projectId,
  asset,
  onClose,
  onUseHere,
  onPick,
}: UseAssetDialogProps) {
  return (
    <Dialog
      open={asset !== null}
      onOpenChange={(open) => open || onClose()}
      title={t("create.use.title")}
      size="wide"
      isBare
    >
      {asset && <Ways {...{ projectId, asset, onClose, onUseHere, onPick }} />}
    </Dialog>
  );
}

const firstWays = ["edit", "upscale", "background-removal"] as const satisfies readonly Task[];

function Ways({
  projectId,
  asset,
  onClose,
  onUseHere,
  onPick,
}: Omit<UseAssetDialogProps, "asset"> & { asset: Asset }) {
  const viewer = useViewerAddress();
  const offered = (useQuery(offeredTasksQuery(projectId)).data ?? []).filter(
    (name) => isMadeByForm(name) && (tasks[name].inputs as readonly string[]).includes(asset.kind),
  );
  const crop = useFirst(projectId, { task: "edit", search: "crop" }, asset);
  const upscale = useFirst(projectId, { task: "upscale" }, asset);
  const first = firstWays.find((name) => offered.includes(name)) ?? offered[0];
  return (
    <>
      <div className={styles.asset}>
        <div className={styles.assetFace}>
          <AssetTile
            asset={asset}
            href={`/library/${asset.id}`}
            width={96}
            // One dialog at a time.
            onOpen={(event) => {
              if (!isPlainClick(event)) return;
              event.preventDefault();
              onClose();
              viewer.open(asset.id);
            }}
          />
        </div>
        <div className={styles.assetWords}>
          <p className={styles.assetName}>{assetName(asset)}</p>
          <div className={styles.quick}>
            {onUseHere && (
              <Button variant="primary" icon={CornerDownLeft} onClick={onUseHere}>
                {t("create.use.here")}
              </Button>
            )}
            {crop && (
              <Button icon={taskIcon("edit")} onClick={() => onPick(crop, "edit")}>
                {t("create.use.crop")}
              </Button>
            )}
            {upscale && (
              <Button icon={taskIcon("upscale")} onClick={() => onPick(upscale, "upscale")}>
                {t("create.use.upscale")}
              </Button>
            )}
          </div>
        </div>
      </div>
      {first ? (
        <>
          <p className={styles.caption}>{t("create.use.models")}</p>
          <ModelPicker
            projectId={projectId}
            offered={offered}
            task={first}
            keep={(model) => model.inputModalities.some((modality) => modality === asset.kind)}
            onPick={onPick}
          />
        </>
      ) : (
        <p className={styles.nothing}>{t("create.use.none")}</p>
      )}
    </>
  );
}

/**
 * The first matching model that accepts the file; built-in models first, because they are free and
 * need no key.
 */
function useFirst(
  projectId: string,
  filter: { task: Task; search?: string },
  asset: Asset,
): Model | undefined {
  const isImage = asset.kind === "image";
  const query = useInfiniteQuery({ ...modelsQuery(projectId, filter), enabled: isImage });
  // A disabled query still returns cached data for an earlier picture.
  if (!isImage) return undefined;
  const fitting =
    query.data?.pages[0]?.models.filter((model) => model.inputModalities.includes("image")) ?? [];
  return fitting.find(({ connectionKind }) => connectionKind === "builtin") ?? fitting[0];
}
