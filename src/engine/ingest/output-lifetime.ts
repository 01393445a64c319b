import type { Clock } from "#domain/runs/ids.ts";

const hourMs = 60 * 60_000;
/** What refuses (403, 404, a page, words in place of a picture) may only not be there yet; it is not asked for a week. */
const refusedMs = hourMs;
/** A local server has no lagging replicas: a file that it does not find will not appear. */
const refusedLocallyMs = 60_000;
/** How long before a provider deletes a missing file people are warned: this time, or a quarter of its life. */
export const alarmMs = hourMs;

/**
 * How long an output may still be fetched. Measured on the monotonic clock from when it is taken in hand, so that a jump of
 * the wall clock meanwhile neither ends it nor makes it last.
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
  let isTold = false;
  return {
    /** After a try that began at `beganAt` (monotonic) and failed: whether another one makes sense. The last one begins at the end or behind it. */
    isOver(beganAt: number, refused: boolean): boolean {
      refusedSince = refused ? (refusedSince ?? beganAt) : null;
      return beganAt >= endsAt || (refusedSince !== null && beganAt - refusedSince >= patienceMs);
    },
    /** True once: it is time to tell. */
    isAlarm(): boolean {
      const isDue = !isTold && clock.monotonic() >= alarmAt;
      isTold ||= isDue;
      return isDue;
    },
    /** A wait, cut where the alarm or the end comes first. */
    cut(waitMs: number): number {
      const now = clock.monotonic();
      const next = [
        isTold ? endsAt : alarmAt,
        endsAt,
        refusedSince === null ? endsAt : refusedSince + patienceMs,
      ].filter((at) => at > now);
      return Math.min(waitMs, ...next.map((at) => at - now));
    },
  };
}
export type Lifetime = ReturnType<typeof createLifetime>;
