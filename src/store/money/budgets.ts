import { type ExpressionBuilder, sql } from "kysely";
import type { Balance, Budget, BudgetStanding } from "#contract/entities.ts";
import { type Period, periodAt } from "#domain/money/periods.ts";
import { prepared, preparedChange } from "../database/prepared.ts";
import type { BudgetRow, Database } from "../database/schema.ts";
import type { Reader, Store, Tx } from "../database/store.ts";
import { countUnpricedIn } from "./runs-without-price.ts";

/**
 * The project, person and key that a run spends for. Each may have budgets, and all of them must
 * allow the run.
 */
export type Payer = { projectId: string; userId: string; apiKeyId: string | null };

const toBudget = (row: BudgetRow): Budget => ({
  id: row.id,
  scope: row.scope,
  scopeId: row.scope_id,
  period: row.period,
  timeZone: row.time_zone,
  limitMicros: row.limit_micros,
  onLimit: row.on_limit,
  authority: row.authority,
  createdAt: row.created_at,
});

/**
 * The expression of the table's index. By `scope_id` alone, each run would read every person's
 * budget.
 */
const payerId = sql<string>`coalesce(scope_id, '')`;
const isFor = (e: ExpressionBuilder<Database, "budget">, scope: Budget["scope"], id: string) =>
  e.and([e("scope", "=", sql.lit(scope)), e(payerId, "=", id)]);
const isForAny = (
  e: ExpressionBuilder<Database, "budget">,
  scope: Budget["scope"],
  ids: readonly string[],
) => e.and([e("scope", "=", sql.lit(scope)), e(payerId, "in", ids)]);
/**
 * Stands for the payer in the instance's budget, and in the defaults for new projects and people.
 */
const noPayer = "";

/** Ordered by id. Every unit locks balances in this order, so that no two deadlock. */
const rowsOfPayer = prepared(
  (db, { projectId, userId, apiKeyId }: { projectId: string; userId: string; apiKeyId: string }) =>
    db
      .selectFrom("budget")
      .selectAll()
      .where((e) =>
        e.or([
          e("scope", "=", sql.lit("instance")),
          isFor(e, "project", projectId),
          isFor(e, "user", userId),
          isFor(e, "api_key", apiKeyId),
        ]),
      )
      .orderBy("id"),
);
/** No key has this id. */
const noKey = "none";

/**
 * The budgets a transaction has read, by payer. Nobody else can change them before it ends. Null
 * once a unit in it has changed some.
 */
const budgetsRead = new WeakMap<Tx, Map<string, Budget[]> | null>();

/**
 * Returns the budgets that a payer's run counts in, locked until the unit ends. They are read once
 * for all units of a transaction.
 */
async function budgetsOf(store: Store, tx: Tx, payer: Payer): Promise<Budget[]> {
  const read = budgetsRead.get(tx);
  const { projectId, userId, apiKeyId } = payer;
  const key = `${projectId} ${userId} ${apiKeyId}`;
  const known = read?.get(key);
  if (known) return known;
  await store.lockBooks(tx, "shared");
  const budgets = (await rowsOfPayer(tx, { projectId, userId, apiKeyId: apiKeyId ?? noKey })).map(
    toBudget,
  );
  if (read) read.set(key, budgets);
  else if (read === undefined) budgetsRead.set(tx, new Map([[key, budgets]]));
  return budgets;
}

/**
 * Call before a unit changes budgets. The unit may be rolled back alone, so cached budgets are
 * dropped from here on.
 */
async function closeBooks(store: Store, tx: Tx): Promise<void> {
  await store.lockBooks(tx, "alone");
  budgetsRead.set(tx, null);
}

type Addition = { budgetId: string; startMs: number; heldMicros: number; spentMicros: number };
const addition = (db: Reader, values: Addition) =>
  db
    .updateTable("balance")
    .set((e) => ({
      held_micros: e("held_micros", "+", values.heldMicros),
      spent_micros: e("spent_micros", "+", values.spentMicros),
    }))
    .where("budget_id", "=", values.budgetId)
    .where("period_start", "=", values.startMs);
