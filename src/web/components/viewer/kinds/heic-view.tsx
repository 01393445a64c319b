import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import styles from "../stage/stage.module.css";
import { NoPreview } from "./no-preview.tsx";

/** A HEIC photo. Safari shows it, and other browsers report that they can't. */
export function HeicView({ asset }: { asset: Asset }) {
  const [isRefused, setRefused] = useState(false);
  if (isRefused) return <NoPreview asset={asset} text={t("viewer.heic")} />;
  return (
    <img
      className={styles.photo}
      src={fileUrl(asset.id)}
      alt={assetName(asset)}
      draggable={false}
      onError={() => setRefused(true)}
    />
  );
}
