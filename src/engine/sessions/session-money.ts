import type { SessionMoney } from "#contract/draw.ts";
import type { ModelDetail } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import {
  billedMegapixels,
  costOfUse,
  type Meter,
  megapixelsOfFrame,
  meterOf,
  nothingUsed,
  plus,
  type SessionUse,
  usageOf,
  windowOf,
} from "#domain/money/session-price.ts";
import type { Usage } from "#providers/adapter.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, lockRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { holdForSession } from "../settle/hold-budget.ts";

/**
 * The meter and reservation of an open session. Usage never exceeds the reservation, as measured by
 * our clock.
 */
export type SessionPurse = {
  /** Counts an answer. */
  count(frames: readonly { width?: number; height?: number }[]): void;
  /** Whether the reservation covers one more input. */
  covers(): boolean;
  /** Whether the reservation will soon be used up, by time or by the next answers. */
  runsLow(): boolean;
  /**
   * Reserves the next minute as well.
   * @throws Problem budget_exceeded, ceiling_needed
   * @throws Fenced
   */
  renew(): Promise<void>;
  /**
   * Saves the usage, for recovery after a crash.
   * @throws Fenced
   */
  checkpoint(owesAnswer: boolean): Promise<void>;
  money(): SessionMoney;
  /**
   * The amount to settle, including an answer that the model still owes. Nothing is counted
   * afterwards.
   */
  settle(owesAnswer: boolean): { usage: Usage; costMicros: number | null };
};

/** The share of a window, a third of a minute, below which the reservation is renewed. */
const lowShare = 1 / 3;
/** Usage is checked every second, so this much is kept in reserve until the next check. */
const spareSeconds = 1.5;

export function createPurse(
  deps: EngineDeps,
  admitted: OwnedRun,
  model: ModelDetail,
): SessionPurse {
  const meter = meterOf(admitted.prices);
  const beganAt = deps.clock.monotonic();
  let run = admitted;
  let counted = nothingUsed;
  let largest = 0;
  /** How many minutes have been reserved, if only the model's ceiling gives the cost of one. */
  let ceilingsHeld = 1;

  const secondsNow = (): number => Math.max(0, deps.clock.monotonic() - beganAt) / 1_000;
  const used = (): SessionUse => ({ ...counted, seconds: secondsNow() });
  const costOf = (known: Meter | "free", more: Partial<SessionUse> = {}): number =>
    costOfUse(known, plus(used(), { ...nothingUsed, ...more }));
  const nextAnswer = (): Partial<SessionUse> => ({
    answers: 1,
    images: 1,
    megapixels: Math.max(largest, megapixelsOfFrame),
    seconds: spareSeconds,
  });
  /** An answer still owed is estimated as the largest so far. */
  const usedWith = (owesAnswer: boolean): SessionUse =>
    owesAnswer
      ? plus(used(), {
          ...nothingUsed,
          answers: 1,
          images: 1,
          megapixels: largest || megapixelsOfFrame,
        })
      : used();
  /** With an unknown price, each minute is reserved separately. */
  const ceilingSecondsLeft = (): number =>
    (ceilingsHeld * limits.sessionHoldMs) / 1_000 - secondsNow();

  /** The total reservation that covers the next minute. */
  function wanted(): number {
    if (meter !== null) return costOf(meter, windowOf(meter, largest));
    return (model.ceilingMicros ?? 0) * (ceilingsHeld + 1);
  }

  return {
    count(frames) {
      const megapixels = frames.map(({ width, height }) =>
        width && height ? billedMegapixels(width, height) : megapixelsOfFrame,
      );
      largest = Math.max(largest, ...megapixels);
      counted = plus(counted, {
        seconds: 0,
        answers: 1,
        images: frames.length,
        megapixels: megapixels.reduce((sum, each) => sum + each, 0),
      });
    },
    covers() {
      if (meter === null)
        return model.ceilingMicros === null || ceilingSecondsLeft() > spareSeconds;
      return costOf(meter, nextAnswer()) <= run.heldMicros || meter === "free";
    },
    runsLow() {
      if (meter === "free") return false;
      if (meter === null)
        return (
          model.ceilingMicros !== null &&
          ceilingSecondsLeft() < (lowShare * limits.sessionHoldMs) / 1_000
        );
      return run.heldMicros - costOf(meter) < costOfUse(meter, windowOf(meter, largest)) * lowShare;
    },
    async renew() {
      const heldMicros = wanted();
      if (heldMicros <= run.heldMicros) return;
      const {
        id: runId,
        projectId,
        userId,
        apiKeyId,
        connectionId,
        modelId,
        createdAt: admittedAt,
      } = run;
      run = await deps.commit(async (unit) => {
        // Reads the saved reservation, because the reply to an earlier commit may have been lost.
        const known = await lockRun(unit.tx, runId);
        if (known?.fence !== run.fence || known.finishedAt !== null) throw new Fenced(runId);
        const micros = heldMicros - known.heldMicros;
        if (micros <= 0) return known;
        const set = { held_micros: heldMicros, usage: JSON.stringify(usageOf(meter, used())) };
        await appendRunEvents(unit, run, [{ type: "session-held", payload: { heldMicros } }], set);
        await holdForSession(deps, unit.tx, {
          payer: { projectId, userId, apiKeyId },
          connectionId,
          modelId,
          micros,
          admittedAt,
        });
        const { at } = unit;
        const entry = { runId, projectId, userId, apiKeyId, connectionId, modelId, admittedAt, at };
        await insertLedgerEntry(unit.tx, { ...entry, id: deps.ids(), kind: "hold", micros });
        return { ...known, heldMicros };
      });
      ceilingsHeld += 1;
    },
    async checkpoint(owesAnswer) {
      const usage = JSON.stringify(usageOf(meter, usedWith(owesAnswer), owesAnswer));
      await deps.commit((unit) => appendRunEvents(unit, run, [], { usage }));
    },
    money: () => ({
      costMicros: meter === null ? null : costOf(meter),
      heldMicros: run.heldMicros,
      seconds: secondsNow(),
      answers: counted.answers,
    }),
    settle(owesAnswer) {
      const use = usedWith(owesAnswer);
      return {
        usage: usageOf(meter, use, owesAnswer),
        costMicros: meter === null ? null : costOfUse(meter, use),
      };
    },
  };
}
