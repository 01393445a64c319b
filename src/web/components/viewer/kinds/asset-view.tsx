import { Download, File } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import styles from "../stage/stage.module.css";
import { SoundView } from "./sound-view.tsx";
import { TextView } from "./text-view.tsx";
import { VideoView } from "./video-view.tsx";

/** Shows what is no picture, by its kind. */
export function AssetView({ asset }: { asset: Asset }) {
  switch (asset.kind) {
    case "video":
      return <VideoView asset={asset} />;
    case "audio":
      return <SoundView asset={asset} />;
    case "text":
      return <TextView asset={asset} />;
    default:
      return <NoPreview asset={asset} />;
  }
}

function NoPreview({ asset }: { asset: Asset }) {
  const action = (
    <a
      className={buttonClass({ variant: "primary" })}
      href={fileUrl(asset.id, { download: true })}
      download
    >
      <Download aria-hidden size={16} />
      {t("asset.download")}
    </a>
  );
  return (
    <div className={styles.middle}>
      <EmptyState icon={File} title={assetName(asset)} action={action}>
        {t("viewer.noPreview")}
      </EmptyState>
    </div>
  );
}
