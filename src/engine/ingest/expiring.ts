import type { RunWarning } from "#contract/entities.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, notifyRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../in-hand.ts";
import { persist } from "../persist.ts";

export const expiryWarning = (index: number): RunWarning => ({
  type: "expiring",
  feature: `outputs.${index}`,
  message: sentences.runs.resultExpiring({ index: index + 1 }),
});

/**
 * Warns, on the run and in every list of runs that need a person, that a paid result is about to be
 * lost.
 */
export async function warnOfExpiry(
  deps: EngineDeps,
  run: OwnedRun,
  output: { index: number; expiresAt: number },
  warnings: readonly RunWarning[],
  giveUp: AbortSignal,
): Promise<void> {
  // A recovered run may have warned already.
  const distinct = [
    ...new Map(
      warnings.map((warning) => [`${warning.type} ${warning.feature} ${warning.message}`, warning]),
    ).values(),
  ];
  await persist(deps, giveUp, async (unit) => {
    const set = { warnings: JSON.stringify(distinct) };
    await appendRunEvents(unit, run, [{ type: "output-expiring", payload: output }], set);
    notifyRun(unit, run);
  });
  deps.log.warn(
    { runId: run.id, ...output },
    "an output is about to be deleted by its provider, and is not here yet",
  );
}

/** Reports why a result isn't here yet, so that people waiting for it see the retries. */
export async function reportDelay(
  deps: EngineDeps,
  run: OwnedRun,
  index: number,
  reason: string,
  giveUp: AbortSignal,
): Promise<void> {
  const event = { type: "output-delayed", payload: { index, reason } } as const;
  await persist(deps, giveUp, (unit) => appendRunEvents(unit, run, [event], {}));
}

/**
 * A signal for cancels from now on: canceling a run that only waits for its files ends the wait.
 */
export function cancelSignal(inHand: InHand): AbortSignal {
  const controller = new AbortController();
  const { signal } = inHand.controller;
  const onStop = (): void => {
    if (inHand.stopped.reason === "cancel") controller.abort(signal.reason);
  };
  if (!signal.aborted) signal.addEventListener("abort", onStop, { once: true });
  return controller.signal;
}
