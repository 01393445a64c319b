import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { isQuestionDue, nextTry } from "#domain/runs/circuit.ts";
import { leftAloneWarning } from "#domain/runs/left-alone.ts";
import { isWaitedFor, listAllCircuits, listCircuits } from "#store/models/circuits.ts";
import { claimRuns, connectionsWithWork, findWork, isAnyQueued } from "#store/runs/claims.ts";
import type { ClaimedRun, OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, getRun, isCancelRequested } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { listOwnedRuns, retakeRuns } from "#store/runs/workers.ts";
import { checkService } from "../connections/probe.ts";
import { slotsOf } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { followAnswer } from "../follow/answer.ts";
import type { Claimer } from "../hub.ts";
import { goesByJob, type InHand, stop, takeInHand } from "../in-hand.ts";
import { isOurStorage } from "../ingest/download-output.ts";
import { isRefusedForGood, isTransient } from "../persist.ts";
import { endUnsaved } from "../recover/end-unsaved.ts";
import { resumeRun } from "../recover/recover.ts";
import { buildRequest } from "../send/request.ts";
import { submitJob } from "../send/submit.ts";
import { failUnsent, leaveUnsent } from "../settle/fail.ts";
import { passOnWaiting } from "../settle/pass-on.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/**
 * The longest time between two checks for work, in case a notification from another server is lost.
 */
const pollMs = 2_000;
/** The wall clock may be set back during a pause, so a long timer is recomputed. */
const longestTimerMs = 60_000;
/**
 * After this many consecutive internal errors, none of them transient, a run is not resumed again.
 */
const maxFailures = 10;
/**
 * Runs claimed in one unit: enough to keep claiming off the critical path (one at a time manages 50
 * a second with 200 running), while blocking the writer for only about 3 ms.
 */
const claimsAtOnce = 16;

export type Worker = {
  id: string;
  /** The interface that admissions use. */
  claimer: Claimer;
  /** Reports that a run may be waiting on this connection, or on any. */
  wake(connectionId?: string): void;
  /** Cancels a run at a person's request. Returns true if this worker holds the run. */
  cancel(runId: string): boolean;
  /** Polls a run's job now, because its provider reported a change. */
  requestPoll(runId: string): void;
  /** Resumes runs of dead workers. */
  resume(runs: readonly OwnedRun[]): void;
  /** How many runs this worker holds. */
  size(): number;
  /**
   * Stops claiming. Resolves once no held run would lose work by stopping, or when `most` is
   * aborted.
   */
  drain(most: AbortSignal): Promise<void>;
  /** Releases every held run, because this worker was declared dead. */
  letGo(): void;
  stop(): Promise<void>;
};

type Claimed = Pick<ClaimedRun, "clientToken" | "isProbe">;

type WorkerHooks = {
  /** Whether a run of this worker is a live session, which is handled elsewhere. */
  isSession(runId: string): boolean;
  /** Called when the worker no longer holds a run. */
  ended(run: OwnedRun): void;
};

/** How often a drain checks whether all runs have ended. */
const drainPollMs = 50;

/** A job with a provider id can be followed by the next owner, so releasing it loses nothing. */
const isFollowed = (hand: InHand): boolean => goesByJob(hand) && hand.run.state !== "submitting";

/**
 * `hand` is null until its connection and model are read. `next` is the same run under a newer
 * fence, started once this one is released.
 */
type ActiveRun = { run: OwnedRun; hand: InHand | null; next: SuccessorRun | null };
/** `claimed` is as in `start`. */
type SuccessorRun = { run: OwnedRun; claimed: Claimed | null };

