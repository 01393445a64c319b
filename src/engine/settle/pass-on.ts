import type { RunError } from "#contract/entities.ts";
import { errors, isErrorCode, Problem } from "#contract/errors.ts";
import type { NewRunEvent } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { AttemptRow } from "#store/database/schema.ts";
import { getModel } from "#store/models/models.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { updateAttempt } from "#store/runs/attempts.ts";
import { listWaitingForService } from "#store/runs/run-lists.ts";
import type { NextModel, OwnedRun, PassedOver } from "#store/runs/run-rows.ts";
import { appendRunEvents, moveRun, redirectQueued } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { hashOf } from "../connections/catalogue.ts";
import { requireConnections } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { persist } from "../persist.ts";
import { warnOfDropped, whyNotNow } from "../plan/route-ask.ts";
import { holdForRuns } from "./hold-budget.ts";
import {
  bookedOf,
  costOfAttempt,
  emptyOutcome,
  endIfCancelled,
  type Outcome,
  writeBooks,
} from "./settle.ts";

/** A refusal of the content, which isn't sent to another provider automatically. */
const isOfContent = ({ code }: RunError): boolean => code === "provider_rejected";

/** An attempt given up for the next model, and its cost; without `cost` if nothing was sent. */
export type LeftAttempt = {
  error: RunError;
  attempt: Partial<AttemptRow>;
  cost?: Pick<Outcome, "costMicros" | "usage" | "assumed">;
};

/**
 * Passes a run under an alias to its next model in one unit: with that model's input and price, its
 * reservation in place of the current one, and the attempt's cost booked. The run is queued
 * immediately, so that cancel, crash and takeover treat it like any other. Models that aren't
 * ready, or whose reservation a budget refuses, are skipped.
 * @returns false if no model is left: nothing is booked, and the run ends or waits like any other
 */
export async function passOn(
  deps: EngineDeps,
  run: OwnedRun,
  left: LeftAttempt,
  giveUp: AbortSignal,
): Promise<boolean> {
  const { error, attempt, cost } = left;
  if (run.alias === null || run.nextModels.length === 0 || isOfContent(error)) return false;
  const reason = errors[isErrorCode(error.code) ? error.code : "internal"].text;
  const booked = cost && costOfAttempt(run, { ...emptyOutcome, ...cost });
  const asked = { ...(await passedOverBy(deps, run, run.alias, reason)), said: error.message };
  const passedOver: PassedOver[] = [
    { ...asked, ...(booked && { costMicros: booked.micros, costBasis: booked.basis }) },
  ];
  for (const [index, next] of run.nextModels.entries()) {
    const whyNot = await whyNotNow(deps.store.read, next, run.task, deps.clock.now());
    const refused =
      whyNot ??
      (await tryUnit(() => persist(deps, giveUp, (unit) => moveToNextModel(unit, next, index))));
    if (refused === null) {
      await deps.failpoints?.at("alias.passed", run);
      return true;
    }
    passedOver.push(passedOverOf(run.alias, next, refused));
  }
  // No model is left. The run's log states why each was skipped.
  await persist(deps, giveUp, (unit) =>
    appendRunEvents(unit, run, eventsOf(passedOver.slice(1)), { next_models: null }),
  );
  return false;

  async function moveToNextModel(unit: Unit, next: NextModel, place: number): Promise<void> {
    await requireConnections(unit.tx, [next]);
    const set = {
      ...columnsOf(run, next, place),
      worker_id: null,
      progress: null,
      queue_place: null,
      not_before: null,
    };
    const moved = await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "passed-on" },
      set,
      events: [
        ...eventsOf(passedOver),
        { type: "run-requeued", payload: { reason, notBefore: unit.at } },
      ],
    });
    if (!moved) return;
    await updateAttempt(unit.tx, run.id, run.attempts, { ...attempt, ended_at: unit.at });
    await writeBooks(unit, deps, run, {
      micros: booked ? bookedOf(booked) : null,
      usage: cost?.usage ?? {},
      settles: false,
    });
    await holdFor(unit, deps, run, next);
    await endIfCancelled(unit, deps, moved);
    await deps.failpoints?.at("alias.commit", run);
  }
}

/**
 * Passes queued runs whose service fails, is disabled or refused its key to the next model that is
 * ready.
 */
export async function passOnWaiting(deps: EngineDeps): Promise<void> {
  const now = deps.clock.now();
  // Pages through all runs, so that those without a next model don't block the others.
  for (let after: string | undefined = ""; after !== undefined; ) {
    const found = await listWaitingForService(deps.store.read, { now, after });
    for (const { run, whyNot } of found.waiting)
      await passOnQueued(deps, run, whyNot, now).catch((error: unknown) =>
        deps.log.warn({ runId: run.id, error: String(error) }, "could not pass a waiting run on"),
      );
    after = found.last;
  }
}

