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

/** The meter and the purse of one open session. What is used never passes what is held, so far as our clock can tell. */
export type SessionPurse = {
  /** An answer came. */
  count(frames: readonly { width?: number; height?: number }[]): void;
  /** Whether one more input is covered by what is held. */
  covers(): boolean;
  /** Whether what is held ends within so many ms of going on, or with the next answers. */
  runsLow(): boolean;
  /** Holds for the next minute as well. @throws Problem budget_exceeded, ceiling_needed; Fenced */
  renew(): Promise<void>;
  /** Saves the usage, for recovery after a crash. @throws Fenced */
  checkpoint(owesAnswer: boolean): Promise<void>;
  money(): SessionMoney;
  /** What the settlement books, with the answer that the model still owes: nothing is counted after it. */
  settle(owesAnswer: boolean): { usage: Usage; costMicros: number | null };
};

/** Renewed when less than this share of a window is left: a third of a minute. */
const lowShare = 1 / 3;
/** Looked at each second: what may be used before the next look is kept free. */
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
  /** How many minutes were held for, where only a person's ceiling says what one may cost. */
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
  /** An answer that is still owed is counted as the largest of those before, and that is an estimate. */
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

  /** What has to be held so that the next minute is covered. */
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
        // As it is written down: the answer to a unit before may have been lost on the way.
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
