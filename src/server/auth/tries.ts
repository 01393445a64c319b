import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";

const maxKeys = 10_000;

/**
 * Slows the guessing of a password: after several wrong ones in a row, each next try waits twice as
 * long. Counts are per process: two servers allow twice as many, which still stops guessing.
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
     * @param key the key that guesses are counted under
     * @param check throws for a wrong password
     * @throws Problem rate_limited with the time to wait, before `check` is called; otherwise the
     *   error of `check`
     */
    async guard<T>(key: string, check: () => Promise<T>): Promise<T> {
      const before = wrong.get(key);
      const retryAfterMs = before ? waitMs(before) : 0;
      if (retryAfterMs > 0)
        throw new Problem("rate_limited", {
          message: sentences.account.tooManyPasswords,
          retryAfterMs,
        });
      // Counted before the result is known, so that of a hundred concurrent tries only the free
      // ones are checked.
      const isOld = !before || clock.monotonic() - before.at > limits.tryMemoryMs;
      // Moves the key to the end of the map: a flood of new keys can't evict somebody who is
      // guessing now.
      wrong.delete(key);
      wrong.set(key, { count: isOld ? 1 : before.count + 1, at: clock.monotonic() });
      if (wrong.size > maxKeys) wrong.delete(wrong.keys().next().value!);
      const result = await check();
      wrong.delete(key);
      return result;
    },
  };
}