const addToRow = prepared((db, values: Addition) =>
  addition(db, values).returning(["spent_micros", "warned_percent"]),
);
/** Without RETURNING, which doubles the time of the update. */
const holdInRow = preparedChange(
  (
    db,
    { mostMicros, needsMicros, ...values }: Addition & { needsMicros: number; mostMicros: number },
  ) =>
    addition(db, values).where((e) =>
      e(e("spent_micros", "+", e("held_micros", "+", needsMicros)), "<=", mostMicros),
    ),
);
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Reserves in a single conditional update, unless the balance would exceed `mostMicros`.
 * @returns false when it would
 */
async function holdInBalance(
  tx: Tx,
  budget: Budget,
  period: Period,
  heldMicros: number,
  mostMicros = noLimit,
): Promise<boolean> {
  const values = {
    budgetId: budget.id,
    startMs: period.startMs,
    heldMicros,
    spentMicros: 0,
    needsMicros: heldMicros,
    mostMicros,
  };
  if ((await holdInRow(tx, values)) > 0) return true;
  return (await openBalance(tx, budget, period)) && (await holdInRow(tx, values)) > 0;
}

type Added = { spentMicros: number; warnedPercent: number };

/** Adds a settlement's change, regardless of the limit. */
async function addToBalance(
  tx: Tx,
  budget: Budget,
  period: Period,
  add: { heldMicros: number; spentMicros: number },
): Promise<Added | undefined> {
  const values = { budgetId: budget.id, startMs: period.startMs, ...add };
  let [row] = await addToRow(tx, values);
  if (!row && (await openBalance(tx, budget, period))) [row] = await addToRow(tx, values);
  return row && { spentMicros: row.spent_micros, warnedPercent: row.warned_percent };
}

/**
 * Creates a missing balance by summing the ledger.
 * @returns false when it already exists
 */
