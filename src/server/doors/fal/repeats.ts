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
 * fal's client repeats a submit or a direct run when the connection breaks or the response is 429,
 * 502, 503 or 504, without an idempotency key (@fal-ai/client 1.10.1, request.ts and retry.ts). So
 * a request's run can be found by the caller and the request's hash until its response was sent;
 * for a direct run, whose response is the result, until its first repeat would have arrived. Equal
 * requests whose clients wait at the same time are separate, each with its own run. Only the server
 * that answers the first can tell the two cases apart; unless one says that the request is new, it
 * counts as a repeat, so that nothing is paid twice.
 */
const mark = "fal:";

export type Request = {
  projectId: string;
  userId: string;
  /** Hash of everything that distinguishes the request. */
  hash: string;
  /** The caller's own idempotency key, which takes precedence over the hash. */
  ownKey: string | undefined;
  /** Whether the response is the result, so that nobody will ask for the run by its id. */
  isDirect: boolean;
  /** When its headers arrived, by the monotonic clock: a busy server may handle it much later. */
  arrivedAt: number;
  /** The response's socket. */
  outgoing: ServerResponse;
  admit(how: Admission): Promise<OwnedRun>;
};
/** How the run is found, and the check that may prevent its start. */
export type Admission = Pick<MediaAsk, "idempotencyKey" | "idempotencyWithin" | "guard">;
export type Asked = {
  run: OwnedRun;
  /** Records that the response is a refusal, so that an equal request is a new attempt. */
  refused(): void;
};
/**
 * Nothing was started, and the request must be matched again. A client that has left gets no
 * response.
 */
class NotStarted extends Problem {
  constructor() {
    super("conflict", { message: sentences.fal.clientLeft });
  }
}
export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(
  deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids" | "log" | "hub">,
) {
  const answers = createAnswers(deps);
  /** Requests whose run isn't known yet, because it isn't durable or is still being read. */
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

  /**
   * For responses that were sent elsewhere, or before a restart, only the run's own times are
   * known.
   */
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

  /** Filters runs to those that the request may repeat. */
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
   * Call in the unit that starts a request's run. Servers that start equal requests take turns.
   * Nothing is started for a client that has left, because its repeat may be at another server, nor
   * in addition to a run that appeared since the rows were read.
   * @throws NotBegun
   */
  async function requireAnother(
    tx: Tx,
    { scope, key, seen }: { scope: string; key: string; seen: ReadonlySet<string> },
  ): Promise<void> {
    await deps.store.lockName(tx, scope);
    if (answers.isLost(key)) throw new NotStarted();
    const runs = await listNamed(tx, scope);
    if (runs.some((run) => !seen.has(run.key) && !answers.get(run.key))) throw new NotStarted();
  }

  /** Admits a request under the caller's own key. The engine finds durable runs under that key. */
  function askNamed({ isDirect, admit }: Request, scope: string, key: string): Promise<OwnedRun> {
    const same = [...admitting].find((one) => one.scope === scope && one.key === key);
    return (same ?? begin({ scope, key, isDirect, run: admit({ idempotencyKey: key }) })).run;
  }

  /**
   * Returns the run of a request: the one it repeats, or a new one.
   * @throws the error of `admit`, also when a repeated request threw it
   */
  async function ask(request: Request): Promise<Asked> {
    const { projectId, userId, hash, ownKey, isDirect, arrivedAt, outgoing, admit } = request;
    answers.forgetOld();
    const within = `${mark}${hash}`;
    const scope = `${projectId}:${userId}:${within}`;
    if (ownKey !== undefined)
      return { run: await askNamed(request, scope, ownKey), refused: () => undefined };
    // Listed before and after reading the rows: a run that becomes durable or starts meanwhile is
    // in one of them.
    const listPending = () => [...admitting].filter((one) => one.scope === scope);
    const before = listPending();
    const runs = await listNamed(deps.store.db, scope, answers.listRepeated(scope, arrivedAt));
    const open = await onlyOpen(runs, request);
    const pending = [...new Set([...before, ...listPending()])];
    // Chosen and claimed synchronously, so that a concurrent equal request finds the next one, or
    // none.
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
      if (error instanceof NotStarted && !outgoing.destroyed) return ask(request);
      throw error;
    }
  }

  /** Records that the client used the run's id, which means that it has the response. */
  function acknowledge(run: OwnedRun): void {
    if (run.idempotencyScope?.includes(`:${mark}`)) release(run);
  }

  return { ask, acknowledge };
}

async function requireRun({ store }: Pick<ServerDeps, "store">, runId: string): Promise<OwnedRun> {
  const run = await getRun(store.db, runId);
  if (!run) throw new Problem("internal");
  return run;
}
