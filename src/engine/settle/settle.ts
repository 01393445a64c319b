import type {
  CostBasis,
  MessagePart,
  RunError,
  RunState,
  RunWarning,
  ToolCallPart,
} from "#contract/entities.ts";
import { errors, Problem } from "#contract/errors.ts";
import type { NewRunEvent } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { countFiles } from "#domain/money/count-units.ts";
import { isFree } from "#domain/money/free.ts";
import { formatDollars } from "#domain/money/money.ts";
import { costOfUsage, hasUnpricedUse, leastCostOfUsage, tokensOf } from "#domain/money/prices.ts";
import type { RunStep } from "#domain/runs/run-machine.ts";
import { titleFromModel } from "#domain/text/title.ts";
import { ProviderError, type Usage } from "#providers/adapter.ts";
import { insertKeptAsset, type NewAsset } from "#store/content/assets.ts";
import { markTitleDue, writeTitle } from "#store/content/chats/titles.ts";
import { completeMessage } from "#store/content/conversations.ts";
import type { AttemptRow } from "#store/database/schema.ts";
import type { Reader } from "#store/database/store.ts";
import { settleInBudgets } from "#store/money/budgets.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { updateAttempt } from "#store/runs/attempts.ts";
import { claimOutput, updateOutput } from "#store/runs/outputs.ts";
import { listPassedOver } from "#store/runs/run-lists.ts";
import type { OwnColumns, OwnedRun } from "#store/runs/run-rows.ts";
import { moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { titleInputOf } from "../plan/title.ts";
import { closeCall, openCalls } from "../tools/calls.ts";
import { hookOfBudget } from "../webhooks/hook-of-budget.ts";
import { bytesOf, warnOfStorage, withStorageWarning } from "./storage-warning.ts";

/** The outcome of a run's announced files: stored, lost, and warnings. */
export type Ingested = {
  assets: { index: number; asset: NewAsset }[];
  lost: { index: number; error: unknown }[];
  warnings: RunWarning[];
};

export const nothingIngested: Ingested = { assets: [], lost: [], warnings: [] };

/** Events that were published but not written before the unit that ends the run. */
export type Rest = { events: readonly NewRunEvent[]; set: Partial<OwnColumns> };

/** How a run ended, with everything to save. */
export type Outcome = {
  /**
   * The steps from the run's state to the end. An answer without files passes through `storing` in
   * one unit.
   */
  steps: readonly RunStep[];
  parts: MessagePart[];
  /** An answer's tool calls; the answer continues once they are done. */
  calls?: readonly ToolCallPart[];
  interrupted: boolean;
  assets: { index: number; asset: NewAsset }[];
  lost: number[];
  result: JsonObject | null;
  usage: Usage;
  /**
   * Null if unknown. The reservation is then booked, so that unknown costs can't overrun a budget.
   */
  costMicros: number | null;
  /**
   * The provider refused with an error of its own. The run counts as free until a bill or a late
   * result says otherwise.
   */
  assumed?: boolean;
  error: RunError | null;
  warnings: readonly RunWarning[];
  attempt: Partial<AttemptRow>;
  rest?: Rest;
};

export const emptyOutcome = {
  parts: [],
  interrupted: false,
  assets: [],
  lost: [],
  result: null,
  usage: {},
  costMicros: null,
  error: null,
  warnings: [],
  attempt: {},
} satisfies Omit<Outcome, "steps">;

/** Converts an error to the form that runs store and people read. */
export function toRunError(error: unknown, connectionId: string): RunError {
  if (error instanceof ProviderError || error instanceof Problem) {
    const facts = errors[error.code];
    return {
      code: error.code,
      message: error.detail.message ?? facts.text,
      advice: facts.advice,
      retryable: facts.retryable,
      ...(error.detail.field && { field: error.detail.field }),
      ...(error.detail.retryAfterMs && { retryAfterMs: error.detail.retryAfterMs }),
      ...(error.detail.providerMessage && { providerMessage: error.detail.providerMessage }),
      ...(error.detail.providerAnswer && { providerAnswer: error.detail.providerAnswer }),
      connectionId,
    };
  }
  return {
    code: "internal",
    message: errors.internal.text,
    advice: errors.internal.advice,
    retryable: true,
    connectionId,
  };
}

/** Ends a run in the unit that requeued it if it was canceled in the meantime. */
export async function endIfCancelled(
  unit: Unit,
  deps: EngineDeps,
  queued: OwnedRun,
): Promise<void> {
  if (queued.cancelRequestedAt === null) return;
  await settleRun(unit, deps, queued, {
    ...emptyOutcome,
    steps: [{ type: "cancelled" }],
    interrupted: true,
    costMicros: 0,
  });
}

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/**
 * Ends a run in the caller's unit: state, files, message, books and last event, all or nothing.
 * @returns the ended run; undefined if the run machine refused the step and nothing was written
 * @throws Fenced when another worker owns the run
 */
export async function settleRun(
  unit: Unit,
  deps: EngineDeps,
  run: OwnedRun,
  outcome: Outcome,
): Promise<OwnedRun | undefined> {
  const state = lastState(outcome.steps.at(-1));
  const own = costOfAttempt(run, outcome);
  const above = await warnOfStorage(deps, unit.tx, run, bytesOf(outcome.assets));
  const warned = warnOfUnpriced(run, warnOfOverage(run, outcome, bookedOf(own)));
  const cost = withLeftAttempts(own, await costsOfLeftAttempts(unit.tx, run));
  const settled: NewRunEvent = {
    type: "run-settled",
    payload: {
      state,
      ...(outcome.error && { error: outcome.error }),
      costMicros: cost.micros,
      costBasis: cost.basis,
    },
  };
  const moved = await moveRun(unit, {
    runId: run.id,
    fence: run.fence,
    from: run,
    step: outcome.steps,
    events: [...(outcome.rest?.events ?? []), ...storedEvents(outcome.assets), settled],
    set: {
      ...outcome.rest?.set,
      ...endColumns(
        keptWithRun(run, { ...warned, warnings: withStorageWarning(warned.warnings, above) }),
      ),
      cost_micros: cost.micros,
      cost_basis: cost.basis,
    },
  });
  if (!moved) return undefined;
  await storeOutputs(unit, moved, outcome);
  if (run.messageId && run.task === "chat") {
    const conversation = await completeMessage(
      unit,
      run.messageId,
      outcome.interrupted ? "interrupted" : "complete",
      [...outcome.parts, ...filePartsOf(outcome)],
    );
    if (state === "succeeded" && outcome.calls?.length)
      await openCalls(unit, deps, run.messageId, outcome.calls);
    // Clients that use an API key title their own conversations.
    else if (state === "succeeded" && conversation?.isUntitled && run.apiKeyId === null)
      await markTitleDue(unit.tx, conversation.id, run.userId);
  } else if (run.messageId) await closeCall(unit, run, state, outcome);
  const title = run.task === "chat" ? titleInputOf(run.input) : undefined;
  if (title) await writeTitle(unit, title.titles, titleIn(state, outcome) ?? null);
  if (run.attempts > 0)
    await updateAttempt(unit.tx, run.id, run.attempts, { ...outcome.attempt, ended_at: unit.at });
  await writeBooks(unit, deps, run, {
    micros: bookedOf(own),
    usage: outcome.usage,
    settles: true,
  });
  await deps.failpoints?.at("settle.commit", run);
  return moved;
}

/** The files of an answer as parts of its message. */
const filePartsOf = ({ assets }: Pick<Outcome, "assets">): MessagePart[] =>
  assets.map(({ asset }) => ({ type: "file", assetId: asset.id }));

/** One event of the run's log for each stored output. */
export const storedEvents = (assets: Outcome["assets"]): NewRunEvent[] =>
  assets.map(({ index, asset }) => ({
    type: "output-stored",
    payload: { index, assetId: asset.id },
  }));

/**
 * Updates the rows of a run's outputs, stored and lost.
 * @throws FileLeaving
 */
export async function storeOutputs(
  unit: Unit,
  run: OwnedRun,
  { assets, lost }: Pick<Outcome, "assets" | "lost">,
): Promise<void> {
  for (const { index, asset } of assets) {
    // A server that was declared dead may have stored this output in the meantime.
    if (
      !(await claimOutput(unit.tx, run.id, index, {
        sha256: asset.sha256,
        bytes: asset.bytes,
        assetId: asset.id,
      }))
    )
      continue;
    // The conversation may have been shared or made private while the run was active.
    await insertKeptAsset(unit, { ...asset, visibility: run.visibility });
  }
  for (const index of lost) await updateOutput(unit.tx, run.id, index, { state: "lost" });
}

function lastState(step: RunStep | undefined): RunState {
  if (step?.type === "stored") return "succeeded";
  return step?.type === "cancelled" ? "cancelled" : "failed";
}

/** `leastMicros` is the known part of a cost that isn't fully known. */
export type BookedCost =
  | { micros: number; basis: CostBasis }
  | { micros: null; basis: null; leastMicros?: number };

/**
 * The booked amount. It includes the known part of an unknown cost, so that a sum reads "at least"
 * instead of falling short.
 */
export const bookedOf = (cost: BookedCost): number | null =>
  cost.micros === null ? (cost.leastMicros ?? null) : cost.micros;

/** The amount booked for the run's current attempt, and how well it is known. */
export function costOfAttempt(
  run: OwnedRun,
  {
    costMicros,
    usage,
    assets,
    lost,
    assumed,
  }: Pick<Outcome, "costMicros" | "usage" | "assets" | "lost" | "assumed">,
): BookedCost {
  if (costMicros !== null && assumed) return { micros: costMicros, basis: "assumed" };
  if (costMicros !== null)
    return { micros: costMicros, basis: usage.units?.estimated ? "estimated" : "known" };
  if (isFree(run.prices)) return { micros: 0, basis: "known" };
  // If the provider reported none of the priced units, count the files.
  const files = lost.length === 0 ? assets.map(({ asset }) => asset) : [];
  const counted =
    files.length > 0
      ? costOfUsage(run.prices, { units: countFiles(files, run.input as JsonObject) })
      : null;
  if (counted !== null) return { micros: counted, basis: "estimated" };
  // With an unpriced tool only the token cost is known, so the reservation is an upper bound only
  // if it covers that.
  const leastMicros = hasUnpricedUse(run.prices, usage)
    ? (leastCostOfUsage(run.prices, usage) ?? 0)
    : 0;
  if (run.heldMicros > 0 && run.heldMicros >= leastMicros)
    return { micros: run.heldMicros, basis: "held" };
  return { micros: null, basis: null, ...(leastMicros > 0 && { leastMicros }) };
}

/** The costs booked when the run was passed on from earlier models. */
export async function costsOfLeftAttempts(
  db: Reader,
  { id, alias, attempts }: OwnedRun,
): Promise<BookedCost[]> {
  if (alias === null || attempts === 0) return [];
  const passedOver = await listPassedOver(db, id);
  return passedOver.flatMap(({ costMicros, costBasis = null }) =>
    costMicros === undefined ? [] : [{ micros: costMicros, basis: costBasis } as BookedCost],
  );
}

/** The sum, which is only as certain as its least certain part. */
export function withLeftAttempts(own: BookedCost, left: readonly BookedCost[]): BookedCost {
  const charged = left.filter(({ micros }) => micros !== 0);
  if (charged.length === 0) return own;
  const all = [own, ...charged];
  if (all.some(({ micros }) => micros === null)) return { micros: null, basis: null };
  const micros = all.reduce((sum, one) => sum + (one.micros ?? 0), 0);
  return { micros, basis: all.some(({ basis }) => basis === "held") ? "held" : "estimated" };
}

/**
 * Warns that a run cost more than its reservation, which means that its price or its estimate is
 * wrong.
 */
function warnOfOverage({ heldMicros }: OwnedRun, outcome: Outcome, micros: number | null): Outcome {
  if (micros === null || heldMicros === 0 || micros <= heldMicros) return outcome;
  return { ...outcome, warnings: [...outcome.warnings, overageWarning(micros, heldMicros)] };
}

/**
 * Warns that an answer used a tool without a price, so that its cost is unknown, and states the
 * known part.
 */
function warnOfUnpriced({ prices }: OwnedRun, outcome: Outcome): Outcome {
  const { usage, costMicros } = outcome;
  if (costMicros !== null || !hasUnpricedUse(prices, usage)) return outcome;
  const leastMicros = leastCostOfUsage(prices, usage);
  // If the token counts are unknown too, no part of the cost can be stated.
  if (leastMicros === null) return outcome;
  const message = sentences.money.toolWithoutPrice({ rest: formatDollars(leastMicros) });
  return {
    ...outcome,
    warnings: [...outcome.warnings, { type: "unpriced", feature: "cost", message }],
  };
}

/** The warning for a run that cost more than its reservation; both in micro-dollars. */
export const overageWarning = (micros: number, heldMicros: number): RunWarning => ({
  type: "overage",
  feature: "cost",
  message: sentences.money.costMore({
    cost: formatDollars(micros),
    reserved: formatDollars(heldMicros),
  }),
});

const titleIn = (state: RunState, { parts }: Outcome): string | undefined =>
  state === "succeeded"
    ? titleFromModel(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""))
    : undefined;

