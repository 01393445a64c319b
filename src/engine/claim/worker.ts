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
import { askWhetherThere } from "../connections/probe.ts";
import { placesOf } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { followAnswer } from "../follow/answer.ts";
import type { Claimer } from "../hub.ts";
import { goesByJob, type InHand, stop, takeInHand } from "../in-hand.ts";
import { isOurStorage } from "../ingest/bring-home.ts";
import { isRefusedForGood, isTransient } from "../persist.ts";
import { endUnsaved } from "../recover/end-unsaved.ts";
import { resumeRun } from "../recover/recover.ts";
import { buildRequest } from "../send/request.ts";
import { submitJob } from "../send/submit.ts";
import { failUnsent, leaveUnsent } from "../settle/fail.ts";
import { passOnWaiting } from "../settle/pass-on.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Looks for work at least so often, should a hint from another server have been lost. */
const lookMs = 2_000;
/** A wall clock may be set back during a pause: it is looked at again. */
const longestTimerMs = 60_000;
/** After so many errors of our own in a row, none of which could pass by itself, a run is not taken up again. */
const failuresMost = 10;
/** Claimed in one unit: enough that a claim is no bottleneck (one each: 50 a second at 200 at once), and still about 3 ms of the writer's time. */
const claimsAtOnce = 16;

export type Worker = {
  id: string;
  /** As admissions reach it. */
  claimer: Claimer;
  /** Something may be waiting on this connection (or on any). */
  wake(connectionId?: string): void;
  /** A person wants this run to stop: true when it is in this worker's hands. */
  cancel(runId: string): boolean;
  /** A run's job has moved at its provider: it is asked about now. */
  lookNow(runId: string): void;
  /** Takes up runs of workers that died. */
  resume(runs: readonly OwnedRun[]): void;
  /** How many runs are in hand. */
  size(): number;
  /** Claims nothing more. Resolves when nothing is in hand that a stop would lose, at the latest when `most` is aborted. */
  drain(most: AbortSignal): Promise<void>;
  /** Every run in hand is let go: this worker was declared dead. */
  letGo(): void;
  stop(): Promise<void>;
};

type Claimed = Pick<ClaimedRun, "clientToken" | "isProbe">;

type Beside = {
  /** Runs of this owner that are drawn, and in other hands. */
  isSession(runId: string): boolean;
  /** A run is out of its hands. */
  ended(run: OwnedRun): void;
};

/** How often a drain looks whether everything has ended. */
const drainLookMs = 50;

/** A job that its provider knows by an id is followed by the next owner: letting it go loses nothing. */
const isFollowed = (hand: InHand): boolean => goesByJob(hand) && hand.run.state !== "submitting";

/** `hand`: null until its connection and model are read. `next`: the same run under a newer fence, taken up once this one is let go. */
type Held = { run: OwnedRun; hand: InHand | null; next: Next | null };
/** `claimed`: as in `start`. */
type Next = { run: OwnedRun; claimed: Claimed | null };

