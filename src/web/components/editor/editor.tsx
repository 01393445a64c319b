import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Crop, SlidersHorizontal } from "lucide-react";
import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { useCommands, useKeysOf } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { assetName } from "../asset/asset-name.ts";
import { pictureUrl } from "../asset/asset-urls.ts";
import { useMayEdit } from "../asset/use-may-edit.ts";
import { useFocusReturn } from "../viewer/use-focus-return.ts";
import { useViewerAddress } from "../viewer/viewer-address.ts";
import { useViewerLists } from "../viewer/viewer-lists.tsx";
import { useAdjustTool } from "./adjust/adjust-tool.tsx";
import { useCropTool } from "./crop/crop-tool.tsx";
import styles from "./editor.module.css";
import { useEditorAddress } from "./editor-address.ts";
import type { EditedPicture } from "./tool.ts";
import { type EditTool, useEdit } from "./use-edit.ts";

/** Crops, straightens and adjusts a picture in place. The result is a new picture. */
export function Editor({ assetId }: { assetId: string }) {
  const { close } = useEditorAddress();
  const popup = useRef<HTMLDivElement>(null);
  const query = useQuery(assetQuery(assetId));
  useFocusReturn(assetId, useViewerLists().lists);
  // Until the editor's own shortcuts load, the keys of the screen behind must do nothing.
  useCommands([], "cover");
  const asset = query.data?.asset;
  const mayEdit = useMayEdit(asset);
  const hasSize = asset?.kind === "image" && asset.width !== null && asset.height !== null;
  return (
    <Dialog.Root open onOpenChange={(open) => open || close()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Popup
          ref={popup}
          className={styles.editor}
          data-theme="dark"
          data-takes-shortcuts=""
          initialFocus={popup}
          finalFocus={false}
        >
          <header className={styles.head}>
            <IconButton icon={ArrowLeft} label={t("edit.close")} onClick={close} />
            <Dialog.Title className={styles.title}>
              {asset ? t("edit.title", { name: assetName(asset) }) : t("ui.loading")}
            </Dialog.Title>
          </header>
          {asset && hasSize && mayEdit ? (
            <Tools key={asset.id} asset={asset} />
          ) : (
            <div className={styles.middle}>
              {query.error ? (
                <ErrorState error={query.error} onRetry={() => void query.refetch()} />
              ) : asset ? (
                <p>{t(mayEdit ? "edit.noPicture" : "edit.viewer")}</p>
              ) : (
                <Skeleton width="60%" height="70%" radius={5} />
              )}
            </div>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Tools({ asset }: { asset: Asset }) {
  const [tool, setTool] = useState<EditTool>("crop");
  const viewer = useViewerAddress();
  const picture: EditedPicture = {
    width: asset.width ?? 1,
    height: asset.height ?? 1,
    url: pictureUrl(asset),
  };
  const crop = useCropTool(picture);
  const adjust = useAdjustTool(picture);
  const edit = useEdit(asset, tool, viewer.showEdited);
  const { input, isUnchanged, stage, settings } = tool === "crop" ? crop : adjust;
  const canMake = edit.canMake && !isUnchanged && !edit.isBusy;
  const make = () => canMake && edit.make(input);
  useCommands(
    [
      {
        id: "edit.make",
        title: t(`edit.${tool}.make`),
        group: t("edit.group"),
        shortcut: "mod+enter",
        run: make,
      },
    ],
    "cover",
  );
  useKeysOf("crop", tool === "crop", "cover");
  const price = edit.price(input);
  const act = t(`edit.${tool}.make`);
  return (
    <div className={styles.body}>
      {stage}
      <section className={styles.panel} aria-label={t("edit.settings")}>
        <Segmented
          label={t("edit.tool")}
          value={tool}
          onValueChange={setTool}
          options={[
            { value: "crop", label: t("edit.crop"), icon: Crop },
            { value: "adjust", label: t("edit.adjust"), icon: SlidersHorizontal },
          ]}
        />
        <div className={styles.settings}>{settings}</div>
        <div className={styles.foot}>
          {Boolean(edit.failure) && (
            <ErrorState compact error={edit.failure} safe={t("edit.safe")} />
          )}
          {edit.isMissing && <p className={styles.hint}>{t("edit.missing")}</p>}
          <Button
            variant="primary"
            size="large"
            className={styles.make}
            busy={edit.isBusy}
            disabled={!canMake}
            data-tooltip={isUnchanged ? t(`edit.${tool}.unchanged`) : act}
            data-tooltip-keys="mod+enter"
            data-tooltip-side="top"
            onClick={make}
          >
            {price ? t("edit.make.price", { act, price }) : act}
          </Button>
        </div>
      </section>
    </div>
  );
}
