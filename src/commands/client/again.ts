import { setTimeout as pause } from "node:timers/promises";
import { Unreachable } from "./problems.ts";

const usualWaitsMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

/** Does what may be done twice until the server answers. @throws Unreachable after the last wait */
export async function untilReached<T>(
  work: () => Promise<T>,
  waitsMs: readonly number[] = usualWaitsMs,
): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      await pause(waitMs);
    }
  }
  return work();
}
