import { createHash } from "node:crypto";

/** A temporary token. `until` is wall-clock milliseconds. */
export type Token = { value: string; until: number };

/** A token is not used for new calls this long before it expires. */
const marginMs = 5 * 60_000;
const maxKept = 100;

/** Caches tokens by owner, in memory only. */
export function createKeptTokens() {
  const kept = new Map<string, Promise<Token>>();
  return {
    /**
     * Returns the cached token of `owner` (a key that includes its secrets), or a new one from
     * `ask`.
     * @throws the error of `ask`
     */
    async get(owner: unknown, now: number, ask: () => Promise<Token>): Promise<string> {
      const name = nameOf(owner);
      const known = await kept.get(name)?.catch(() => undefined);
      if (known && known.until - marginMs > now) return known.value;
      const asking = ask();
      const [oldest] = kept.keys();
      if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
      kept.set(name, asking);
      try {
        return (await asking).value;
      } catch (error) {
        if (kept.get(name) === asking) kept.delete(name);
        throw error;
      }
    },
    /** Drops a refused token, so that the next call requests another. */
    forget: (owner: unknown): boolean => kept.delete(nameOf(owner)),
  };
}

const nameOf = (owner: unknown): string =>
  createHash("sha256").update(JSON.stringify(owner)).digest("hex");
