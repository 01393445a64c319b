import { useMemo } from "react";
import type { Asset } from "#contract/entities.ts";
import { AssetTile } from "../../components/asset/asset-tile.tsx";
import { listOfAssets, useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { t } from "../../messages/t.ts";
import styles from "./draw.module.css";

/** Frames pinned on this page, newest first. */
export function PinnedStrip({ assets }: { assets: readonly Asset[] }) {
  useViewerList(useMemo(() => listOfAssets(assets), [assets]));
  if (assets.length === 0) return null;
  return (
    <section className={styles.pinned} aria-label={t("draw.pinned.list")}>
      <h2>{t("draw.pinned.list")}</h2>
      <ul>
        {assets.map((asset) => (
          <li key={asset.id}>
            <AssetTile asset={asset} href={`/library/${asset.id}`} width={96} hasToolbar />
          </li>
        ))}
      </ul>
    </section>
  );
}
