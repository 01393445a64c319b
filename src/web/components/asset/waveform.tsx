import { useQuery } from "@tanstack/react-query";
import type { Asset } from "#contract/entities.ts";
import { keys } from "../../data/keys.ts";
import { formatClip } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { variantUrl } from "./asset-urls.ts";
import styles from "./waveform.module.css";

const variant = "waveform.json";
const maxBars = 200;

/** A sound's loudness over its duration, 0 to 1; null if the server couldn't read it. */
export function useWaveform(asset: Pick<Asset, "id" | "variants">): number[] | null {
  const { data } = useQuery({
    queryKey: keys.waveform(asset.id),
    queryFn: async ({ signal }) => {
      const response = await fetch(variantUrl(asset.id, variant), { signal });
      if (!response.ok) throw new TypeError("fetch: no waveform");
      return (await response.json()) as number[];
    },
    enabled: asset.variants.includes(variant),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? null;
}

/** The peak of each of `bars` equal spans, scaled so that the highest is 1. */
export function toBars(peaks: readonly number[], bars: number): number[] {
  const count = Math.min(bars, peaks.length, maxBars);
  const spans = Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / count));
    return Math.max(...peaks.slice(from, to));
  });
  const loudest = Math.max(...spans, 0.01);
  return spans.map((peak) => peak / loudest);
}

type WaveformProps = {
  asset: Pick<Asset, "id" | "variants">;
  bars: number;
  /** The colored part: the share already played, 0 to 1. */
  played?: number;
  className?: string;
};

/** A sound's waveform as one path; flat until the peaks load. */
export function Waveform({ asset, bars, played = 0, className }: WaveformProps) {
  const peaks = useWaveform(asset);
  const heights = toBars(peaks?.length ? peaks : new Array<number>(bars).fill(0), bars);
  const path = (from: number, to: number) =>
    heights
      .slice(from, to)
      .map((height, index) => {
        const half = Math.max(1.5, height * 46);
        return `M${(from + index) * 4 + 2} ${50 - half}V${50 + half}`;
      })
      .join("");
  const split = Math.round(played * heights.length);
  return (
    <svg
      className={classes(styles.wave, className)}
      viewBox={`0 0 ${heights.length * 4} 100`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path d={path(split, heights.length)} />
      {split > 0 && <path className={styles.played} d={path(0, split)} />}
    </svg>
  );
}

const seekMs = 5_000;

type SeekProps = Pick<WaveformProps, "asset" | "bars"> & {
  atMs: number;
  lengthMs: number;
  onSeek: (ms: number) => void;
};

/** A waveform as a slider, which seeks on a press or with the arrow keys. */
export function SeekWaveform({ atMs, lengthMs, onSeek, ...wave }: SeekProps) {
  return (
    <div className={styles.seek}>
      <Waveform {...wave} played={lengthMs > 0 ? Math.min(1, atMs / lengthMs) : 0} />
      <input
        type="range"
        aria-label={t("asset.sound.place")}
        aria-valuetext={formatClip(atMs)}
        min={0}
        max={Math.max(1, Math.round(lengthMs))}
        step={Math.max(1, Math.min(seekMs, Math.round(lengthMs / 20)))}
        value={Math.round(atMs)}
        onChange={(event) => onSeek(event.target.valueAsNumber)}
      />
    </div>
  );
}
