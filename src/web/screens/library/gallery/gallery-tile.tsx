import { memo, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { useWaveform, Waveform } from "../../../components/asset/waveform.tsx";
import styles from "./gallery.module.css";

export type GalleryTileProps = {
  /** Undefined while its page is loading: then the tile is the shape of what comes. */
  asset: Asset | undefined;
  index: number;
  width: number;
  isSelected: boolean;
  isSelecting: boolean;
  isFlying: boolean;
  isFocusable: boolean;
  onToggle: (index: number) => void;
};

/** One place of the gallery. Drawn anew only when something of its own changes: a scroll moves it, no more. */
export const GalleryTile = memo(function GalleryTile(props: GalleryTileProps) {
  const { asset, index, width, isSelected, isSelecting, isFlying, isFocusable, onToggle } = props;
  const [isHovered, setHovered] = useState(false);
  const focus = { tabIndex: isFocusable ? 0 : -1, "data-grid-index": index } as const;
  if (!asset) return <div {...focus} className={styles.coming} aria-busy="true" />;
  return (
    <div
      className={styles.place}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      <AssetTile
        asset={asset}
        href={`/library/${asset.id}`}
        width={width}
        isSelected={isSelected}
        isSelecting={isSelecting}
        isFlying={isFlying}
        focus={focus}
        // A check takes four elements, and a hundred tiles are drawn: only those are there that can be seen.
        onToggle={isSelected || isHovered ? () => onToggle(index) : undefined}
      />
      {asset.kind === "audio" && !isFlying && <TileWave asset={asset} width={width} />}
    </div>
  );
});

/** The shape of a sound over its tile, with its words under it; the tile's mark and check stay free. */
function TileWave({ asset, width }: { asset: Asset; width: number }) {
  if (!useWaveform(asset)) return null;
  return (
    <span className={styles.sound}>
      <Waveform asset={asset} bars={Math.round(width / 5)} className={styles.wave} />
      <span className={styles.soundName}>{assetName(asset)}</span>
    </span>
  );
}
