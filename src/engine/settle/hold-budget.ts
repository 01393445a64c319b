import type { Budget, Model } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";
import { isFree } from "#domain/money/free.ts";
import { formatDollars } from "#domain/money/money.ts";
import type { Reader, Tx } from "#store/database/store.ts";
import { nameOfScope } from "#store/money/budget-names.ts";
import {
  type HoldVerdict,
  holdInBudgets,
  type Payer,
  tightestBudget,
} from "#store/money/budgets.ts";
import type { NewRun } from "#store/runs/runs.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";

type RunToHold = Pick<
  NewRun,
  "projectId" | "userId" | "apiKeyId" | "connectionId" | "modelId" | "heldMicros" | "at"
> & { isBounded: boolean };

/**
 * Reserves the possible cost of one payer's runs, all of it or none.
 * @returns whose approval the runs need before they are claimed
 * @throws Problem budget_exceeded, ceiling_needed: the caller's unit must not commit
 */
export async function holdForRuns(
  deps: EngineDeps,
  tx: Tx,
  runs: readonly RunToHold[],
): Promise<WaitingReason | null> {
  const [first] = runs;
  if (!first) return null;
  const { projectId, userId, apiKeyId, at } = first;
  const payer = { projectId, userId, apiKeyId };
  const micros = runs.reduce((sum, run) => sum + run.heldMicros, 0);
  const verdicts = [await holdInBudgets(deps.store, tx, { payer, micros, at })];
  const unbounded = runs.find((run) => !run.isBounded);
  if (unbounded) verdicts.push(await holdInBudgets(deps.store, tx, { payer, micros: null, at }));
  for (const verdict of verdicts) await refuse(tx, verdict, micros, unbounded);
  const waits = verdicts.flatMap((verdict) =>
    verdict.is === "waits" ? [verdict.budget.authority] : [],
  );
  // An admin's approval outranks a manager's.
  return waits.includes("admin") ? "admin" : (waits[0] ?? null);
}

/**
 * Refuses a run early, before its files are saved, if a blocking budget has nothing left for it. Its
 * admission reserves the possible cost, and has the last word.
 * @throws Problem budget_exceeded
 */
export async function refuseSpentBudget(
  { store, clock }: Pick<EngineDeps, "store" | "clock">,
  { userId, key }: Asker,
  projectId: string,
  { prices }: Pick<Model, "prices">,
): Promise<void> {
  if (isFree(prices)) return;
  const payer = { projectId, userId, apiKeyId: key?.id ?? null };
  const tightest = await tightestBudget(store.read, payer, clock.now());
  if (tightest?.leftMicros !== 0) return;
  const { budget } = tightest;
  throw new Problem("budget_exceeded", {
    ...factsOf(budget),
    leftMicros: 0,
    message: sentences.money.nothingLeft({ budget: await nameOfBudget(store.read, budget) }),
    advice: sentences.money.wayOutFree({ way: wayToMore(budget) }),
  });
}

type SessionHold = {
  payer: Payer;
  connectionId: string;
  modelId: string;
  /** The most that the next minute can cost, in micro-dollars; null if unknown. */
  micros: number | null;
  /** When the run was admitted. Every reservation counts in that period. */
  admittedAt: number;
};

/**
 * Reserves money for the next minutes of a live session. Drawing can't wait for an approval, so a
 * budget that requires one refuses like a blocking budget.
 * @throws Problem budget_exceeded, ceiling_needed: the caller's unit must not commit
 */
export async function holdForSession(deps: EngineDeps, tx: Tx, hold: SessionHold): Promise<void> {
  const { payer, micros, admittedAt: at } = hold;
  const verdict = await holdInBudgets(deps.store, tx, { payer, micros, at });
  if (verdict.is !== "waits") return refuse(tx, verdict, micros ?? 0, hold);
  const { budget } = verdict;
  throw new Problem("budget_exceeded", {
    ...factsOf(budget),
    ...(micros !== null && { neededMicros: micros }),
    message: sentences.money.liveNeedsApproval({ budget: await nameOfBudget(tx, budget) }),
    advice: sentences.money.askForMore({ people: whoMayRaise(budget) }),
  });
}

/**
 * Refuses a socket token wherever a budget blocks or requires approval, because nothing bounds what
 * the client spends at the service itself.
 * @throws Problem budget_exceeded: the caller's unit must not commit
 */
export async function refuseUnlimited(
  { store }: EngineDeps,
  tx: Tx,
  [run]: readonly RunToHold[],
): Promise<null> {
  const { projectId, userId, apiKeyId, at } = run!;
  const payer = { projectId, userId, apiKeyId };
  const verdict = await holdInBudgets(store, tx, { payer, micros: null, at });
  if (verdict.is === "held") return null;
  const { budget } = verdict;
  throw new Problem("budget_exceeded", {
    ...factsOf(budget),
    message: sentences.money.tokenUnlimited({ budget: await nameOfBudget(tx, budget) }),
  });
}

const perPeriod = { day: " a day", month: " a month", total: "" } as const;

const factsOf = ({ id: budgetId, scope, authority, limitMicros }: Budget) => ({
  budgetId,
  scope,
  authority,
  limitMicros,
});

const nameOfBudget = async (db: Reader, budget: Budget): Promise<string> =>
  `${await nameOfScope(db, budget)} budget of ${formatDollars(budget.limitMicros)}${perPeriod[budget.period]}`;

async function refuse(
  tx: Tx,
  verdict: HoldVerdict,
  micros: number,
  unbounded: { connectionId: string; modelId: string } | undefined,
): Promise<void> {
  if (verdict.is !== "refused" && verdict.is !== "unbounded") return;
  const { budget } = verdict;
  const name = await nameOfBudget(tx, budget);
  const facts = factsOf(budget);
  if (verdict.is === "unbounded")
    throw new Problem("ceiling_needed", {
      ...facts,
      ...(unbounded && { connectionId: unbounded.connectionId, modelId: unbounded.modelId }),
      message: sentences.money.noUpperBound({ budget: name }),
      advice: sentences.money.askForCeiling({ people: whoMayRaise(budget) }),
    });
  throw new Problem("budget_exceeded", {
    ...facts,
    leftMicros: verdict.leftMicros,
    neededMicros: micros,
    message: sentences.money.exceeds({
      cost: formatDollars(micros),
      budget: name,
      left: formatDollars(verdict.leftMicros),
    }),
    advice: sentences.money.wayOut({ way: wayToMore(budget) }),
  });
}

const whoMayRaise = ({ authority }: Budget): string =>
  authority === "admin" ? "an admin" : "a manager of the project";
const wayToMore = (budget: Budget): string =>
  budget.scope === "api_key"
    ? "Raise the key’s budget under Settings, API keys"
    : `Ask ${whoMayRaise(budget)} to raise it`;
