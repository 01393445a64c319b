/**
 * The server's time at this page's start. A response arrives no earlier than its Date header says,
 * which has whole seconds, so the latest estimate is the closest.
 */
let start = Number.NEGATIVE_INFINITY;

export function noteServerTime(date: string | null): void {
  const from = Date.parse(date ?? "") - performance.now();
  if (from > start) start = from;
}

/** The server's time, however this browser's clock is set. */
export const serverNow = (): number =>
  Number.isFinite(start) ? start + performance.now() : Date.now();
