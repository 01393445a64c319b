import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { SeekWaveform } from "../../../components/asset/waveform.tsx";
import styles from "./asset-viewer.module.css";

/** A waveform above the browser's audio player. */
export function AudioView({ asset }: { asset: Asset }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [atMs, setAt] = useState(0);
  const seek = (ms: number) => {
    setAt(ms);
    if (audio.current) audio.current.currentTime = ms / 1000;
  };
  return (
    <div className={styles.middle}>
      <div className={styles.sound}>
        <div className={styles.wave}>
          <SeekWaveform
            asset={asset}
            bars={150}
            atMs={atMs}
            lengthMs={asset.durationMs ?? 0}
            onSeek={seek}
          />
        </div>
        {/* biome-ignore lint/a11y/useMediaCaption: what is spoken is its prompt, beside it */}
        <audio
          ref={audio}
          controls
          src={fileUrl(asset.id)}
          aria-label={assetName(asset)}
          onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime * 1000)}
        />
      </div>
    </div>
  );
}
