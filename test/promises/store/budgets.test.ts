import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Budget } from "#contract/entities.ts";
import { periodAt } from "#domain/money/periods.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store, Tx } from "#store/database/store.ts";
import {
  balanceFromLedger,
  holdInBudgets,
  putBudget,
  removeBudget,
  settleInBudgets,
} from "#store/money/budgets.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { listEveryBudget } from "../../support/databases/every-budget.ts";
import { openStore, openTestStore } from "../../support/databases/test-store.ts";

const hour = 60 * 60_000;
/** Ten hours before Rome's clocks change, at the end of its last day of summer time. */
const start = Date.parse("2026-10-24T14:00:00Z");
const people = ["u1", "u2"] as const;
const zones = ["UTC", "Europe/Rome", "Pacific/Auckland"] as const;

type Open = { id: string; userId: string; heldMicros: number; admittedAt: number };

const scope = fc.constantFrom<Pick<Budget, "scope" | "scopeId">>(
  { scope: "instance", scopeId: null },
  { scope: "user", scopeId: "u1" },
  { scope: "user", scopeId: "u2" },
  { scope: "project", scopeId: "p1" },
);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("admit" as const),
      user: fc.constantFrom(...people),
      micros: fc.integer({ min: 0, max: 400 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      which: fc.nat(),
      cost: fc.integer({ min: 0, max: 600 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("budget" as const),
      of: scope,
      period: fc.constantFrom("day" as const, "month" as const, "total" as const),
      timeZone: fc.constantFrom(...zones),
      limitMicros: fc.option(fc.integer({ min: 0, max: 2_000 })),
      onLimit: fc.constantFrom("block" as const, "ask" as const, "warn" as const),
    }),
  },
  // Forward, backward, past midnight, a clock change and the end of a month.
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("clock" as const),
      hours: fc.integer({ min: -30, max: 40 }),
    }),
  },
);

forEachDatabase((name, create) => {
  let store: Store;
  beforeAll(async () => {
    store = openStore(await create());
    await migrate(store, start);
  });
  afterAll(() => store.close());

  async function expectBooks(now: number): Promise<void> {
    for (const budget of await listEveryBudget(store.db, now)) {
      const rows = await store.db
        .selectFrom("balance")
        .selectAll()
        .where("budget_id", "=", budget.id)
        .execute();
      for (const row of rows) {
        const period = periodAt(budget.period, budget.timeZone, Number(row.period_start));
        expect(period.startMs).toBe(Number(row.period_start));
        const counted = await balanceFromLedger(store.db, budget, period);
        expect({
          spentMicros: Number(row.spent_micros),
          heldMicros: Number(row.held_micros),
        }).toEqual(counted);
      }
    }
  }

  it("every balance is the sum of its entries, and no admission passes a blocking limit, whatever the clock does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        for (const table of ["balance", "budget", "ledger_entry"] as const)
          await store.db.deleteFrom(table).execute();
        let now = start;
        const open: Open[] = [];
        for (const next of steps) {
          if (next.do === "clock") now += next.hours * hour;
          else if (next.do === "budget") await setBudget(next, now);
          else if (next.do === "admit") await admit(next.user, next.micros, now, open);
          else if (open.length > 0)
            await settle(open.splice(next.which % open.length, 1)[0]!, next.cost, now);
        }
        await expectBooks(now);
      }),
      { numRuns: name === "sqlite" ? 150 : 25 },
    );
  });

  type BudgetStep = Extract<
    typeof step extends fc.Arbitrary<infer S> ? S : never,
    { do: "budget" }
  >;
  async function setBudget(
    { of, limitMicros, period, timeZone, onLimit }: BudgetStep,
    at: number,
  ): Promise<void> {
    await store.write(async (tx) => {
      if (limitMicros === null)
        await removeBudget(store, tx, { ...of, period, authority: "admin" });
      else
        await putBudget(store, tx, {
          ...of,
          period,
          timeZone,
          limitMicros,
          onLimit,
          authority: "admin",
          id: uuid(),
          createdBy: "u1",
          at,
        });
    });
  }

  const payerOf = (userId: string) => ({ projectId: "p1", userId, apiKeyId: null });
  const entryOf = (run: Open, at: number) => ({
    ...payerOf(run.userId),
    id: uuid(),
    runId: run.id,
    connectionId: "c",
    modelId: "m",
    admittedAt: run.admittedAt,
    at,
  });

  async function admit(userId: string, micros: number, at: number, open: Open[]): Promise<void> {
    const run: Open = { id: uuid(), userId, heldMicros: micros, admittedAt: at };
    const refused = new Error("refused");
    await store
      .write(async (tx) => {
        const verdict = await holdInBudgets(store, tx, { payer: payerOf(userId), micros, at });
        if (verdict.is === "refused") throw refused;
        if (micros > 0) await insertLedgerEntry(tx, { ...entryOf(run, at), kind: "hold", micros });
        open.push(run);
        if (micros === 0) return;
        for (const budget of await listEveryBudget(tx, at)) {
          const counts = budget.scope !== "user" || budget.scopeId === userId;
          if (counts && budget.onLimit === "block")
            expect(budget.spentMicros + budget.heldMicros).toBeLessThanOrEqual(budget.limitMicros);
        }
      })
      .catch((error) => {
        if (error !== refused) throw error;
      });
  }

  async function settle(run: Open, cost: number, at: number): Promise<void> {
    await store.write(async (tx) => {
      await settleInBudgets(store, tx, payerOf(run.userId), {
        heldMicros: -run.heldMicros,
        spentMicros: cost,
        admittedAt: run.admittedAt,
      });
      if (run.heldMicros > 0)
        await insertLedgerEntry(tx, {
          ...entryOf(run, at),
          kind: "release",
          micros: -run.heldMicros,
        });
      const overage = Math.max(0, cost - run.heldMicros);
      await insertLedgerEntry(
        tx,
        { ...entryOf(run, at), kind: "spend", micros: cost - overage },
        true,
      );
      if (overage > 0)
        await insertLedgerEntry(tx, { ...entryOf(run, at), kind: "overage", micros: overage });
    });
  }

  it("a run is settled once: the books refuse a second settlement", async () => {
    const run: Open = { id: uuid(), userId: "u1", heldMicros: 0, admittedAt: start };
    await settle(run, 40, start);
    await expect(settle(run, 40, start)).rejects.toThrow(/unique/i);
    const entries = await store.db
      .selectFrom("ledger_entry")
      .select("kind")
      .where("run_id", "=", run.id)
      .execute();
    expect(entries.map(({ kind }) => kind).sort()).toEqual(["overage", "spend"]);
  });

  it("counts a whole run on its admission day, in the budget's own time zone", async () => {
    for (const table of ["balance", "budget", "ledger_entry"] as const)
      await store.db.deleteFrom(table).execute();
    const midnight = periodAt("day", "Pacific/Auckland", start).endMs;
    const facts = {
      limitMicros: 1_000,
      onLimit: "block",
      period: "day",
      timeZone: "Pacific/Auckland",
    } as const;
    await setBudget(
      { do: "budget", of: { scope: "instance", scopeId: null }, ...facts },
      midnight - 2 * hour,
    );
    const open: Open[] = [];
    await admit("u1", 700, midnight - 1, open);
    await settle(open[0]!, 650, midnight + hour);
    await admit("u2", 900, midnight, open);
    const days = await store.db.selectFrom("balance").selectAll().orderBy("period_start").execute();
    expect(days.map((row) => [Number(row.spent_micros), Number(row.held_micros)])).toEqual([
      [650, 0],
      [0, 900],
    ]);
  });
});

