import type { Asset } from "#contract/entities.ts";
import { useWaveform } from "../../../components/asset/waveform.tsx";
import { formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "./tiles.module.css";

const bars = 56;
const height = 36;
const stepMs = 5_000;

/** The loudness of a sound as bars (200 numbers from 0 to 1, see engine/media/variants.ts), drawn as few as fit. */
function useBars(asset: Asset): number[] {
  const loudness = useWaveform(asset);
  const peaks = loudness?.length ? loudness : [0];
  return Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / bars);
    return Math.max(
      ...peaks.slice(from, Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / bars))),
    );
  });
}

type WaveformProps = { asset: Asset; atMs: number; lengthMs: number; onSeek: (ms: number) => void };

/** The waveform as a slider: pressed anywhere, or moved with the arrow keys. */
export function Waveform({ asset, atMs, lengthMs, onSeek }: WaveformProps) {
  const loudness = useBars(asset);
  const played = lengthMs > 0 ? atMs / lengthMs : 0;
  return (
    <div className={styles.wave}>
      <svg viewBox={`0 0 ${bars * 4} ${height}`} preserveAspectRatio="none" aria-hidden>
        {loudness.map((peak, bar) => {
          const tall = Math.max(2, peak * height);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
              key={bar}
              className={bar / bars < played ? styles.played : styles.bar}
              x={bar * 4}
              y={(height - tall) / 2}
              width={2.4}
              height={tall}
              rx={1.2}
            />
          );
        })}
      </svg>
      <input
        type="range"
        aria-label={t("create.sound.place")}
        aria-valuetext={formatClip(atMs)}
        min={0}
        max={Math.max(1, Math.round(lengthMs))}
        step={Math.max(1, Math.min(stepMs, Math.round(lengthMs / 20)))}
        value={Math.round(atMs)}
        onChange={(event) => onSeek(event.target.valueAsNumber)}
      />
    </div>
  );
}
