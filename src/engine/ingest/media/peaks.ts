/** Takes any number of samples from -1 to 1 and returns the peaks of equal time spans. */
export type Peaks = { add(sample: number): void; count(): number; read(): number[] };

/**
 * Uses constant memory: spans double in length whenever there are twice as many as requested, so an
 * hour needs no more memory than a second.
 */
export function createPeaks(peaks: number): Peaks {
  const spans = new Float32Array(peaks * 2);
  let filled = 0;
  let spanSamples = 1;
  let inSpan = 0;
  let loudest = 0;
  let count = 0;

  function closeSpan(): void {
    spans[filled] = loudest;
    filled += 1;
    loudest = 0;
    inSpan = 0;
    if (filled < spans.length) return;
    for (let index = 0; index < peaks; index += 1)
      spans[index] = Math.max(spans[index * 2]!, spans[index * 2 + 1]!);
    filled = peaks;
    spanSamples *= 2;
  }

  return {
    add(sample) {
      const level = sample < 0 ? -sample : sample;
      if (level > loudest) loudest = level;
      inSpan += 1;
      count += 1;
      if (inSpan === spanSamples) closeSpan();
    },
    count: () => count,
    read() {
      const levels = [...spans.subarray(0, filled), ...(inSpan > 0 ? [loudest] : [])];
      return Array.from({ length: peaks }, (_, index) => {
        const start = Math.floor((index * levels.length) / peaks);
        const end = Math.max(start + 1, Math.floor(((index + 1) * levels.length) / peaks));
        const peak = levels.slice(start, end).reduce((most, level) => Math.max(most, level), 0);
        return Math.round(Math.min(1, peak) * 1_000) / 1_000;
      });
    },
  };
}
