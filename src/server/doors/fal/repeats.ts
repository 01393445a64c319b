import type { ServerResponse } from "node:http";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { MediaAsk } from "#engine/admit/admit-media.ts";
import type { Reader, Tx } from "#store/database/store.ts";
import { listByIdempotencyScope, type NamedRun } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun, releaseIdempotencyKey } from "#store/runs/runs.ts";
import type { ServerDeps } from "../../deps.ts";
import { type Answer, createAnswers, repeatMostMs } from "./answers.ts";

/**
 * fal's client sends a submit and a direct run again when the line broke or answered 429, 502, 503 or 504, and names no request by a
 * word of its own (@fal-ai/client 1.10.1, request.ts and retry.ts). So the run of a request stays to be found by who asked what, until
 * its answer has gone out; of a direct run, whose answer is the result, until its first repeat would have come. Equal requests whose clients wait at the same time are several, each with a run of its own.
 * Which of the two it is, the server knows that answers the first; where none says that it is another, it is taken for a repeat, so
 * that nothing is paid twice.
 */
const mark = "fal:";

export type Request = {
  projectId: string;
  userId: string;
  /** Of everything that makes the request what it is. */
  hash: string;
  /** The caller's own word for it, which says better what is a repeat than we can tell. */
  ownKey: string | undefined;
  /** Its answer is the result: nobody will ask about the run by its id. */
  isDirect: boolean;
  /** When its headers came, by the monotonic clock: on a busy server it may be long until it is looked at. */
  arrivedAt: number;
  /** Where the answer goes out. */
  outgoing: ServerResponse;
  admit(how: Admission): Promise<OwnedRun>;
};
/** How its run is found, and what prevents its start. */
export type Admission = Pick<MediaAsk, "idempotencyKey" | "idempotencyWithin" | "guard">;
export type Asked = {
  run: OwnedRun;
  /** Its answer is a refusal: an equal request is a new try. */
  refused(): void;
};
/** Nothing was started, and the request must be matched again. A client that has left gets no answer. */
class NotBegun extends Problem {
  constructor() {
    super("conflict", { message: sentences.fal.clientLeft });
  }
}
export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(
  deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids" | "log" | "hub">,
) {
  const answers = createAnswers(deps);
  /** Requests whose run is not known yet: it may not be durable, or is being read. */
  const admitting = new Set<Answer>();

  function release(run: OwnedRun): void {
    answers.end(run.idempotencyKey ?? "");
    deps
      .commit(({ tx }) => releaseIdempotencyKey(tx, run.id))
      .catch((error) =>
        deps.log.warn(
          { runId: run.id, error: String(error) },
          "could not note that an answer arrived",
        ),
      );
  }

  function begin(answer: Answer): Answer {
    admitting.add(answer);
    answer.run.then(
      () => admitting.delete(answer),
      () => {
        admitting.delete(answer);
        if (answers.get(answer.key) === answer) answers.forget(answer.key);
      },
    );
    return answer;
  }

  /** Of an answer that is not given here, or was before a restart, only the run's own times are known. */
  async function mayBeRepeatedElsewhere(run: NamedRun, isDirect: boolean): Promise<boolean> {
    // An unconfirmed run has no known end, and must not block equal requests forever.
    const since = isDirect && run.state !== "unconfirmed" ? run.finishedAt : run.createdAt;
    if (since !== null && deps.clock.now() - since > repeatMostMs) return false;
    return answers.mayBeRepeatedElsewhere(run.key);
  }

  const listNamed = (
    db: Reader,
    scope: string,
    keys: readonly string[] = [],
  ): Promise<NamedRun[]> =>
    listByIdempotencyScope(db, { scope, since: deps.clock.now() - repeatMostMs, keys });

  /** Equal requests that may be the same one. */
  async function onlyOpen(
    runs: readonly NamedRun[],
    { isDirect, arrivedAt }: Request,
  ): Promise<NamedRun[]> {
    const isOpen = await Promise.all(
      runs.map(
        (run) => answers.isRepeated(run.key, arrivedAt) ?? mayBeRepeatedElsewhere(run, isDirect),
      ),
    );
    return runs.filter((_, i) => isOpen[i]);
  }

  /**
   * In the unit that begins a request's run: servers that begin equal ones do so one after the other, and none does for a client that
   * has left, for its repeat may be at another server, nor in addition to a run that appeared since the rows were read.
   * @throws NotBegun
   */
  async function requireAnother(
    tx: Tx,
    { scope, key, seen }: { scope: string; key: string; seen: ReadonlySet<string> },
  ): Promise<void> {
    await deps.store.lockName(tx, scope);
    if (answers.isLost(key)) throw new NotBegun();
    const runs = await listNamed(tx, scope);
    if (runs.some((run) => !seen.has(run.key) && !answers.get(run.key))) throw new NotBegun();
  }

  /** One request under the caller's own word. What is durable under it is for the engine to find. */
  function askNamed({ isDirect, admit }: Request, scope: string, key: string): Promise<OwnedRun> {
    const same = [...admitting].find((one) => one.scope === scope && one.key === key);
    return (same ?? begin({ scope, key, isDirect, run: admit({ idempotencyKey: key }) })).run;
  }

  /** The run of this request: the one that it repeats, else a new one. @throws what `admit` throws, of the request that it repeats as well */
  async function ask(request: Request): Promise<Asked> {
    const { projectId, userId, hash, ownKey, isDirect, arrivedAt, outgoing, admit } = request;
    answers.forgetOld();
    const within = `${mark}${hash}`;
    const scope = `${projectId}:${userId}:${within}`;
    if (ownKey !== undefined)
      return { run: await askNamed(request, scope, ownKey), refused: () => undefined };
    // Before the rows are looked at, and after: what becomes durable or begins meanwhile is in one of them.
    const listPending = () => [...admitting].filter((one) => one.scope === scope);
    const before = listPending();
    const runs = await listNamed(deps.store.db, scope, answers.listRepeated(scope, arrivedAt));
    const open = await onlyOpen(runs, request);
    const pending = [...new Set([...before, ...listPending()])];
    // Chosen and taken at once, so that an equal request at the same time finds the next one, or none.
    const left = pending.find(({ key }) => answers.isLost(key));
    const found = left
      ? undefined
      : open.find((run) => answers.isRepeated(run.key, arrivedAt) ?? true);
    const key = left?.key ?? found?.key ?? deps.ids();
    const seen = new Set(runs.map((run) => run.key));
    const guard = (tx: Tx): Promise<void> => requireAnother(tx, { scope, key, seen });
    const answer =
      answers.get(key) ??
      begin({
        scope,
        key,
        isDirect,
        run: found
          ? requireRun(deps, found.id)
          : admit({ idempotencyKey: key, idempotencyWithin: within, guard }),
      });
    answers.give(answer, outgoing, () => void answer.run.then(release, () => undefined));
    try {
      const run = await answer.run;
      return { run, refused: () => release(run) };
    } catch (error) {
      if (error instanceof NotBegun && !outgoing.destroyed) return ask(request);
      throw error;
    }
  }

  /** The client has named the run by its id, so it has the answer. */
  function heard(run: OwnedRun): void {
    if (run.idempotencyScope?.includes(`:${mark}`)) release(run);
  }

  return { ask, heard };
}

async function requireRun({ store }: Pick<ServerDeps, "store">, runId: string): Promise<OwnedRun> {
  const run = await getRun(store.db, runId);
  if (!run) throw new Problem("internal");
  return run;
}
