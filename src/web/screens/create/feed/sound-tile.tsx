import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { SoundPlayer } from "../../../components/asset/sound-player.tsx";
import styles from "./tiles.module.css";

/** A sound: its waveform is its player. The file is asked for when it is first played. */
export function SoundTile({
  asset,
  isSelected,
  onSelect,
}: {
  asset: Asset;
  isSelected?: boolean;
  onSelect?: () => void;
}) {
  const name = assetName(asset);
  return (
    <div className={styles.sound} data-selected={isSelected || undefined}>
      {onSelect && (
        <button type="button" className={styles.soundTitle} onClick={onSelect}>
          {name}
        </button>
      )}
      <SoundPlayer asset={asset} />
    </div>
  );
}
