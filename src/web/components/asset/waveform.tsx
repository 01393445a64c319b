import { useQuery } from "@tanstack/react-query";
import type { Asset } from "#contract/entities.ts";
import { classes } from "../../ui/classes.ts";
import { variantUrl } from "./asset-urls.ts";
import styles from "./waveform.module.css";

const variant = "waveform.json";
const barsMost = 200;

/** A sound's loudness over its length, 0 to 1; none where the server could not read it. */
export function useWaveform(asset: Pick<Asset, "id" | "variants">): number[] | null {
  const { data } = useQuery({
    queryKey: ["waveform", asset.id],
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

/** The loudest of each of `bars` equal spans, scaled so that the loudest of all is 1. */
export function toBars(peaks: readonly number[], bars: number): number[] {
  const count = Math.min(bars, peaks.length, barsMost);
  const spans = Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / count));
    return Math.max(...peaks.slice(from, to));
  });
  const loudest = Math.max(...spans, 0.01);
  return spans.map((peak) => peak / loudest);
}

/** A sound's shape, as one path. `played` from 0 to 1 colours its beginning. */
export function Waveform({
  peaks,
  bars,
  played = 0,
  className,
}: {
  peaks: readonly number[];
  bars: number;
  played?: number;
  className?: string;
}) {
  const heights = toBars(peaks, bars);
  const path = (from: number, to: number) =>
    heights
      .slice(from, to)
      .map(
        (height, place) =>
          `M${(from + place) * 4 + 2} ${50 - Math.max(1.5, height * 46)}V${50 + Math.max(1.5, height * 46)}`,
      )
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
