import { Link } from "@tanstack/react-router";
import { Download, FolderInput, Pencil, ScanSearch, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { useUpdateAsset } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { NameField } from "../../../ui/controls/name-field.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { assetName } from "../asset-name.ts";
import { fileUrl } from "../asset-urls.ts";
import { canFindSimilar } from "../can-find-similar.ts";
import { MoveDialog } from "../move/move-dialog.tsx";
import styles from "./asset-inspector.module.css";
import { useAssetActions } from "./use-asset-actions.ts";

/** Download, rename, move and trash; viewers get only download. */
export function AssetMenu({ asset, canEdit }: { asset: Asset; canEdit: boolean }) {
  const actions = useAssetActions({ ofProject: asset.projectId });
  const [isRenaming, setRenaming] = useState(false);
  const [isMoving, setMoving] = useState(false);
  return (
    <div className={styles.menu}>
      <a
        className={buttonClass({ size: "small" })}
        href={fileUrl(asset.id, { download: true })}
        download
      >
        <Download aria-hidden className={styles.icon} />
        {t("asset.download")}
      </a>
      {canFindSimilar(asset) && (
        <Link
          to="/library"
          search={{ similar: asset.id }}
          className={buttonClass({ size: "small" })}
        >
          <ScanSearch aria-hidden className={styles.icon} />
          {t("asset.similar")}
        </Link>
      )}
      {canEdit && (
        <>
          <Button size="small" icon={Pencil} onClick={() => setRenaming(true)}>
            {t("asset.rename")}
          </Button>
          <Button size="small" icon={FolderInput} onClick={() => setMoving(true)}>
            {t("move.act")}
          </Button>
          <Button
            size="small"
            variant="danger"
            icon={Trash2}
            onClick={() => actions.act("trash", [asset.id])}
          >
            {t("asset.trash")}
          </Button>
          <RenameDialog asset={asset} open={isRenaming} onOpenChange={setRenaming} />
          <MoveDialog
            open={isMoving}
            onOpenChange={setMoving}
            projectId={asset.projectId}
            target={{ ids: [asset.id] }}
            actions={actions}
            count={1}
          />
        </>
      )}
    </div>
  );
}

function RenameDialog({
  asset,
  open,
  onOpenChange,
}: {
  asset: Asset;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const update = useUpdateAsset(asset.projectId);
  const [typed, setTyped] = useState<string | null>(null);
  const title = typed ?? assetName(asset);
  const close = () => {
    setTyped(null);
    update.reset();
    onOpenChange(false);
  };
  const save = () => update.mutate({ assetId: asset.id, title }, { onSuccess: close });
  const footer = (
    <>
      <Button onClick={close}>{t("ui.cancel")}</Button>
      <Button
        variant="primary"
        busy={update.isPending}
        disabled={title.trim() === ""}
        onClick={save}
      >
        {t("ui.save")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={t("asset.rename")}
      footer={footer}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== "") save();
        }}
      >
        <NameField
          maxLength={limits.nameCharacters}
          label={t("asset.name")}
          value={title}
          onValueChange={setTyped}
          previous={assetName(asset)}
          error={update.error ? describeError(update.error).title : null}
        />
      </form>
    </Dialog>
  );
}
