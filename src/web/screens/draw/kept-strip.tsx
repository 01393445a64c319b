import type { Asset } from "#contract/entities.ts";
import { AssetTile } from "../../components/asset-tile.tsx";
import { t } from "../../messages/t.ts";
import styles from "./draw.module.css";

/** What was kept in this visit, newest first. */
export function KeptStrip({ assets }: { assets: readonly Asset[] }) {
  if (assets.length === 0) return null;
  return (
    <section className={styles.kept} aria-label={t("draw.kept.list")}>
      <h2>{t("draw.kept.list")}</h2>
      <ul>
        {assets.map((asset) => (
          <li key={asset.id}>
            <AssetTile asset={asset} href={`/library/${asset.id}`} width={96} />
          </li>
        ))}
      </ul>
    </section>
  );
}
