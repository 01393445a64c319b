import { Problem } from "#contract/errors.ts";
import { findByIdempotencyKey, type OwnedRun, releaseIdempotencyKey } from "#store/runs.ts";
import type { ServerDeps } from "../deps.ts";

/**
 * fal's client sends a submit and a direct run again when the line broke or answered 429, 502, 503 or 504, and names no request by a
 * word of its own (@fal-ai/client 1.10.1, request.ts and retry.ts). So the run of a request is kept under a key made of who asks and
 * what, until the client is known to have its answer. Equal requests at the same time are several, each under a key with a number.
 */
const prefix = "fal:";
/** The client waits at least three quarters of 500 ms before it repeats: what comes sooner after an answer is another request. */
const repeatLeastMs = 300;
/** Its longest waits before its last repeat, together, and a server's restart in between. */
const repeatMostMs = 2 * 60_000;
/** A direct run's answer is the last that the client says of it: an equal request later than its first repeat would come is another. */
const directRepeatMostMs = 1_000;
/** Equal requests of one caller that nobody has asked about since. */
const copiesMost = 256;

/** A run whose answer is under way to a client. */
export type Asked = {
  run: OwnedRun;
  /** It went out whole. `isFinal`: no repeat of it is to be expected. */
  answered(isFinal?: boolean): void;
  /** The line broke before that: the next equal request is a repeat. */
  lost(): void;
};
export type Request = {
  scope: string;
  hash: string;
  /** Its answer is the result: nobody will ask about the run by its id. */
  isDirect: boolean;
  admit(idempotencyKey: string, copy: string): Promise<OwnedRun>;
};
export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids" | "log">) {
  /** What this server answers or has answered lately, by scope and key; null while it is being answered. */
  const known = new Map<string, { answeredAt: number | null }>();

  const release = (runId: string, key: string): Promise<void> => deps.commit((tx) => releaseIdempotencyKey(tx, runId, key));
  const releaseSoon = (runId: string, key: string): void =>
    void release(runId, key).catch((error) => deps.log.warn({ runId, error: String(error) }, "could not note that an answer arrived"));

  function forgetOld(): void {
    const now = deps.clock.monotonic();
    for (const [name, { answeredAt }] of known) if (answeredAt !== null && now - answeredAt > repeatMostMs) known.delete(name);
  }

  /** Of an answer that another server gave, or this one before it was killed, only the run's own times are known. */
  function mayBeRepeated(run: OwnedRun, answeredAt: number | null, isDirect: boolean): boolean {
    if (answeredAt !== null) return deps.clock.monotonic() - answeredAt <= (isDirect ? directRepeatMostMs : repeatMostMs);
    const since = isDirect ? run.finishedAt : run.createdAt;
    return since === null || deps.clock.now() - since <= repeatMostMs;
  }

  function asked(run: OwnedRun, key: string, name: string, isDirect: boolean): Asked {
    return {
      run,
      answered(isFinal = false) {
        known.set(name, { answeredAt: deps.clock.monotonic() });
        if (isFinal) releaseSoon(run.id, key);
        else if (isDirect) setTimeout(() => releaseSoon(run.id, key), directRepeatMostMs).unref();
      },
      lost: () => void known.delete(name),
    };
  }

  /**
   * The run of this request: the one that it repeats, else a new one.
   * @throws Problem rate_limited, and what `admit` throws
   */
  async function ask({ scope, hash, isDirect, admit }: Request): Promise<Asked> {
    forgetOld();
    for (let copy = 0; copy < copiesMost; copy++) {
      const key = `${prefix}${hash}:${copy}`;
      const name = `${scope} ${key}`;
      const before = known.get(name);
      if (before && (before.answeredAt === null || deps.clock.monotonic() - before.answeredAt < repeatLeastMs)) continue;
      // Before anything is awaited: an equal request at the same time takes the next number.
      known.set(name, { answeredAt: null });
      try {
        const found = await findByIdempotencyKey(deps.store.db, scope, key);
        if (found && mayBeRepeated(found, before?.answeredAt ?? null, isDirect)) return asked(found, key, name, isDirect);
        if (found) await release(found.id, key);
        return asked(await admit(key, deps.ids()), key, name, isDirect);
      } catch (error) {
        known.delete(name);
        // Another server was asked the same at the same moment.
        if (error instanceof Problem && error.code === "idempotency_mismatch") continue;
        throw error;
      }
    }
    throw new Problem("rate_limited", { message: "So many equal requests are open that one more could not be told from a repeat." });
  }

  /** The client has named the run by its id, so it has the answer: an equal request is another one from now on. */
  function heard({ id, idempotencyKey }: OwnedRun): void {
    if (idempotencyKey?.startsWith(prefix)) releaseSoon(id, idempotencyKey);
  }

  return { ask, heard };
}