/** Saves an answer without a message in its run, because its deltas are pruned soon. */
const keptWithRun = (run: OwnedRun, outcome: Outcome): Outcome =>
  // A title belongs to its conversation and is deleted with it.
  run.task === "chat" &&
  run.messageId === null &&
  outcome.parts.length > 0 &&
  !titleInputOf(run.input)
    ? { ...outcome, result: { ...outcome.result, parts: outcome.parts as JsonObject[] } }
    : outcome;

const endColumns = (outcome: Outcome) => ({
  usage: JSON.stringify(outcome.usage),
  result: outcome.result === null ? null : JSON.stringify(outcome.result),
  error: outcome.error === null ? null : JSON.stringify(outcome.error),
  warnings: JSON.stringify(outcome.warnings),
  held_micros: 0,
});

type Booked = {
  micros: number | null;
  usage: Usage;
  /** Whether this ends the run, not just one attempt. */
  settles: boolean;
};

/**
 * Releases the run's reservation, and books the cost of its attempt under the model that ran it.
 */
export async function writeBooks(
  unit: Unit,
  deps: EngineDeps,
  run: OwnedRun,
  booked: Booked,
): Promise<void> {
  const { tx, at } = unit;
  const { micros, usage, settles } = booked;
  const {
    id: runId,
    projectId,
    userId,
    apiKeyId,
    connectionId,
    modelId,
    createdAt: admittedAt,
  } = run;
  const spentMicros = micros ?? 0;
  const warnings = await settleInBudgets(
    deps.store,
    tx,
    { projectId, userId, apiKeyId },
    { heldMicros: -run.heldMicros, spentMicros, admittedAt },
  );
  const entry = { runId, projectId, userId, apiKeyId, connectionId, modelId, admittedAt, at };
  if (run.heldMicros > 0)
    await insertLedgerEntry(tx, {
      ...entry,
      id: deps.ids(),
      kind: "release",
      micros: -run.heldMicros,
    });
  if (!settles && !micros) return;
  if (micros !== null) {
    const overageMicros = run.heldMicros > 0 ? Math.max(0, micros - run.heldMicros) : 0;
    await insertLedgerEntry(
      tx,
      { ...entry, id: deps.ids(), kind: "spend", micros: micros - overageMicros },
      settles,
    );
    if (overageMicros > 0)
      await insertLedgerEntry(tx, {
        ...entry,
        id: deps.ids(),
        kind: "overage",
        micros: overageMicros,
      });
  }
  await addUsage(tx, {
    day: dayOf(at),
    projectId,
    userId,
    apiKeyId,
    connectionId,
    modelId,
    runs: settles ? 1 : 0,
    tokens: tokensOf(usage),
    micros: spentMicros,
  });
  notifyBudgets(unit, run, warnings);
}

/** Notifies the watchers of a budget when this run's cost passes a warning threshold. */
export function notifyBudgets(
  { outbox, at }: Unit,
  { projectId, userId }: Pick<OwnedRun, "projectId" | "userId">,
  warnings: Awaited<ReturnType<typeof settleInBudgets>>,
): void {
  for (const warning of warnings) {
    const { id, scope } = warning.budget;
    outbox.changes.push({
      projectId,
      userId: scope === "user" || scope === "api_key" ? userId : null,
      kind: "budget",
      id,
      at,
    });
    outbox.hooks.push(hookOfBudget(warning, at));
  }
}
