import { Download, File } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl, posterUrl } from "../../../components/asset/asset-urls.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import styles from "./asset-viewer.module.css";
import { AudioView } from "./audio-view.tsx";
import { TextView } from "./text-view.tsx";

export const loadZoomView = () => import("./zoom-view.tsx").then(({ ZoomView }) => ZoomView);
const ZoomView = lazyPart(loadZoomView);

/** Shows an asset by its kind. */
export function AssetViewer({ asset }: { asset: Asset }) {
  switch (asset.kind) {
    case "image":
      return <ZoomView asset={asset} />;
    case "video":
      return (
        <div className={styles.middle}>
          {/* biome-ignore lint/a11y/useMediaCaption: captions are kept with the film where it has some */}
          <video
            controls
            className={styles.video}
            src={fileUrl(asset.id)}
            poster={posterUrl(asset)}
            aria-label={assetName(asset)}
          />
        </div>
      );
    case "audio":
      return <AudioView asset={asset} />;
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
      <Download aria-hidden className={styles.icon} />
      {t("asset.download")}
    </a>
  );
  return (
    <EmptyState icon={File} title={assetName(asset)} action={action}>
      {t("asset.noPreview")}
    </EmptyState>
  );
}