async function openBalance(tx: Tx, budget: Budget, period: Period): Promise<boolean> {
  const { startMs } = period;
  const there = await tx
    .selectFrom("balance")
    .select("period_start")
    .where("budget_id", "=", budget.id)
    .where("period_start", "=", startMs)
    .executeTakeFirst();
  if (there) return false;
  const { spentMicros, heldMicros } = await balanceFromLedger(tx, budget, period);
  await tx
    .insertInto("balance")
    .values({
      budget_id: budget.id,
      period_start: startMs,
      spent_micros: spentMicros,
      held_micros: heldMicros,
      warned_percent: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}

const isOfScope = (budget: Budget) => (e: ExpressionBuilder<Database, "ledger_entry">) => {
  if (budget.scope === "instance") return e.lit(true);
  const column = ({ project: "project_id", user: "user_id", api_key: "api_key_id" } as const)[
    budget.scope
  ];
  return e(column, "=", budget.scopeId);
};

/**
 * Computes a budget's balance from the ledger, for runs admitted in the period: held is the sum of
 * holds and releases, spent is everything else.
 */
export async function balanceFromLedger(
  db: Reader,
  budget: Budget,
  period: Period,
): Promise<Balance> {
  const rows = await db
    .selectFrom("ledger_entry")
    .select((e) => ["kind", e.fn.sum<number | string>("micros").as("micros")])
    .where("admitted_at", ">=", period.startMs)
    .where("admitted_at", "<", period.endMs)
    .where(isOfScope(budget))
    .groupBy("kind")
    .execute();
  const isHeld = (kind: string): boolean => kind === "hold" || kind === "release";
  const sumOf = (held: boolean): number =>
    rows.reduce((sum, { kind, micros }) => sum + (isHeld(kind) === held ? Number(micros) : 0), 0);
  return { heldMicros: sumOf(true), spentMicros: sumOf(false) };
}

export type HoldAsk = {
  payer: Payer;
  /** The highest possible cost; null when unknown. */
  micros: number | null;
  at: number;
};
/**
 * The outcome of a reservation. `refused` and `unbounded` come from a blocking budget, and then the
 * unit must not commit.
 */
export type HoldVerdict =
  | { is: "held" }
  | { is: "refused"; budget: Budget; leftMicros: number }
  | { is: "waits"; budget: Budget }
  | { is: "unbounded"; budget: Budget };

/**
 * Reserves money in all budgets at once, in the caller's unit. A run over a budget that asks for
 * approval reserves it all the same, so that nobody else can take it while the run waits.
 */
export async function holdInBudgets(store: Store, tx: Tx, ask: HoldAsk): Promise<HoldVerdict> {
  if (ask.micros === 0) return { is: "held" };
  let asks: Budget | undefined;
  const heldMicros = ask.micros ?? 0;
  for (const budget of await budgetsOf(store, tx, ask.payer)) {
    const blocks = budget.onLimit === "block";
    if (ask.micros === null && blocks) return { is: "unbounded", budget };
    const period = periodAt(budget.period, budget.timeZone, ask.at);
    const isHeld = await holdInBalance(
      tx,
      budget,
      period,
      heldMicros,
      blocks ? budget.limitMicros : undefined,
    );
    if (!isHeld)
      return {
        is: "refused",
        budget,
        leftMicros: leftOf(budget, await readBalance(tx, budget, period)),
      };
    if (budget.onLimit !== "ask") continue;
    const balance = await readBalance(tx, budget, period);
    const isOver =
      ask.micros === null || balance.spentMicros + balance.heldMicros > budget.limitMicros;
    // An admin's budget takes precedence over a manager's.
    if (isOver && asks?.authority !== "admin") asks = budget;
  }
  return asks ? { is: "waits", budget: asks } : { is: "held" };
}

/**
 * Returns the blocking budget with the smallest amount left among those that a payer's run counts
 * in; null when none of them blocks.
 */
export async function tightestBudget(
  db: Reader,
  payer: Payer,
  at: number,
): Promise<{ budget: Budget; leftMicros: number } | null> {
  const { projectId, userId, apiKeyId } = payer;
  const budgets = (await rowsOfPayer(db, { projectId, userId, apiKeyId: apiKeyId ?? noKey })).map(
    toBudget,
  );
  let tightest: { budget: Budget; leftMicros: number } | null = null;
  for (const budget of budgets.filter(({ onLimit }) => onLimit === "block")) {
    const leftMicros = leftOf(
      budget,
      await readBalance(db, budget, periodAt(budget.period, budget.timeZone, at)),
    );
    if (!tightest || leftMicros < tightest.leftMicros) tightest = { budget, leftMicros };
  }
  return tightest;
}

/**
 * Returns who must approve a run that already has its reservation: the authority of a budget that
 * the run exceeds and that asks for approval, or now blocks. Null when none does.
 * @param of `isBounded` is false when the highest cost is unknown, and then the run exceeds every
 *   such budget
 */
export async function approvalNeeded(
  store: Store,
  tx: Tx,
  payer: Payer,
  of: { isBounded: boolean; admittedAt: number },
): Promise<Budget["authority"] | null> {
  let needed: Budget["authority"] | null = null;
  for (const budget of await budgetsOf(store, tx, payer)) {
    if (budget.onLimit === "warn") continue;
    const { spentMicros, heldMicros } = await readBalance(
      tx,
      budget,
      periodAt(budget.period, budget.timeZone, of.admittedAt),
    );
    const isOver = !of.isBounded || spentMicros + heldMicros > budget.limitMicros;
    if (isOver && needed !== "admin") needed = budget.authority;
  }
  return needed;
}

const leftOf = (budget: Budget, balance: Balance): number =>
  Math.max(0, budget.limitMicros - balance.spentMicros - balance.heldMicros);

const balanceRow = prepared((db, { budgetId, startMs }: { budgetId: string; startMs: number }) =>
  db
    .selectFrom("balance")
    .select(["spent_micros", "held_micros"])
    .where("budget_id", "=", budgetId)
    .where("period_start", "=", startMs),
);
/** A period without a balance has nothing held or spent. */
async function readBalance(db: Reader, budget: Budget, period: Period): Promise<Balance> {
  const [row] = await balanceRow(db, { budgetId: budget.id, startMs: period.startMs });
  return { spentMicros: row?.spent_micros ?? 0, heldMicros: row?.held_micros ?? 0 };
}

/** A share of a budget that spending has just passed, reported once per period. */
export type BudgetWarning = {
  budget: Budget;
  percent: 80 | 100;
  spentMicros: number;
  /** Runs of unknown cost in the period, which make the spend a minimum. */
  unpricedRuns: number;
  periodStart: number;
};

/**
 * Settles a run in the period of its admission: releases the held money and adds the spent money.
 */
export async function settleInBudgets(
  store: Store,
  tx: Tx,
  payer: Payer,
  change: { heldMicros: number; spentMicros: number; admittedAt: number },
): Promise<BudgetWarning[]> {
  const { heldMicros, spentMicros, admittedAt } = change;
  if (heldMicros === 0 && spentMicros === 0) return [];
  const warnings: BudgetWarning[] = [];
  for (const budget of await budgetsOf(store, tx, payer)) {
    const period = periodAt(budget.period, budget.timeZone, admittedAt);
    const added = await addToBalance(tx, budget, period, { heldMicros, spentMicros });
    const percent = added && passedPercent(added.spentMicros, budget.limitMicros);
    if (!added || !percent || percent <= added.warnedPercent) continue;
    await tx
      .updateTable("balance")
      .set({ warned_percent: percent })
      .where("budget_id", "=", budget.id)
      .where("period_start", "=", period.startMs)
      .execute();
    warnings.push({
      budget,
      percent,
      spentMicros: added.spentMicros,
      unpricedRuns: await countUnpricedIn(tx, budget, period),
      periodStart: period.startMs,
    });
  }
  return warnings;
}

function passedPercent(spentMicros: number, limitMicros: number): 80 | 100 | undefined {
  if (spentMicros >= limitMicros) return 100;
  return spentMicros >= limitMicros * 0.8 ? 80 : undefined;
}

/** Adds the spending in the period that contains `at`. */
const standing = async (db: Reader, row: BudgetRow, at: number): Promise<BudgetStanding> => {
  const budget = toBudget(row);
  const period = periodAt(budget.period, budget.timeZone, at);
  const isDefault = budget.scopeId === null && budget.scope !== "instance";
  const balance = isDefault
    ? { spentMicros: 0, heldMicros: 0 }
    : await readBalance(db, budget, period);
  const unpricedRuns = isDefault ? 0 : await countUnpricedIn(db, budget, period);
  return {
    ...budget,
    ...balance,
    unpricedRuns,
    periodStart: period.startMs,
    periodEnd: budget.period === "total" ? null : period.endMs,
  };
};

/**
 * Lists the budgets of these projects, people and keys, or those of the instance, with or without
 * the defaults for new people and projects.
 */
export async function listBudgets(
  db: Reader,
  of: {
    projectIds?: readonly string[];
    userIds?: readonly string[];
    keyIds?: readonly string[];
    withInstance?: boolean;
    withDefaults?: boolean;
  },
  at: number,
): Promise<BudgetStanding[]> {
  const { projectIds = [], userIds = [], keyIds = [], withInstance, withDefaults } = of;
  const rows = await db
    .selectFrom("budget")
    .selectAll()
    .where((e) =>
      e.or([
        ...(projectIds.length > 0 ? [isForAny(e, "project", projectIds)] : []),
        ...(userIds.length > 0 ? [isForAny(e, "user", userIds)] : []),
        ...(keyIds.length > 0 ? [isForAny(e, "api_key", keyIds)] : []),
        ...(withInstance ? [e("scope", "=", sql.lit("instance"))] : []),
        ...(withDefaults ? [isFor(e, "project", noPayer), isFor(e, "user", noPayer)] : []),
      ]),
    )
    .orderBy("scope")
    .orderBy("scope_id")
    .orderBy("id")
    .execute();
  return Promise.all(rows.map((row) => standing(db, row, at)));
}

export type NewBudget = Omit<Budget, "createdAt" | "id"> & {
  id: string;
  createdBy: string;
  at: number;
};

/**
 * Sets a budget, replacing this authority's previous one for the scope and period. Its balance is
 * recounted from the ledger.
 */
export async function putBudget(store: Store, tx: Tx, budget: NewBudget): Promise<void> {
  await closeBooks(store, tx);
  await removeBudget(store, tx, budget);
  await tx
    .insertInto("budget")
    .values({
      id: budget.id,
      scope: budget.scope,
      scope_id: budget.scopeId,
      period: budget.period,
      time_zone: budget.timeZone,
      limit_micros: budget.limitMicros,
      on_limit: budget.onLimit,
      authority: budget.authority,
      created_by: budget.createdBy,
      created_at: budget.at,
    })
    .execute();
  const made = { ...budget, createdAt: budget.at };
  if (budget.scope === "instance" || budget.scopeId !== null)
    await openBalance(tx, made, periodAt(budget.period, budget.timeZone, budget.at));
}

/** @returns false when there was no such budget */
export async function removeBudget(
  store: Store,
  tx: Tx,
  which: Pick<Budget, "scope" | "scopeId" | "period" | "authority">,
): Promise<boolean> {
  await closeBooks(store, tx);
  const result = await tx
    .deleteFrom("budget")
    .where((e) => isFor(e, which.scope, which.scopeId ?? noPayer))
    .where("period", "=", which.period)
    .where("authority", "=", which.authority)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Creates the default budgets of a new person or project, in the same transaction. */
export async function giveDefaultBudgets(
  tx: Tx,
  to: { scope: "project" | "user"; scopeId: string; at: number },
  ids: () => string,
): Promise<void> {
  budgetsRead.set(tx, null);
  const defaults = await tx
    .selectFrom("budget")
    .selectAll()
    .where((e) => isFor(e, to.scope, noPayer))
    .execute();
  for (const row of defaults)
    await tx
      .insertInto("budget")
      .values({ ...row, id: ids(), scope_id: to.scopeId, created_at: to.at })
      .execute();
}

export type WrongBalance = {
  budget: Budget;
  periodStart: number;
  balance: Balance;
  booked: Balance;
};

/** Finds balances that differ from the ledger. */
export async function findWrongBalances(
  db: Reader,
): Promise<{ checked: number; wrong: WrongBalance[] }> {
  const rows = await db
    .selectFrom("balance")
    .innerJoin("budget", "budget.id", "balance.budget_id")
    .selectAll("budget")
    .select(["period_start", "spent_micros", "held_micros"])
    .execute();
  const wrong: WrongBalance[] = [];
  for (const row of rows) {
    const budget = toBudget(row);
    const booked = await balanceFromLedger(
      db,
      budget,
      periodAt(budget.period, budget.timeZone, row.period_start),
    );
    if (booked.spentMicros === row.spent_micros && booked.heldMicros === row.held_micros) continue;
    wrong.push({
      budget,
      periodStart: row.period_start,
      balance: { spentMicros: row.spent_micros, heldMicros: row.held_micros },
      booked,
    });
  }
  return { checked: rows.length, wrong };
}

/** Recounts a balance from the ledger while no one writes to it. */
export async function recountBalance(
  store: Store,
  tx: Tx,
  budget: Budget,
  periodStart: number,
): Promise<void> {
  await store.lockBooks(tx, "alone");
  const { spentMicros, heldMicros } = await balanceFromLedger(
    tx,
    budget,
    periodAt(budget.period, budget.timeZone, periodStart),
  );
  await tx
    .updateTable("balance")
    .set({ spent_micros: spentMicros, held_micros: heldMicros })
    .where("budget_id", "=", budget.id)
    .where("period_start", "=", periodStart)
    .execute();
}
