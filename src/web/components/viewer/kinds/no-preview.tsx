import { Download, File } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import styles from "../stage/stage.module.css";

/** A file without a preview: its name, the reason, and a download button. */
export function NoPreview({
  asset,
  text = t("viewer.noPreview"),
}: {
  asset: Asset;
  text?: string;
}) {
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
        {text}
      </EmptyState>
    </div>
  );
}
