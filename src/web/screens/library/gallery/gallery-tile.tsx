import { memo, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { useWaveform, Waveform } from "../../../components/asset/waveform.tsx";
import styles from "./gallery.module.css";

export type GalleryTileProps = {
  /** Undefined while its page loads. */
  asset: Asset | undefined;
  index: number;
  width: number;
  isSelected: boolean;
  isSelecting: boolean;
  isFlying: boolean;
  isFocusable: boolean;
  onToggle: (index: number) => void;
  onInspect: (index: number) => void;
};

/** A gallery tile. Memoized, so that scrolling only moves it. */
export const GalleryTile = memo(function GalleryTile(props: GalleryTileProps) {
  const { asset, index, width, isSelected, isSelecting, isFlying, isFocusable } = props;
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
        hasToolbar
        onInspect={() => props.onInspect(index)}
        onSelect={() => props.onToggle(index)}
        // A checkbox takes four elements and there are a hundred tiles, so only visible checkboxes
        // are rendered.
        onToggle={isSelected || isHovered ? () => props.onToggle(index) : undefined}
      />
      {asset.kind === "audio" && !isFlying && <TileWave asset={asset} width={width} />}
    </div>
  );
});

/** A waveform and a name on the tile, clear of its mark and checkbox. */
function TileWave({ asset, width }: { asset: Asset; width: number }) {
  if (!useWaveform(asset)) return null;
  return (
    <span className={styles.sound}>
      <Waveform asset={asset} bars={Math.round(width / 5)} className={styles.wave} />
      <span className={styles.soundName}>{assetName(asset)}</span>
    </span>
  );
}
