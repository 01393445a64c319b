import { listByIdempotencyScope, type OwnedRun, releaseIdempotencyKey } from "#store/runs.ts";
import type { ServerDeps } from "../deps.ts";

/**
 * fal's client sends a submit and a direct run again when the line broke or answered 429, 502, 503 or 504, and names no request by a
 * word of its own (@fal-ai/client 1.10.1, request.ts and retry.ts). So the run of a request stays to be found by who asked what, until
 * the client is known to have its answer. Equal requests at the same time are several, each with a run of its own.
 */
const mark = "fal:";
/** The client waits at least three quarters of 500 ms before it repeats: what comes sooner after an answer is another request. */
const repeatLeastMs = 300;
/** Its longest waits before its last repeat, together, and a server's restart in between. */
const repeatMostMs = 2 * 60_000;
/** A direct run's answer is the last that the client says of it: an equal request later than its first repeat would come is another. */
const directRepeatMostMs = 1_000;

/** A run whose answer is under way to a client. */
export type Asked = {
  run: OwnedRun;
  /** It went out whole. `isFinal`: no repeat of it is to be expected. */
  answered(isFinal?: boolean): void;
  /** The line broke before that: the next equal request is a repeat. */
  lost(): void;
};
export type Request = {
  projectId: string;
  userId: string;
  /** Of everything that makes the request what it is. */
  hash: string;
  /** Its answer is the result: nobody will ask about the run by its id. */
  isDirect: boolean;
  admit(idempotency: { key: string; within: string }): Promise<OwnedRun>;
};
export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids" | "log">) {
  /** The runs that this server answers for (null) or has answered for lately, by their ids. */
  const answers = new Map<string, { answeredAt: number | null }>();

  const release = (runId: string): void =>
    void deps
      .commit((tx) => releaseIdempotencyKey(tx, runId))
      .catch((error) => deps.log.warn({ runId, error: String(error) }, "could not note that an answer arrived"));

  function forgetOld(): void {
    const now = deps.clock.monotonic();
    for (const [id, { answeredAt }] of answers) if (answeredAt !== null && now - answeredAt > repeatMostMs) answers.delete(id);
  }

  /** Of an answer that another server gave, or this one before it was killed, only the run's own times are known. */
  function mayBeRepeated(run: OwnedRun, isDirect: boolean): boolean {
    const answer = answers.get(run.id);
    if (answer) {
      const sinceMs = answer.answeredAt === null ? 0 : deps.clock.monotonic() - answer.answeredAt;
      return sinceMs >= repeatLeastMs && sinceMs <= (isDirect ? directRepeatMostMs : repeatMostMs);
    }
    // Of an unconfirmed run no end is known, and it must not stand in the way of its like for ever.
    const since = isDirect && run.state !== "unknown" ? run.finishedAt : run.createdAt;
    return since === null || deps.clock.now() - since <= repeatMostMs;
  }

  function asked(run: OwnedRun, isDirect: boolean): Asked {
    answers.set(run.id, { answeredAt: null });
    return {
      run,
      answered(isFinal = false) {
        answers.set(run.id, { answeredAt: deps.clock.monotonic() });
        if (isFinal) release(run.id);
        else if (isDirect) setTimeout(() => release(run.id), directRepeatMostMs).unref();
      },
      lost: () => void answers.delete(run.id),
    };
  }

  /** The run of this request: the one that it repeats, else a new one. @throws what `admit` throws */
  async function ask({ projectId, userId, hash, isDirect, admit }: Request): Promise<Asked> {
    forgetOld();
    const within = `${mark}${hash}`;
    const open = await listByIdempotencyScope(deps.store.db, `${projectId}:${userId}:${within}`);
    // Chosen and taken at once, so that an equal request at the same time finds the next one, or none.
    const repeated = open.find((run) => mayBeRepeated(run, isDirect));
    return asked(repeated ?? (await admit({ key: deps.ids(), within })), isDirect);
  }

  /** The client has named the run by its id, so it has the answer: an equal request is another one from now on. */
  function heard({ id, idempotencyScope }: OwnedRun): void {
    if (idempotencyScope?.includes(`:${mark}`)) release(id);
  }

  return { ask, heard };
}
