import { findWrongBalances, recountBalance } from "#store/budgets.ts";
import { findMissingRows, findStrayEntries, findWrongRuns, type RunSums } from "#store/checks.ts";
import type { Reader, Store, Tx } from "#store/store.ts";
import { findWrongKeyMonths, findWrongKeyUsage, findWrongMonths, findWrongUsage, type Unlike } from "#store/usage-checks.ts";
import { recountKeyMonth, recountKeyUsage, recountMonth, recountUsage } from "#store/usage-rollup.ts";
import type { Check, Finding } from "./doctor.ts";

const money = (micros: number): string => `$${(micros / 1_000_000).toFixed(6)}`;

/** Each of these reads one snapshot, so that what goes on meanwhile is no finding. */
export type BooksCheck = {
  name: Check;
  what: string;
  find(db: Reader): Promise<Finding[]>;
  mend?(store: Store, finding: Finding): Promise<string>;
};

type From = { says: string; counted: string };
const theBooks: From = { says: "by the books", counted: "counted anew from the books" };
const itsDays: From = { says: "its days", counted: "counted anew from its days" };

/** A rollup of usage beside what it is the sum of. */
function checkOfUsage<Key extends object>(rollup: {
  name: Check;
  what: string;
  from: From;
  find(db: Reader): Promise<Unlike<Key>[]>;
  subject(key: Key): string;
  recount(store: Store, tx: Tx, key: Key): Promise<void>;
}): BooksCheck {
  const { name, what, from, find, subject, recount } = rollup;
  return {
    name,
    what,
    find: async (db) =>
      (await find(db)).map((key) => ({
        check: name,
        subject: subject(key),
        text: `shows ${money(key.shownMicros)}; ${from.says} ${money(key.countedMicros)}`,
        key,
      })),
    async mend(store, { key }) {
      await store.write((tx) => recount(store, tx, key as Key));
      return from.counted;
    },
  };
}

export const booksChecks: readonly BooksCheck[] = [
  {
    name: "balances",
    what: "Every balance of a budget is the sum of its entries in the books",
    async find(db) {
      const { wrong } = await findWrongBalances(db);
      return wrong.map(({ budget, periodStart, balance, booked }) => ({
        check: "balances",
        subject: `budget ${budget.id}, ${budget.period} from ${periodStart === 0 ? "the beginning" : new Date(periodStart).toISOString()}`,
        text: `spent ${money(balance.spentMicros)} and held ${money(balance.heldMicros)}; by the books ${money(booked.spentMicros)} and ${money(booked.heldMicros)}`,
        key: { budget, periodStart },
      }));
    },
    async mend(store, { key }) {
      const { budget, periodStart } = key as { budget: Parameters<typeof recountBalance>[2]; periodStart: number };
      await store.write((tx) => recountBalance(store, tx, budget, periodStart));
      return "counted anew from the books";
    },
  },
  {
    name: "runs",
    what: "Every run holds and costs what its entries say, and is settled once",
    async find(db) {
      const runs = await findWrongRuns(db);
      const strays = await findStrayEntries(db);
      return [
        ...runs.map((run): Finding => ({ check: "runs", subject: `run ${run.id} (${run.state})`, text: wordsOf(run) })),
        ...strays.map(
          ({ id, runId, micros }): Finding => ({
            check: "runs",
            subject: `entry ${id}`,
            text: `${money(micros)} for the run ${runId}, which is not there`,
          }),
        ),
      ];
    },
  },
  checkOfUsage({
    name: "usage",
    what: "Every day of usage is the sum of what was booked on it",
    from: theBooks,
    find: findWrongUsage,
    subject: ({ day, projectId, modelId }) => `${day}, project ${projectId}, model ${modelId}`,
    recount: recountUsage,
  }),
  checkOfUsage({
    name: "months",
    what: "Every month of usage is the sum of its days",
    from: itsDays,
    find: findWrongMonths,
    subject: ({ month, projectId, modelId }) => `${month}, project ${projectId}, model ${modelId}`,
    recount: (_, tx, key) => recountMonth(tx, key),
  }),
  checkOfUsage({
    name: "key-usage",
    what: "Every day of an API key is the sum of what was booked on it for the key",
    from: theBooks,
    find: findWrongKeyUsage,
    subject: ({ day, projectId, apiKeyId }) => `${day}, project ${projectId}, API key ${apiKeyId}`,
    recount: recountKeyUsage,
  }),
  checkOfUsage({
    name: "key-months",
    what: "Every month of an API key is the sum of its days",
    from: itsDays,
    find: findWrongKeyMonths,
    subject: ({ month, projectId, apiKeyId }) => `${month}, project ${projectId}, API key ${apiKeyId}`,
    recount: (_, tx, key) => recountKeyMonth(tx, key),
  }),
  {
    name: "results",
    what: "Every result of a run that succeeded is in the library",
    find: async (db) =>
      (await findMissingRows(db)).map(({ runId, assetId }) => ({
        check: "results",
        subject: assetId ? `asset ${assetId}` : `run ${runId}`,
        text: "a result that succeeded was not stored",
      })),
  },
];

function wordsOf(run: RunSums): string {
  const wrong: string[] = [];
  if (run.heldMicros !== run.bookedHeldMicros) wrong.push(`holds ${money(run.heldMicros)}, by the books ${money(run.bookedHeldMicros)}`);
  if (run.costMicros !== run.bookedMicros) wrong.push(`cost ${money(run.costMicros)}, by the books ${money(run.bookedMicros)}`);
  if (run.isAssumedFree && run.bookedMicros !== 0) wrong.push(`is assumed to be free, by the books ${money(run.bookedMicros)}`);
  if (run.settlements > 1) wrong.push(`was settled ${run.settlements} times`);
  else if (run.settlements === 1 && !["succeeded", "failed", "cancelled"].includes(run.state)) wrong.push("is settled, and has not ended");
  return wrong.join("; ");
}
