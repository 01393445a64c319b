import { AudioLines } from "lucide-react";
import { useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import { SeekWaveform } from "../../asset/waveform.tsx";
import { FileMissing } from "./file-missing.tsx";
import styles from "./media.module.css";
import { MediaBar } from "./media-bar.tsx";
import { useMedia } from "./use-media.ts";

/** A sound whose waveform is its slider. */
export function SoundView({ asset, onRetry }: { asset: Asset; onRetry: () => void }) {
  const audio = useRef<HTMLAudioElement>(null);
  const media = useMedia(audio, asset.durationMs);
  if (media.isBroken) return <FileMissing icon={AudioLines} onRetry={onRetry} />;
  return (
    <div className={styles.sound}>
      <p className={styles.name}>{assetName(asset)}</p>
      <div className={styles.wave}>
        <SeekWaveform
          asset={asset}
          bars={150}
          atMs={media.atMs}
          lengthMs={media.lengthMs}
          onSeek={media.seek}
        />
      </div>
      <MediaBar media={media} />
      <audio ref={audio} src={fileUrl(asset.id)} preload="auto" {...media.handlers} />
    </div>
  );
}
