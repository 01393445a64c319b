import { useSyncExternalStore } from "react";
import { formatExact, formatWhen } from "../messages/format.ts";

const everyMs = 30_000;
/** The present in ms, to half a minute; what shows "ago" is drawn anew with it. */
export function useNow(): number {
  return useSyncExternalStore(
    (onTick) => {
      const timer = setInterval(onTick, everyMs);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / everyMs) * everyMs,
  );
}

/** A moment as people say it, with the exact one on hover. */
export function Time({ at, className }: { at: number; className?: string }) {
  const now = useNow();
  return (
    <time className={className} dateTime={new Date(at).toISOString()} data-tooltip={formatExact(at)}>
      {formatWhen(at, now)}
    </time>
  );
}
