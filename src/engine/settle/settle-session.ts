import type { RunWarning } from "#contract/entities.ts";
import type { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { costOfUse, meterOf, readUse, usageOf } from "#domain/money/session-price.ts";
import type { RunStep } from "#domain/runs/run-machine.ts";
import { ProviderError, type Usage } from "#providers/adapter.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, lockRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../in-hand.ts";
import { persist } from "../persist.ts";
import { emptyOutcome, settleRun, toRunError } from "./settle.ts";

export type SessionEnd =
  /**
   * The person stopped or left, didn't draw for a while, or drew for very long; or the model or the
   * server ended the session normally.
   */
  | { by: "person" | "gone" | "idle" | "long" | "model" | "stop" }
  | { by: "cancel" }
  /** A client got a token and opens sockets at the service itself. */
  | { by: "token"; reason: string }
  /** A budget was used up, or the person lost the right to continue. */
  | { by: "budget" | "rights"; problem: Problem }
  | { by: "fault"; error: unknown };

const reasons = {
  person: sentences.sessions.stoppedByPerson,
  gone: sentences.sessions.canvasClosed,
  idle: sentences.sessions.idle,
  long: sentences.sessions.hourLong,
  model: sentences.sessions.endedByModel,
  stop: sentences.sessions.endedByStop,
  cancel: sentences.sessions.canceled,
} as const;

/** A sentence for the log and for the person who draws. */
export function reasonOf(end: SessionEnd, connectionId: string): string {
  if (end.by === "budget" || end.by === "rights")
    return toRunError(end.problem, connectionId).message;
  if (end.by === "fault") return toRunError(end.error, connectionId).message;
  if (end.by === "token") return end.reason;
  return reasons[end.by];
}

type Used = { usage: Usage; costMicros: number | null };

/**
 * Settles a session: books its usage, releases its reservation and keeps its pinned frames. A
 * session that never opened has no usage.
 * @returns the ended run; undefined if another worker owns it or it has already ended
 */
export async function settleSession(
  deps: EngineDeps,
  session: { run: OwnedRun; end: SessionEnd; used: Used; warnings?: readonly RunWarning[] },
  giveUp: AbortSignal,
): Promise<OwnedRun | undefined> {
  const { end, used } = session;
  const reason = reasonOf(end, session.run.connectionId);
  return persist(deps, giveUp, async (unit) => {
    const run = await lockRun(unit.tx, session.run.id);
    if (run?.fence !== session.run.fence || run.finishedAt !== null) return undefined;
    const wasOpen = run.state === "running" || end.by === "token";
    await appendRunEvents(unit, run, [{ type: "session-ended", payload: { reason } }], {});
    const error =
      end.by === "fault"
        ? toRunError(end.error, run.connectionId)
        : end.by === "rights"
          ? toRunError(end.problem, run.connectionId)
          : null;
    const notes: RunWarning[] =
      end.by === "budget" || end.by === "token"
        ? [{ type: "note", feature: end.by, message: reason }]
        : [];
    return settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: stepsOf(end, wasOpen),
      error,
      usage: wasOpen ? used.usage : {},
      costMicros: wasOpen ? used.costMicros : 0,
      warnings: [...run.warnings, ...(session.warnings ?? []), ...notes],
      attempt: { state: wasOpen ? "ended" : "refused" },
    });
  }).catch((error: unknown) => {
    if (error instanceof Fenced) return undefined;
    throw error;
  });
}

function stepsOf({ by }: SessionEnd, wasOpen: boolean): RunStep[] {
  if (by === "cancel" || by === "rights") return [{ type: "cancelled" }];
  if (by === "fault") return [wasOpen ? { type: "failed" } : { type: "refused", again: false }];
  if (by === "token")
    return [{ type: "stream-began" }, { type: "provider-done" }, { type: "stored" }];
  return wasOpen ? [{ type: "provider-done" }, { type: "stored" }] : [{ type: "cancelled" }];
}

/**
 * Closes a session whose server died and books its saved usage as an estimate. Without saved usage
 * its cost is unknown, and its reservation is booked.
 */
export async function closeLostSession(
  deps: EngineDeps,
  { run, free }: Pick<InHand, "run" | "free">,
  giveUp: AbortSignal,
): Promise<void> {
  const saved = run.usage as Usage | null;
  const use = readUse(saved);
  const meter = meterOf(run.prices);
  const isKnown = saved !== null && meter !== null;
  const error = new ProviderError("provider_interrupted", "yes", {
    message: sentences.sessions.stoppedWhileDrawing,
  });
  const end: SessionEnd =
    run.cancelRequestedAt === null ? { by: "fault", error } : { by: "cancel" };
  await settleSession(
    deps,
    {
      run,
      end,
      used: {
        usage: saved === null ? {} : usageOf(meter, use, true),
        costMicros: free ? 0 : isKnown ? costOfUse(meter, use) : null,
      },
    },
    giveUp,
  );
}
