import type { Clock } from "#domain/runs/ids.ts";

const hourMs = 60 * 60_000;
/**
 * How long refusals (403, 404, a page, text instead of a picture) are retried: the file may appear
 * a little later, but not after a week.
 */
const refusedMs = hourMs;
/** A local server has no lagging replicas, so a missing file won't appear. */
const refusedLocallyMs = 60_000;
/**
 * How long before a provider deletes a missing file people are warned: this time, or a quarter of
 * the file's lifetime if that is shorter.
 */
export const alarmMs = hourMs;

/**
 * Tracks how long an output can be downloaded, on the monotonic clock, so that a jump of the wall
 * clock neither ends nor extends it.
 */
export function createLifetime(
  clock: Clock,
  facts: { promisedAt: number; expiresAt: number; isLocal: boolean },
) {
  const patienceMs = facts.isLocal ? refusedLocallyMs : refusedMs;
  const startedAt = clock.monotonic();
  const endsAt = startedAt + (facts.expiresAt - clock.now());
  const lastsMs = Math.max(0, facts.expiresAt - facts.promisedAt);
  const alarmAt = endsAt - Math.min(alarmMs, lastsMs / 4);
  let refusedSince: number | null = null;
  let isReported = false;
  return {
    /**
     * Whether another attempt is pointless after one that began at `beganAt` (monotonic) failed.
     * The last attempt begins at the end or after it.
     */
    isOver(beganAt: number, refused: boolean): boolean {
      refusedSince = refused ? (refusedSince ?? beganAt) : null;
      return beganAt >= endsAt || (refusedSince !== null && beganAt - refusedSince >= patienceMs);
    },
    /** True once, when the warning is due. */
    isAlarm(): boolean {
      const isDue = !isReported && clock.monotonic() >= alarmAt;
      isReported ||= isDue;
      return isDue;
    },
    /** Shortens a wait to end at the warning or at the end of the lifetime. */
    cut(waitMs: number): number {
      const now = clock.monotonic();
      const next = [
        isReported ? endsAt : alarmAt,
        endsAt,
        refusedSince === null ? endsAt : refusedSince + patienceMs,
      ].filter((at) => at > now);
      return Math.min(waitMs, ...next.map((at) => at - now));
    },
  };
}
export type Lifetime = ReturnType<typeof createLifetime>;
