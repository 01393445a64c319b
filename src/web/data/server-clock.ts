/**
 * The server's time at this page's start. A response is never older than its Date header, which has
 * whole seconds, so the latest of all starts is the closest.
 */
let start = Number.NEGATIVE_INFINITY;

export function noteServerTime(date: string | null): void {
  const from = Date.parse(date ?? "") - performance.now();
  if (from > start) start = from;
}

/** The server's time, however this browser's clock is set. */
export const serverNow = (): number =>
  Number.isFinite(start) ? start + performance.now() : Date.now();
