import type { Asset } from "#contract/entities.ts";
import { classes } from "../../../ui/classes.ts";
import { Part } from "../../../ui/part.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { AssetTile } from "../../asset/asset-tile.tsx";
import { SoundPlayer } from "../../asset/lazy-sound.ts";
import { TileBox } from "../../asset/tile-box.tsx";
import { useViewerAddress } from "../../viewer/viewer-address.ts";
import styles from "./tiles.module.css";

type MadeTileProps = {
  asset: Asset;
  width: number;
  /** The ratio of the slot that the tile fills. A picture of another ratio is shown whole. */
  ratio: number | undefined;
  isSelected?: boolean;
  /** Opens the inspector beside the tiles. */
  onInspect?: () => void;
};

/**
 * A result shown where it was requested: an image or video that opens, or a sound that plays in
 * place.
 */
export function MadeTile({ asset, width, ratio, isSelected = false, onInspect }: MadeTileProps) {
  const viewer = useViewerAddress();
  if (asset.kind === "audio")
    return (
      <TileBox
        asset={asset}
        onInspect={onInspect}
        className={classes(styles.sound, isSelected && styles.selected)}
      >
        <button
          type="button"
          data-asset={asset.id}
          className={styles.soundTitle}
          onClick={() => viewer.open(asset.id)}
        >
          {assetName(asset)}
        </button>
        <Part fallback={<div className={styles.playerComing} />}>
          <SoundPlayer asset={asset} />
        </Part>
      </TileBox>
    );
  const own = asset.width && asset.height ? asset.width / asset.height : ratio;
  return (
    <AssetTile
      asset={asset}
      href={`/library/${asset.id}`}
      width={width}
      contain={own !== undefined && ratio !== undefined && Math.abs(own / ratio - 1) > 0.04}
      isSelected={isSelected}
      hasToolbar
      onInspect={onInspect}
    />
  );
}
