import { setTimeout as pause } from "node:timers/promises";
import { CannotAsk, RunFailed, Unreachable } from "./problems.ts";

const usualWaitsMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

/**
 * Repeats idempotent work until the server answers.
 * @throws Unreachable after the last wait, and for a refusal after a broken attempt, because the
 *   refusal says nothing about that attempt
 */
export async function untilReached<T>(
  work: () => Promise<T>,
  waitsMs: readonly number[] = usualWaitsMs,
): Promise<T> {
  for (let broken = 0; ; broken++) {
    try {
      return await work();
    } catch (error) {
      const waitMs = waitsMs[broken];
      if (!(error instanceof Unreachable)) throw broken === 0 ? error : inDoubt(error);
      if (waitMs === undefined) throw error;
      await pause(waitMs);
    }
  }
}

const inDoubt = (error: unknown): unknown =>
  error instanceof CannotAsk || error instanceof RunFailed
    ? new Unreachable(error.message, { cause: error })
    : error;
