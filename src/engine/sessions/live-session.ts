import type { DrawNews, SessionMoney } from "#contract/draw.ts";
import { Problem, type ProblemBody, toProblemBody } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "#providers/adapter.ts";
import { updateAttempt } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced, isCancelRequested, moveRun } from "#store/runs/runs.ts";
import { recordFailure, recordSuccess } from "../connections/circuit.ts";
import { callContext, privateOriginsOf, toProblem } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import { type InHand, stop, takeInHand } from "../in-hand.ts";
import { isTransient, problemOf } from "../persist.ts";
import { reasonOf, type SessionEnd, settleSession } from "../settle/settle-session.ts";
import type { AdmittedSession } from "./admit-session.ts";
import { createSettingsCheck } from "./admit-session.ts";
import { type CanvasInput, createRelay, type ShownFrame } from "./relay.ts";
import { createPurse } from "./session-money.ts";
import { connectionTopic, whyNoMore } from "./session-rights.ts";

/** The client of a live session, at the other end of a socket. */
export type Canvas = {
  frame(frame: ShownFrame, runId: string): void;
  news(news: DrawNews): void;
};

export type LiveSession = {
  run: OwnedRun;
  ask(input: CanvasInput): void;
  frameOf(number: number): ShownFrame | undefined;
  /** Resolves once the session is settled. Only the first call counts. */
  end(end: SessionEnd): Promise<void>;
  /** Stops all writes, because another worker owns the run. */
  letGo(): void;
  /** True once the session is settled. */
  isOver(): boolean;
  money(): SessionMoney;
};

const tickMs = 1_000;
/** The wait before another reservation after a budget has refused one. */
const againMs = 5_000;
/** How often rights are checked without a notification, in case one is lost. */
const recheckMs = 60_000;

/**
 * Runs an admitted session from its opening to its end: relays frames, and continues only while the
 * budget and the rights allow it. It returns immediately and opens in the background; input waits
 * until then.
 */