/** Claims runs, one connection at a time, and takes each down the road. */
export function createWorker(
  deps: EngineDeps,
  workerId: string,
  { isSession, ended }: Beside,
): Worker {
  const inHand = new Map<string, Held>();
  /** Claims nothing new; runs in hand continue. */
  const draining = new AbortController();
  /** What waits for a provider is let go. */
  const shutdown = new AbortController();
  /** A little later what has come, and is being stored, is given up too. */
  const giveUp = new AbortController();
  const claiming = new Map<string, "once" | "again">();
  const going = new Set<Promise<void>>();
  /** The end of each connection's next pause, and services that are being asked whether they are there. */
  const pauses = new Map<string, NodeJS.Timeout>();
  const asking = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let droppedBefore = new Set<string>();
  /** A test that breaks claims gets one for each run. */
  const breaksClaims = (["claim.begin", "claim.commit"] as const).some((name) =>
    deps.failpoints?.has(name),
  );
  /** Errors of our own that kept a run from its end, by run. A full disk or a database that is away never counts. */
  const failures = new Map<string, number>();
  /** Runs of which not even the end can be written. The next start of this server tries them again. */
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

  /** A pause that ends wakes the queue by itself, and a service that does not answer is asked. */
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

  /** Concurrent with the runs, because it may take a while. */
  function askSoon(connectionId: string): void {
    if (asking.has(connectionId)) return;
    asking.add(connectionId);
    const work = askWhetherThere(deps, connectionId, shutdown.signal)
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
      placesOf: (connection) => placesOf(deps.kinds.get(connection.kind), connection),
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

  /** A place is free. Mostly nobody waits for it, and nothing is paused: then there is nothing to claim. */
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

  async function look(): Promise<void> {
    clearTimeout(timer);
    let waitMs = lookMs;
    try {
      const now = deps.clock.now();
      const has = await findWork(deps.store.read, workerId);
      if (has.queued) {
        const { connectionIds, nextAt } = await connectionsWithWork(deps.store.read, now);
        for (const id of connectionIds) wake(id);
        if (nextAt !== null) waitMs = Math.max(10, Math.min(waitMs, nextAt - now));
      }
      // What waits for a pause is woken above.
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
    if (!draining.signal.aborted) timer = setTimeout(() => void look(), waitMs).unref();
  }

  /**
   * The net under everything: a run that is written down as this worker's and twice in a row in nobody's hands was dropped
   * by an error (a read that failed, a commit whose answer was lost). It is taken up as after a crash.
   */
  async function retakeDropped(): Promise<void> {
    const owned = await listOwnedRuns(deps.store.read, workerId);
    // A claim whose commit is not reported yet is not dropped.
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

  /** @param claimed when it was just claimed; null for a run that is taken up again, as after a crash */
  function start(run: OwnedRun, claimed: Claimed | null): void {
    const held: Held = { run, hand: null, next: null };
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

  /** What came for a run that another owner has by now. */
  function finishLate({ run, late }: InHand): void {
    if (!late) return;
    const work = late(shutdown.signal)
      .catch((error) =>
        deps.log.warn({ runId: run.id, error: String(error) }, "could not save what came late"),
      )
      .finally(() => going.delete(work));
    going.add(work);
  }

  function takeUp(next: Next): void {
    const held = inHand.get(next.run.id);
    if (!held) start(next.run, next.claimed);
    else if (held.run.fence < next.run.fence) {
      held.next = next;
      if (held.hand) stop(held.hand, "fenced");
    }
  }

  /** Once this worker has signed off, the next owner takes them up. */
  function resume(runs: readonly OwnedRun[]): void {
    if (draining.signal.aborted) return;
    for (const run of runs) takeUp({ run, claimed: null });
  }

  async function drive(held: Held, claimed: Claimed | null): Promise<void> {
    const { run } = held;
    let hand: InHand | undefined;
    try {
      hand = await takeInHand(deps, run, claimed?.isProbe ?? false);
      held.hand = hand;
      if (held.next) return;
      if (shutdown.signal.aborted) stop(hand, "shutdown");
      // A cancel that came before it was in hand found nobody to tell, and may be newer than the claim.
      else if (await isCancelRequested(deps.store.read, run.id)) stop(hand, "cancel");
      if (claimed === null)
        return shutdown.signal.aborted ? undefined : await resumeRun(deps, hand, giveUp.signal);
      // Back into the queue: another server takes it, or this one after its restart.
      if (draining.signal.aborted) return await leaveUnsent(deps, hand, giveUp.signal);
      const request = await buildRequest(deps, run, hand.model);
      await deps.failpoints?.at("attempt.begin", run);
      if (goesByJob(hand)) await submitJob(deps, hand, request, claimed.clientToken, giveUp.signal);
      else if (hand.adapter.answer)
        await followAnswer(deps, hand, request, claimed.clientToken, giveUp.signal);
      else throw new Problem("model_gone", { connectionId: run.connectionId });
    } catch (error) {
      if (error instanceof Fenced) throw error;
      // A run that may have been sent is recovered as after a crash; one that was definitely not sent needs no recovery.
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
   * Ends a run that errors of our own keep from its end: after some of them, or at once where the database refuses its results for good,
   * which would be fetched again each time.
   * @throws error while the run may be taken up again, or when it can't be ended either
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
    const isOver = count >= failuresMost || (isRefusedForGood(error) && (await isStoring()));
    if (!isOver) throw error;
    deps.log.error(
      { runId: run.id, error: error instanceof Error ? error.stack : String(error) },
      "a run can't come to its end; it is ended with what can be saved",
    );
    try {
      await endUnsaved(deps, run, hand, error, giveUp.signal);
    } catch (refused) {
      const mayEnd = refused instanceof Fenced || shutdown.signal.aborted || isOurStorage(refused);
      if (mayEnd || count < failuresMost) throw refused;
      leftAlone.add(run.id);
      await tellLeftAlone(run);
      deps.log.error({ runId: run.id }, "a run is left as it is until this server is restarted");
      throw refused;
    }
  }

  /** In the run's own log too, where people and doctor see it. */
  async function tellLeftAlone({ id, fence }: OwnedRun): Promise<void> {
    const told = { type: "warning", payload: leftAloneWarning } as const;
    await deps
      .commit((unit) => appendRunEvents(unit, { id, fence }, [told], {}))
      .catch((error) =>
        deps.log.warn({ runId: id, error: String(error) }, "could not tell of a run left alone"),
      );
  }

  const wakeAny = (connectionId?: string): void =>
    connectionId ? wake(connectionId) : void look();

  void look();
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
    lookNow: (runId) => inHand.get(runId)?.hand?.lookNow?.(),
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
        await sleep(drainLookMs, undefined, { signal: most }).catch(() => undefined);
    },
    async stop() {
      draining.abort();
      for (const timer of pauses.values()) clearTimeout(timer);
      shutdown.abort();
      clearTimeout(timer);
      for (const { hand } of inHand.values()) if (hand) stop(hand, "shutdown");
      const tooLong = AbortSignal.timeout(limits.stopMs);
      // Claims in progress start and are released only now, until none are left.
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