/** Claims runs, one connection at a time, and executes each of them. */
export function createWorker(
  deps: EngineDeps,
  workerId: string,
  { isSession, ended }: WorkerHooks,
): Worker {
  const inHand = new Map<string, ActiveRun>();
  /** Aborted to stop claiming; held runs continue. */
  const draining = new AbortController();
  /** Aborted to release runs that wait for a provider. */
  const shutdown = new AbortController();
  /** Aborted a little later, to give up on results that are still being stored. */
  const giveUp = new AbortController();
  const claiming = new Map<string, "once" | "again">();
  const going = new Set<Promise<void>>();
  /**
   * A timer for the end of each connection's next pause, and the connections whose service is being
   * checked.
   */
  const pauses = new Map<string, NodeJS.Timeout>();
  const asking = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let droppedBefore = new Set<string>();
  /** Claims one run per unit when a test injects failures into claims. */
  const breaksClaims = (["claim.begin", "claim.commit"] as const).some((name) =>
    deps.failpoints?.has(name),
  );
  /**
   * Internal errors that kept a run from ending, counted by run. A full disk or an unreachable
   * database doesn't count.
   */
  const failures = new Map<string, number>();
  /** Runs whose end can't be written either. The next start of this server tries them again. */
  const leftAlone = new Set<string>();

  async function claimAll(connectionId: string): Promise<void> {
    for (;;) {
      await deps.failpoints?.at("claim.begin");
      const runs = await deps.commit((unit) => claim(unit, connectionId));
      for (const run of runs) takeUp({ run, claimed: run });
      if (draining.signal.aborted) return;
      if (runs.length < claimsAtOnce) return await watchPauses(connectionId);
    }
  }

  /** Wakes the queue when a pause ends, and checks a service that doesn't answer. */
  async function watchPauses(connectionId: string): Promise<void> {
    clearTimeout(pauses.get(connectionId));
    pauses.delete(connectionId);
    const circuits = await listCircuits(deps.store.read, connectionId);
    if (circuits.length === 0 || draining.signal.aborted) return;
    const now = deps.clock.now();
    if (circuits.some((circuit) => isQuestionDue(circuit, now, true))) {
      const waits = await isWaitedFor(deps.store.read, connectionId);
      if (circuits.some((circuit) => isQuestionDue(circuit, now, waits))) askSoon(connectionId);
    }
    const at = nextTry(circuits, now);
    if (at !== null)
      pauses.set(
        connectionId,
        setTimeout(
          () => wake(connectionId),
          Math.min(Math.max(at - now, 10), longestTimerMs),
        ).unref(),
      );
  }

  /** Runs concurrently with the runs, because the check can be slow. */
  function askSoon(connectionId: string): void {
    if (asking.has(connectionId)) return;
    asking.add(connectionId);
    const work = checkService(deps, connectionId, shutdown.signal)
      .catch((error) =>
        deps.log.warn(
          { connectionId, error: String(error) },
          "could not ask a service whether it is there",
        ),
      )
      .finally(() => {
        asking.delete(connectionId);
        going.delete(work);
      });
    going.add(work);
  }

  async function claim(unit: Unit, connectionId: string): Promise<ClaimedRun[]> {
    const runs = await claimRuns(unit, {
      connectionId,
      workerId,
      clientToken: deps.ids,
      most: claimsAtOnce,
      slotsOf: (connection) => slotsOf(deps.kinds.get(connection.kind), connection),
    });
    if (deps.failpoints) for (const run of runs) await deps.failpoints.at("claim.commit", run);
    return runs;
  }

  function wake(connectionId: string): void {
    if (draining.signal.aborted) return;
    if (claiming.has(connectionId)) {
      claiming.set(connectionId, "again");
      return;
    }
    claiming.set(connectionId, "once");
    const work = claimAll(connectionId)
      .catch((error) =>
        deps.log[isTransient(error) ? "warn" : "error"](
          { connectionId, error: String(error) },
          "could not claim",
        ),
      )
      .finally(() => {
        const again = claiming.get(connectionId) === "again";
        claiming.delete(connectionId);
        going.delete(work);
        if (again) wake(connectionId);
      });
    going.add(work);
  }

  /**
   * A slot is free. Usually no run waits for it and nothing is paused, so there is nothing to
   * claim.
   */
  function claimNext(connectionId: string): void {
    const { read } = deps.store;
    const work = isAnyQueued(read, connectionId)
      .then(async (isAny) => {
        const circuits = () => listCircuits(read, connectionId);
        if (isAny || (await deps.quiet.listCircuits(connectionId, circuits)).length > 0)
          wake(connectionId);
      })
      .catch(() => wake(connectionId))
      .finally(() => going.delete(work));
    going.add(work);
  }

  async function poll(): Promise<void> {
    clearTimeout(timer);
    let waitMs = pollMs;
    try {
      const now = deps.clock.now();
      const has = await findWork(deps.store.read, workerId);
      if (has.queued) {
        const { connectionIds, nextAt } = await connectionsWithWork(deps.store.read, now);
        for (const id of connectionIds) wake(id);
        if (nextAt !== null) waitMs = Math.max(10, Math.min(waitMs, nextAt - now));
      }
      // The code above wakes runs that wait for a pause.
      if (has.circuits)
        for (const [id, circuits] of await listAllCircuits(deps.store.read)) {
          deps.quiet.forget(id);
          if (circuits.some((circuit) => isQuestionDue(circuit, now, false))) wake(id);
        }
      if (has.owned || droppedBefore.size > 0) await retakeDropped();
      if (has.queued) await passOnWaiting(deps);
    } catch (error) {
      deps.log.warn({ error: String(error) }, "could not look for work");
    }
    if (!draining.signal.aborted) timer = setTimeout(() => void poll(), waitMs).unref();
  }

  /**
   * A safety net: a run assigned to this worker that nothing here holds in two consecutive checks
   * was dropped by an error, such as a failed read or a commit whose reply was lost. It is resumed
   * as after a crash.
   */
  async function retakeDropped(): Promise<void> {
    const owned = await listOwnedRuns(deps.store.read, workerId);
    // A run whose claim hasn't reported its commit yet is not dropped.
    const dropped = owned.flatMap(({ id, connectionId }) =>
      inHand.has(id) || isSession(id) || leftAlone.has(id) || claiming.has(connectionId)
        ? []
        : [id],
    );
    const again = dropped.filter((id) => droppedBefore.has(id));
    droppedBefore = new Set(dropped);
    if (again.length === 0 || draining.signal.aborted) return;
    for (const run of await deps.commit(({ tx }) => retakeRuns(tx, workerId, again)))
      if (!inHand.has(run.id)) start(run, null);
  }

  /**
   * @param claimed the claim if it has just been made; null for a run that is resumed, as after a
   *   crash
   */
  function start(run: OwnedRun, claimed: Claimed | null): void {
    const held: ActiveRun = { run, hand: null, next: null };
    inHand.set(run.id, held);
    const work = drive(held, claimed)
      .then(() => void failures.delete(run.id))
      .catch((error) => {
        if (error instanceof Fenced || shutdown.signal.aborted) return;
        deps.log.error(
          { runId: run.id, error: error instanceof Error ? error.stack : String(error) },
          "a run was dropped",
        );
      })
      .finally(() => {
        inHand.delete(run.id);
        going.delete(work);
        if (held.hand?.late) finishLate(held.hand);
        if (held.next?.claimed) takeUp(held.next);
        else if (held.next) resume([held.next.run]);
        claimNext(run.connectionId);
        ended(run);
      });
    going.add(work);
  }

  /** Saves a late result of a run that another owner has taken over. */
  function finishLate({ run, late }: InHand): void {
    if (!late) return;
    const work = late(shutdown.signal)
      .catch((error) =>
        deps.log.warn({ runId: run.id, error: String(error) }, "could not save what came late"),
      )
      .finally(() => going.delete(work));
    going.add(work);
  }

  function takeUp(next: SuccessorRun): void {
    const held = inHand.get(next.run.id);
    if (!held) start(next.run, next.claimed);
    else if (held.run.fence < next.run.fence) {
      held.next = next;
      if (held.hand) stop(held.hand, "fenced");
    }
  }

  /** Once this worker drains, the next owner resumes its runs. */
  function resume(runs: readonly OwnedRun[]): void {
    if (draining.signal.aborted) return;
    for (const run of runs) takeUp({ run, claimed: null });
  }

  async function drive(held: ActiveRun, claimed: Claimed | null): Promise<void> {
    const { run } = held;
    let hand: InHand | undefined;
    try {
      hand = await takeInHand(deps, run, claimed?.isProbe ?? false);
      held.hand = hand;
      if (held.next) return;
      if (shutdown.signal.aborted) stop(hand, "shutdown");
      // A cancel that arrived before this worker held the run reached no handler, and may be newer
      // than the claim.
      else if (await isCancelRequested(deps.store.read, run.id)) stop(hand, "cancel");
      if (claimed === null)
        return shutdown.signal.aborted ? undefined : await resumeRun(deps, hand, giveUp.signal);
      // Returns the run to the queue, for another server or for this one after its restart.
      if (draining.signal.aborted) return await leaveUnsent(deps, hand, giveUp.signal);
      const request = await buildRequest(deps, run, hand.model);
      await deps.failpoints?.at("attempt.begin", run);
      if (goesByJob(hand)) await submitJob(deps, hand, request, claimed.clientToken, giveUp.signal);
      else if (hand.adapter.answer)
        await followAnswer(deps, hand, request, claimed.clientToken, giveUp.signal);
      else throw new Problem("model_gone", { connectionId: run.connectionId });
    } catch (error) {
      if (error instanceof Fenced) throw error;
      // A run that may have been sent is resumed as after a crash; a run that was definitely not
      // sent needs no recovery.
      if (claimed === null || (hand && (hand.wire.sentAt !== null || hand.mayBeTaken)))
        return await endOrThrow(run, hand, error);
      deps.log.warn(
        { runId: run.id, error: error instanceof Error ? error.stack : String(error) },
        "a run could not be sent",
      );
      await failUnsent(deps, run, error, giveUp.signal);
    }
  }

  /**
   * Ends a run that internal errors keep from ending: after `failuresMost` of them, or immediately
   * if the database permanently refuses its results, which would otherwise be downloaded again each
   * time.
   * @throws error while the run can be resumed, or if its end can't be written either
   */
  async function endOrThrow(
    run: OwnedRun,
    hand: InHand | undefined,
    error: unknown,
  ): Promise<void> {
    if (shutdown.signal.aborted || isOurStorage(error)) throw error;
    const count = (failures.get(run.id) ?? 0) + 1;
    failures.set(run.id, count);
    const isStoring = async () => (await getRun(deps.store.db, run.id))?.state === "storing";
    const isOver = count >= maxFailures || (isRefusedForGood(error) && (await isStoring()));
    if (!isOver) throw error;
    deps.log.error(
      { runId: run.id, error: error instanceof Error ? error.stack : String(error) },
      "a run can't come to its end; it is ended with what can be saved",
    );
    try {
      await endUnsaved(deps, run, hand, error, giveUp.signal);
    } catch (refused) {
      const mayEnd = refused instanceof Fenced || shutdown.signal.aborted || isOurStorage(refused);
      if (mayEnd || count < maxFailures) throw refused;
      leftAlone.add(run.id);
      await warnOfLeftRun(run);
      deps.log.error({ runId: run.id }, "a run is left as it is until this server is restarted");
      throw refused;
    }
  }

  /** Also writes the warning to the run's own log, where people and `doctor` see it. */
  async function warnOfLeftRun({ id, fence }: OwnedRun): Promise<void> {
    const warning = { type: "warning", payload: leftAloneWarning } as const;
    await deps
      .commit((unit) => appendRunEvents(unit, { id, fence }, [warning], {}))
      .catch((error) =>
        deps.log.warn({ runId: id, error: String(error) }, "could not tell of a run left alone"),
      );
  }

  const wakeAny = (connectionId?: string): void =>
    connectionId ? wake(connectionId) : void poll();

  void poll();
  return {
    id: workerId,
    claimer: {
      workerId,
      takesNew: () => !draining.signal.aborted && !breaksClaims,
      queued: wakeAny,
      claimed(runs) {
        for (const run of runs) takeUp({ run, claimed: run });
      },
    },
    wake: wakeAny,
    cancel(runId) {
      const held = inHand.get(runId);
      if (held?.hand) stop(held.hand, "cancel");
      return held !== undefined;
    },
    requestPoll: (runId) => inHand.get(runId)?.hand?.requestPoll?.(),
    resume,
    size: () => inHand.size,
    letGo() {
      for (const { hand } of inHand.values()) if (hand) stop(hand, "fenced");
    },
    async drain(most) {
      draining.abort();
      for (const timer of pauses.values()) clearTimeout(timer);
      clearTimeout(timer);
      const isBusy = (): boolean =>
        claiming.size > 0 ||
        [...inHand.values()].some(({ hand }) => hand === null || !isFollowed(hand));
      while (isBusy() && !most.aborted)
        await sleep(drainPollMs, undefined, { signal: most }).catch(() => undefined);
    },
    async stop() {
      draining.abort();
      for (const timer of pauses.values()) clearTimeout(timer);
      shutdown.abort();
      clearTimeout(timer);
      for (const { hand } of inHand.values()) if (hand) stop(hand, "shutdown");
      const tooLong = AbortSignal.timeout(limits.stopMs);
      // A claim in progress can still start a run, which then stops too: repeats until none is
      // left.
      while (going.size > 0 && !tooLong.aborted) {
        await Promise.race([
          Promise.allSettled(going),
          new Promise((resolve) => tooLong.addEventListener("abort", resolve)),
        ]);
        await nextTurn();
      }
      giveUp.abort();
    },
  };
}
