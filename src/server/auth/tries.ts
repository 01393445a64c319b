import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";

const keysMost = 10_000;

/**
 * Slows the guessing of a password: after some wrong ones in a row each next try waits twice as long. Kept in this process: two servers
 * allow twice as many, which still stops guessing.
 */
export function createTries(clock: { monotonic(): number }) {
  const wrong = new Map<string, { count: number; at: number }>();
  const waitMs = ({ count, at }: { count: number; at: number }): number => {
    if (count < limits.freeTries) return 0;
    const delayMs = Math.min(
      limits.tryDelayMs * 2 ** (count - limits.freeTries),
      limits.tryDelayMostMs,
    );
    return at + delayMs - clock.monotonic();
  };
  return {
    /**
     * @param key whose guesses are counted together @param check throws for a wrong password
     * @throws Problem rate_limited with how long to wait, before `check` is called; what `check` throws
     */
    async guard<T>(key: string, check: () => Promise<T>): Promise<T> {
      const before = wrong.get(key);
      const retryAfterMs = before ? waitMs(before) : 0;
      if (retryAfterMs > 0)
        throw new Problem("rate_limited", {
          message: sentences.account.tooManyPasswords,
          retryAfterMs,
        });
      // Counted before it is known: of a hundred at once no more than the free ones are checked.
      const isOld = !before || clock.monotonic() - before.at > limits.tryMemoryMs;
      // Put last again: a flood of new keys frees nobody who guesses now.
      wrong.delete(key);
      wrong.set(key, { count: isOld ? 1 : before.count + 1, at: clock.monotonic() });
      if (wrong.size > keysMost) wrong.delete(wrong.keys().next().value!);
      const result = await check();
      wrong.delete(key);
      return result;
    },
  };
}