export function createLiveSession(
  deps: EngineDeps,
  { run: admitted, model }: AdmittedSession,
  canvas: Canvas,
  giveUp: AbortSignal,
  onOver: () => void,
): LiveSession {
  let run = admitted;
  const purse = createPurse(deps, admitted, model);
  let hand: InHand | undefined;
  let ending: Promise<void> | undefined;
  let isOver = false;
  let isRenewing = false;
  /**
   * Why no more could be reserved. Reported once, and the reason for the end when the reservation
   * is used up.
   */
  let refusal: Problem | undefined;
  let refusedAt = Number.NEGATIVE_INFINITY;
  const beganAt = deps.clock.monotonic();
  let askedAt = beganAt;
  let writtenAt = beganAt;
  let checkedAt = beganAt;

  const relay = createRelay(deps.clock, {
    mayAsk: () => ending === undefined && purse.covers(),
    frame: (frame) => canvas.frame(frame, admitted.id),
  });

  const checkSettings = createSettingsCheck(model, admitted.input as JsonObject);
  const session: LiveSession = {
    run: admitted,
    ask(input) {
      const issue = checkSettings(input.settings);
      if (issue)
        return canvas.news({
          refused: { input: input.input, problem: toWire(issue, run.connectionId) },
        });
      askedAt = deps.clock.monotonic();
      relay.ask(input);
      if (purse.runsLow() && !refusal) void renew();
    },
    frameOf: relay.frameOf,
    end: (end) => (ending ??= finish(end)),
    letGo() {
      if (hand) stop(hand, "fenced");
      ending ??= over();
    },
    isOver: () => isOver,
    money: purse.money,
  };

  async function over(): Promise<void> {
    clearInterval(ticking);
    for (const unsubscribe of unsubscribes) unsubscribe();
    relay.close();
    isOver = true;
    onOver();
  }

  async function finish(end: SessionEnd): Promise<void> {
    const used = purse.settle(relay.owesAnswer());
    relay.close();
    if (hand) stop(hand, "cancel");
    let settled: OwnedRun | undefined;
    try {
      settled = await settleSession(
        deps,
        { run, end, used, warnings: hand?.warnings.slice(run.warnings.length) },
        giveUp,
      );
    } catch (error) {
      // The next owner finds its saved usage.
      deps.log.error({ runId: run.id, error: String(error) }, "a session could not be settled");
    }
    const { costMicros, costBasis } = settled ?? { costMicros: null, costBasis: null };
    const reason = reasonOf(end, run.connectionId);
    canvas.news({
      ended: {
        runId: run.id,
        reason,
        problem: problemOfEnd(end, run.connectionId),
        costMicros,
        costBasis,
        isServerStop: end.by === "stop",
      },
    });
    await over();
  }

  /**
   * A failed reservation doesn't end the session before the previous one, which is already paid
   * for, is used up.
   */
  async function renew(): Promise<void> {
    if (isRenewing || ending) return;
    isRenewing = true;
    try {
      await purse.renew();
      refusal = undefined;
      relay.pump();
    } catch (error) {
      if (error instanceof Fenced) return session.letGo();
      const problem = problemOf(error);
      if (problem.code !== "budget_exceeded" && problem.code !== "ceiling_needed")
        deps.log[isTransient(error) ? "warn" : "error"](
          { runId: run.id, error: String(error) },
          "could not hold more for a session",
        );
      if (!refusal) canvas.news({ ending: { problem: toWire(problem, run.connectionId) } });
      refusal = problem;
      refusedAt = deps.clock.monotonic();
    } finally {
      isRenewing = false;
    }
    if (refusal && !purse.covers()) void session.end({ by: "budget", problem: refusal });
  }

  async function checkpoint(): Promise<void> {
    writtenAt = deps.clock.monotonic();
    await purse.checkpoint(relay.owesAnswer()).catch((error: unknown) => {
      if (error instanceof Fenced) session.letGo();
      else
        deps.log.warn({ runId: run.id, error: String(error) }, "could not save a session's usage");
    });
  }

  async function recheck(): Promise<void> {
    checkedAt = deps.clock.monotonic();
    if (await isCancelRequested(deps.store.db, run.id).catch(() => false))
      return session.end({ by: "cancel" });
    const problem = await whyNoMore(deps, run).catch((error: unknown) => {
      deps.log.warn({ runId: run.id, error: String(error) }, "could not check a session's rights");
      return undefined;
    });
    if (problem) await session.end({ by: "rights", problem });
  }

  function tick(): void {
    if (ending) return;
    const now = deps.clock.monotonic();
    canvas.news({ money: purse.money() });
    if (now - beganAt > limits.sessionMostMs) return void session.end({ by: "long" });
    if (now - askedAt > limits.sessionIdleMs && !relay.isBusy())
      return void session.end({ by: "idle" });
    if (relay.isStuck())
      return void session.end({
        by: "fault",
        error: new ProviderError("provider_timeout", "yes", {
          message: sentences.sessions.modelSilent,
        }),
      });
    // Retries a refused reservation from time to time, in case the budget was raised.
    if (!purse.covers() || (purse.runsLow() && now - refusedAt > againMs)) void renew();
    if (now - writtenAt > limits.sessionCheckpointMs) void checkpoint();
    if (now - checkedAt > recheckMs) void recheck();
  }

  const unsubscribes = [
    deps.hub.subscribe(`rights:${run.userId}`, () => void recheck()),
    deps.hub.subscribe(connectionTopic(run.connectionId), () => void recheck()),
  ];
  const ticking = setInterval(tick, tickMs).unref();

  /**
   * Opens the socket before the run is running, and sends no input before that: a crash until then
   * leaves nothing used.
   */
  async function open(): Promise<void> {
    hand = await takeInHand(deps, run, false);
    const { adapter, connection } = hand;
    if (!adapter.realtime) throw new Problem("model_gone", { connectionId: run.connectionId });
    await deps.failpoints?.at("session.open", run);
    const signal = hand.controller.signal;
    const openSocket = deps.outbound.openSocket({
      privateOrigins: privateOriginsOf(adapter, connection),
      mostBytes: limits.frameBytes,
    });
    const capabilities = model.capabilities as InHand["model"]["capabilities"] & {
      live?: { drawing: string | null };
    };
    const opened = await adapter.realtime.open(
      { id: model.modelId, inputSchema: model.inputSchema, capabilities },
      { ...callContext(deps, adapter, connection, signal), openSocket },
      {
        frames(frames) {
          purse.count(frames);
          relay.answered(frames);
          relay.pump();
        },
        refused(error) {
          const asked = relay.answered([]);
          if (asked)
            canvas.news({
              refused: { input: asked.input, problem: toWire(error, run.connectionId) },
            });
          relay.pump();
        },
        closed: (error) => void session.end(error ? { by: "fault", error } : { by: "model" }),
      },
    );
    await recordSuccess(deps, hand);
    const at = deps.clock.now();
    const moved = await deps.commit(async (unit) => {
      const begun = await moveRun(unit, {
        runId: run.id,
        fence: run.fence,
        step: { type: "stream-began" },
        events: [{ type: "run-running", payload: {} }],
        set: { first_output_at: at },
      });
      if (begun)
        await updateAttempt(unit.tx, run.id, run.attempts, {
          state: "accepted",
          sent_at: at,
          accepted_at: at,
        });
      return begun;
    });
    if (!moved) throw new Fenced(run.id);
    run = { ...moved };
    await deps.failpoints?.at("session.running", run);
    if (ending) return opened.close();
    canvas.news({ started: { runId: run.id, ...purse.money() } });
    relay.open(opened);
  }

  async function opening(): Promise<void> {
    try {
      await open();
      // A stop may have been requested before this session could be notified.
      await recheck();
    } catch (error) {
      if (error instanceof Fenced) return session.letGo();
      if (hand && error instanceof ProviderError) await recordFailure(deps, hand, error);
      await session.end({ by: "fault", error });
    }
  }

  void opening();
  return session;
}

/** Any failure in its API form. */
const toWire = (error: unknown, connectionId: string): ProblemBody =>
  toProblemBody(problemOf(toProblem(error, connectionId)));

/** The error for watchers of the canvas; null after a normal end. */
function problemOfEnd(end: SessionEnd, connectionId: string): ProblemBody | null {
  if (end.by === "fault") return toWire(end.error, connectionId);
  return end.by === "budget" || end.by === "rights" ? toWire(end.problem, connectionId) : null;
}
