import { setTimeout as sleep } from "node:timers/promises";
import type { MessagePart } from "#contract/entities.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isErased } from "#domain/runs/erased.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import type { Usage } from "#providers/adapter.ts";
import { completeMessage, getMessage } from "#store/content/conversations.ts";
import { noteAfterEnd } from "#store/runs/ended-runs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { lockRun } from "#store/runs/runs.ts";
import { runHint, type Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../in-hand.ts";
import { adjustCost } from "../settle/adjust.ts";
import { costOf } from "../settle/cost.ts";
import { costsOfLeftAttempts } from "../settle/settle.ts";

/** A chat answer held by a server that has been declared dead in the meantime. */
export type LateAnswer = {
  parts: MessagePart[];
  isWhole: boolean;
  came: { usage: Usage; costMicros?: number };
};

/** Between two checks of a run, in case its notification is lost. */
const pollMs = 2_000;

/**
 * Saves the text of an answer whose run another server has ended with less of it: the message gets
 * the full text, and any additional cost is booked as an `adjust`. The run's state and its
 * settlement stay. Waits until the run's owner has ended it.
 */
export async function saveLateAnswer(
  deps: EngineDeps,
  inHand: InHand,
  late: LateAnswer,
  end: AbortSignal,
): Promise<void> {
  for (;;) {
    const heard = Promise.withResolvers<void>();
    const leave = deps.hub.subscribe(runHint(inHand.run.id), () => heard.resolve());
    try {
      const isDone = await deps.commit((unit) => addText(unit, deps, inHand, late));
      if (isDone || end.aborted) return;
      await Promise.race([heard.promise, sleep(pollMs, undefined, { signal: end, ref: false })]);
    } catch (error) {
      if (!end.aborted) throw error;
    } finally {
      leave();
    }
  }
}

/** @returns false while the run hasn't ended */
async function addText(
  unit: Unit,
  deps: EngineDeps,
  inHand: InHand,
  late: LateAnswer,
): Promise<boolean> {
  const run = await lockRun(unit.tx, inHand.run.id);
  if (!run || run.attempts !== inHand.run.attempts || run.state === "succeeded") return true;
  if (!isFinal(run.state)) return false;
  const message = run.messageId === null ? undefined : await getMessage(unit.tx, run.messageId);
  const saved =
    run.messageId === null ? ((run.result?.parts ?? []) as MessagePart[]) : message?.parts;
  // A message deleted or edited since then stays as it is.
  if (!saved || isErased(run) || !isMore(late.parts, saved)) return true;
  if (message)
    await completeMessage(unit, message.id, late.isWhole ? "complete" : "interrupted", late.parts);
  const set = {
    ...(await bookDifference(unit, deps, inHand, run, late)),
    usage: JSON.stringify(late.came.usage),
  };
  const warning = {
    type: "late",
    feature: "text",
    message: sentences.answers.moreAfterEnd,
  };
  await noteAfterEnd(unit, {
    runId: run.id,
    events: [{ type: "warning", payload: warning }],
    warnings: (before) => [...before, warning],
    set: message ? set : { ...set, result: JSON.stringify({ ...run.result, parts: late.parts }) },
  });
  return true;
}

const textOf = (parts: readonly MessagePart[], type: "text" | "reasoning"): string =>
  parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");

/** Whether the late text extends the saved text. */
function isMore(late: readonly MessagePart[], saved: readonly MessagePart[]): boolean {
  const pairs = (["text", "reasoning"] as const).map(
    (type) => [textOf(late, type), textOf(saved, type)] as const,
  );
  return (
    pairs.every(([more, less]) => more.startsWith(less)) &&
    pairs.some(([more, less]) => more.length > less.length)
  );
}

async function bookDifference(
  unit: Unit,
  deps: EngineDeps,
  inHand: InHand,
  run: OwnedRun,
  { came }: LateAnswer,
): Promise<{ cost_micros?: number; cost_basis?: "known" | "estimated" }> {
  const own = costOf(inHand, came);
  if (own === null || run.costMicros === null) return {};
  const left = await costsOfLeftAttempts(unit.tx, run);
  const leftMicros = left.reduce((sum, { micros }) => sum + (micros ?? 0), 0);
  await adjustCost(unit, deps, run, own + leftMicros - run.costMicros);
  const isKnown = leftMicros === 0 && !came.usage.units?.estimated;
  return { cost_micros: own + leftMicros, cost_basis: isKnown ? "known" : "estimated" };
}