async function passOnQueued(
  deps: EngineDeps,
  run: OwnedRun,
  whyNot: string,
  now: number,
): Promise<void> {
  const passedOver = [await passedOverBy(deps, run, run.alias ?? "", whyNot)];
  for (const [index, next] of run.nextModels.entries()) {
    const reason =
      (await whyNotNow(deps.store.read, next, run.task, now)) ??
      (await tryUnit(() =>
        deps.commit(async (unit) => {
          await requireConnections(unit.tx, [next]);
          const set = columnsOf(run, next, index);
          if (
            !(await redirectQueued(unit, run, {
              set,
              events: eventsOf(passedOver),
            }))
          )
            return;
          await writeBooks(unit, deps, run, {
            micros: null,
            usage: {},
            settles: false,
          });
          await holdFor(unit, deps, run, next);
        }),
      ));
    if (reason === null) return;
    passedOver.push(passedOverOf(run.alias ?? "", next, reason));
  }
}

/**
 * Returns in a sentence why the unit was refused, by a budget or because a connection was removed.
 * Null if it committed.
 */
async function tryUnit(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (
      error instanceof Problem &&
      ["budget_exceeded", "ceiling_needed", "model_gone"].includes(error.code)
    )
      return error.message;
    throw error;
  }
}

function columnsOf(run: OwnedRun, next: NextModel, place: number) {
  const input: JsonObject =
    run.task === "chat" ? { ...(run.input as JsonObject), settings: next.given } : next.given;
  const rest = run.nextModels.slice(place + 1);
  return {
    connection_id: next.connectionId,
    model_id: next.modelId,
    schema_hash: next.schemaHash,
    input: JSON.stringify(input),
    input_hash: hashOf(input),
    price_snapshot: next.prices.length > 0 ? JSON.stringify(next.prices) : null,
    held_micros: next.mostMicros ?? 0,
    next_models: rest.length > 0 ? JSON.stringify(rest) : null,
    warnings: JSON.stringify(warnOfDropped(next.name, next.dropped)),
  };
}

/**
 * Reserves the next model's possible cost in the period in which the run was admitted.
 * @throws Problem budget_exceeded, ceiling_needed
 */
async function holdFor(
  unit: Unit,
  deps: EngineDeps,
  run: OwnedRun,
  next: NextModel,
): Promise<void> {
  const { id: runId, projectId, userId, apiKeyId, createdAt: admittedAt } = run;
  const payer = { projectId, userId, apiKeyId };
  const entry = { runId, ...payer, admittedAt, at: unit.at };
  const { connectionId, modelId, mostMicros } = next;
  const planned = {
    ...payer,
    connectionId,
    modelId,
    heldMicros: mostMicros ?? 0,
    isBounded: mostMicros !== null,
    at: admittedAt,
  };
  const waitingFor = await holdForRuns(deps, unit.tx, [planned]);
  if (waitingFor && apiKeyId !== null)
    throw new Problem("budget_exceeded", {
      message: sentences.money.callNeedsApproval,
    });
  if (mostMicros)
    await insertLedgerEntry(unit.tx, {
      ...entry,
      connectionId,
      modelId,
      id: deps.ids(),
      kind: "hold",
      micros: mostMicros,
    });
  // Over a budget that requires approval, the run waits for it, as it would have at its admission.
  if (waitingFor)
    await unit.tx
      .updateTable("run")
      .set({ waiting_for: waitingFor })
      .where("id", "=", runId)
      .execute();
  else unit.outbox.queued.add(connectionId);
}

const eventsOf = (passedOver: readonly PassedOver[]): NewRunEvent[] =>
  passedOver.map((payload) => ({ type: "model-passed-over", payload }));

const passedOverOf = (
  alias: string,
  { connectionId, modelId, name }: NextModel,
  reason: string,
): PassedOver => ({
  alias,
  connectionId,
  modelId,
  name,
  reason,
});

async function passedOverBy(
  deps: EngineDeps,
  run: OwnedRun,
  alias: string,
  reason: string,
): Promise<PassedOver> {
  const { connectionId, modelId, attempts, prices } = run;
  const name = (await getModel(deps.store.read, connectionId, modelId))?.name ?? modelId;
  const sent = attempts > 0 && { attempt: attempts, prices };
  return { alias, connectionId, modelId, name, reason, ...sent };
}
