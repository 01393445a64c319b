import { useSyncExternalStore } from "react";
import { serverNow } from "../../data/server-clock.ts";
import { formatExact, formatUntil, formatWhen } from "../../messages/format.ts";

const everyMs = 30_000;
/** The server's time in ms, updated every 30 seconds together with all relative times. */
export function useNow(): number {
  return useSyncExternalStore(
    (onTick) => {
      const timer = setInterval(onTick, everyMs);
      return () => clearInterval(timer);
    },
    () => Math.floor(serverNow() / everyMs) * everyMs,
  );
}

/** The server's time in ms, updated every second. */
export const useSecond = (): number =>
  useSyncExternalStore(everySecond, () => Math.floor(serverNow() / 1_000) * 1_000);

/**
 * The time left, updated every second. Screen readers can read it but don't announce each change.
 */
export function Countdown({ until }: { until: number }) {
  const now = useSecond();
  return (
    <time role="timer" dateTime={new Date(until).toISOString()} data-tooltip={formatExact(until)}>
      {formatUntil(until, now)}
    </time>
  );
}

function everySecond(onTick: () => void): () => void {
  const timer = setInterval(onTick, 1_000);
  return () => clearInterval(timer);
}

/** A relative time, with the exact one on hover. */
export function Time({ at, className }: { at: number; className?: string }) {
  const now = useNow();
  return (
    <time
      className={className}
      dateTime={new Date(at).toISOString()}
      data-tooltip={formatExact(at)}
    >
      {formatWhen(at, now)}
    </time>
  );
}
