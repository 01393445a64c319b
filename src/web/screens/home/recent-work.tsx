import { Link } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { AssetTile } from "../../components/asset/asset-tile.tsx";
import { layoutJustified } from "../../components/grid/justified-layout.ts";
import { useContentWidth } from "../../components/grid/use-grid-window.ts";
import { listOfAssets, useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { t } from "../../messages/t.ts";
import styles from "./home.module.css";

const rows = 2;
const gap = 6;

/** The latest results and uploads, in two rows. */
export function RecentWork({ assets }: { assets: readonly Asset[] }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useContentWidth(box);
  const layout = useMemo(
    () =>
      layoutJustified({
        count: width > 0 ? assets.length : 0,
        ratioAt: (index) => {
          const asset = assets[index];
          return asset?.width && asset.height ? asset.width / asset.height : 1;
        },
        width,
        targetHeight: width < 600 ? 112 : 170,
        gap,
        headingHeight: 0,
      }),
    [assets, width],
  );
  const shownRows = Math.min(rows, layout.rowCount);
  const end = layout.rowFirst[shownRows] ?? 0;
  const height =
    shownRows > 0
      ? (layout.rowTop[shownRows - 1] ?? 0) + (layout.rowHeight[shownRows - 1] ?? 0)
      : 0;
  const rowOf = (index: number) =>
    index >= (layout.rowFirst[1] ?? Number.POSITIVE_INFINITY) && layout.rowCount > 1 ? 1 : 0;
  const shown = useMemo(() => listOfAssets(assets.slice(0, end)), [assets, end]);
  useViewerList(end > 0 ? shown : "coming");
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>
        {t("home.recent")}
        <Link to="/library">{t("home.recent.all")}</Link>
      </h2>
      <div ref={box} className={styles.rows} style={{ height }}>
        {assets.slice(0, end).map((asset, index) => {
          const tileWidth = layout.itemWidth[index] ?? 0;
          const style = {
            left: layout.left[index],
            top: layout.rowTop[rowOf(index)],
            width: tileWidth,
            height: layout.rowHeight[rowOf(index)],
          };
          return (
            <div key={asset.id} className={styles.tile} style={style}>
              <AssetTile asset={asset} href={`/library/${asset.id}`} width={tileWidth} hasToolbar />
            </div>
          );
        })}
      </div>
    </section>
  );
}
