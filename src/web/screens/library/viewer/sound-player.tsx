import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { useWaveform, Waveform } from "../../../components/asset/waveform.tsx";
import styles from "./asset-viewer.module.css";

/** A sound with its shape; what was heard is coloured. */
export function SoundPlayer({ asset }: { asset: Asset }) {
  const peaks = useWaveform(asset);
  const [played, setPlayed] = useState(0);
  return (
    <div className={styles.middle}>
      <div className={styles.sound}>
        {peaks && (
          <div className={styles.wave}>
            <Waveform peaks={peaks} bars={150} played={played} />
          </div>
        )}
        {/* biome-ignore lint/a11y/useMediaCaption: what is spoken is its prompt, beside it */}
        <audio
          controls
          src={fileUrl(asset.id)}
          aria-label={assetName(asset)}
          onTimeUpdate={({ currentTarget: { currentTime, duration } }) =>
            setPlayed(duration > 0 ? currentTime / duration : 0)
          }
        />
      </div>
    </div>
  );
}