forEachDatabase((_, create) => {
  it("an admission during a change of its budget uses the committed state, neither rolled back nor earlier", async () => {
    // The clock stands still, so on SQLite all of them are one transaction.
    const store = openTestStore(await create(), { monotonic: () => 0 });
    await migrate(store, start);
    const limit = {
      scope: "instance",
      scopeId: null,
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      authority: "admin",
    } as const;
    const set = (limitMicros: number) => (tx: Tx) =>
      putBudget(store, tx, { ...limit, limitMicros, id: uuid(), createdBy: "u1", at: start });
    const hold = async (tx: Tx): Promise<string> => {
      const payer = { projectId: "p1", userId: "u1", apiKeyId: null };
      const { is } = await holdInBudgets(store, tx, { payer, micros: 10, at: start });
      const entry = {
        ...payer,
        id: uuid(),
        runId: uuid(),
        connectionId: "c",
        modelId: "m",
        admittedAt: start,
        at: start,
      };
      if (is === "held") await insertLedgerEntry(tx, { ...entry, kind: "hold", micros: 10 });
      return is;
    };
    await store.write(set(1_000));
    const undone = async (tx: Tx) => {
      await set(0)(tx);
      expect(await hold(tx)).toBe("refused");
      throw new Error("no");
    };
    const units = [hold, undone, hold, set(30), hold, hold].map(
      (unit) =>
        (tx: Tx): Promise<unknown> =>
          unit(tx),
    );
    const results: PromiseSettledResult<unknown>[] = [];
    if (store.engine === "sqlite")
      results.push(...(await Promise.allSettled(units.map((unit) => store.write(unit)))));
    else for (const unit of units) results.push(...(await Promise.allSettled([store.write(unit)])));
    const told = results.map((result) =>
      result.status === "fulfilled" ? result.value : String(result.reason),
    );
    expect(told).toEqual(["held", "Error: no", "held", undefined, "held", "refused"]);
  });
});
