import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";
import type { Ids } from "#domain/runs/ids.ts";

/**
 * Random bytes are drawn for this many ids at once. One at a time, they took 5 µs of a core, as
 * long as the most expensive statements of an admission.
 */
const idsAtOnce = 256;
const idBytes = 16;

/**
 * UUIDv7 text (RFC 9562). Ids are monotonic, within a millisecond and when the clock goes back:
 * then the 32-bit counter continues (6.2, method 1).
 */
export function createIds(now: () => number): Ids {
  const pool = new Uint8Array(idsAtOnce * idBytes);
  let used = pool.length;
  let lastMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = pool.subarray(used, used + idBytes);
    used += idBytes;
    const at = now();
    if (at > lastMs) {
      lastMs = at;
      // Starts in the lower half, to leave room for increments.
      count = new DataView(pool.buffer, random.byteOffset).getUint32(6) & 0x7fffffff;
    } else {
      count = (count + 1) >>> 0;
      if (count === 0) lastMs++;
    }
    return v7({ random, msecs: lastMs, seq: count });
  };
}
