import type { RunWarning } from "#contract/entities.ts";
import { sentences } from "#contract/sentences/index.ts";
import { bookFromUsage, findUnbookedCosts } from "#engine/bills/book-usage.ts";
import { createHub } from "#engine/hub.ts";
import { overageWarning } from "#engine/settle/settle.ts";
import {
  findEarlyDeletions,
  findStrayEntries,
  findWrongRuns,
  type RunSums,
} from "#store/checks/checks.ts";
import {
  findLostAnswers,
  type LostAnswer,
  lostAnswerType,
} from "#store/checks/lost-answer-checks.ts";
import { addWarning, findUnwarnedOverages, type Overage } from "#store/checks/overage-checks.ts";
import { findUncountedSearches, uncountedSearchesType } from "#store/checks/search-checks.ts";
import { findUncheckedJobs } from "#store/checks/unchecked-jobs.ts";
import {
  findWrongKeyMonths,
  findWrongKeyUsage,
  findWrongMonths,
  findWrongUsage,
  type SumMismatch,
} from "#store/checks/usage-checks.ts";
import { createIds } from "#store/database/ids.ts";
import type { Reader, Store, Tx } from "#store/database/store.ts";
import { findWrongBalances, recountBalance } from "#store/money/budgets.ts";
import {
  recountKeyMonth,
  recountKeyUsage,
  recountMonth,
  recountUsage,
} from "#store/money/usage-rollup.ts";
import { createCommit } from "#store/runs/unit.ts";
import { clock } from "../open.ts";
import type { Check, Finding } from "./finding.ts";

const money = (micros: number): string => `$${(micros / 1_000_000).toFixed(6)}`;

/**
 * A check of the ledger and the rows. All checks read one snapshot, so that active work isn't a
 * finding.
 */
export type BooksCheck = {
  name: Check;
  what: string;
  find(db: Reader): Promise<Finding[]>;
  mend?(store: Store, finding: Finding): Promise<string>;
};

type From = { says: string; counted: string };
const theLedger: From = { says: "the ledger says", counted: "recomputed from the ledger" };
const itsDays: From = { says: "its days add up to", counted: "recomputed from its days" };

/** A check of a usage rollup against the rows that it sums. */
function checkOfUsage<Key extends object>(rollup: {
  name: Check;
  what: string;
  from: From;
  find(db: Reader): Promise<SumMismatch<Key>[]>;
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
    what: "Every balance of a budget is the sum of its ledger entries",
    async find(db) {
      const { wrong } = await findWrongBalances(db);
      return wrong.map(({ budget, periodStart, balance, booked }) => ({
        check: "balances",
        subject: `budget ${budget.id}, ${budget.period} from ${periodStart === 0 ? "the start" : new Date(periodStart).toISOString()}`,
        text: `shows spent ${money(balance.spentMicros)} and held ${money(balance.heldMicros)}; the ledger says ${money(booked.spentMicros)} and ${money(booked.heldMicros)}`,
        key: { budget, periodStart },
      }));
    },
    async mend(store, { key }) {
      const { budget, periodStart } = key as {
        budget: Parameters<typeof recountBalance>[2];
        periodStart: number;
      };
      await store.write((tx) => recountBalance(store, tx, budget, periodStart));
      return theLedger.counted;
    },
  },
  {
    name: "runs",
    what: "Every run holds and costs what its ledger entries say, and is settled once",
    async find(db) {
      const runs = await findWrongRuns(db);
      const strays = await findStrayEntries(db);
      return [
        ...runs.map(
          (run): Finding => ({
            check: "runs",
            subject: `run ${run.id} (${run.state})`,
            text: wordsOf(run),
          }),
        ),
        ...strays.map(
          ({ id, runId, micros }): Finding => ({
            check: "runs",
            subject: `entry ${id}`,
            text: `${money(micros)} for the run ${runId}, which does not exist`,
          }),
        ),
      ];
    },
  },
  checkOfUsage({
    name: "usage",
    what: "Every day of usage is the sum of what was booked on it",
    from: theLedger,
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
    what: "Every day of an API key is the sum of what was booked for the key",
    from: theLedger,
    find: findWrongKeyUsage,
    subject: ({ day, projectId, apiKeyId }) => `${day}, project ${projectId}, API key ${apiKeyId}`,
    recount: recountKeyUsage,
  }),
  checkOfUsage({
    name: "key-months",
    what: "Every month of an API key is the sum of its days",
    from: itsDays,
    find: findWrongKeyMonths,
    subject: ({ month, projectId, apiKeyId }) =>
      `${month}, project ${projectId}, API key ${apiKeyId}`,
    recount: (_, tx, key) => recountKeyMonth(tx, key),
  }),
  {
    name: "overages",
    what: "Every run that cost more than was reserved for it says so",
    find: async (db) =>
      (await findUnwarnedOverages(db)).map((overage) => ({
        check: "overages",
        subject: `run ${overage.runId} (${overage.state})`,
        text: `cost ${money(overage.settledMicros)}, which is ${money(overage.overMicros)} more than was reserved for it, and does not say so`,
        key: overage,
      })),
    async mend(store, { key }) {
      const { runId, settledMicros, overMicros } = key as Overage;
      const warning = overageWarning(settledMicros, settledMicros - overMicros);
      return warn(store, runId, warning);
    },
  },
  {
    name: "unpriced",
    what: "Every run that succeeded has the cost that its price and usage tell",
    find: async (db) =>
      (await findUnbookedCosts(db)).map(({ run, micros }) => ({
        check: "unpriced",
        subject: `run ${run.id} (${run.state})`,
        text: `has no cost; by its price and usage it cost ${money(micros)}`,
        key: run.id,
      })),
    async mend(store, { key }) {
      const ids = createIds(clock.now);
      const commit = createCommit({ store, watchers: createHub(), ids, clock });
      const isBooked = await commit((unit) =>
        bookFromUsage(unit, { store, ids, clock }, key as string),
      );
      return isBooked ? "its cost is booked now" : "its cost was booked meanwhile";
    },
  },
  {
    name: "unasked",
    what: "No failed run has a job that may have been made after all",
    find: async (db) =>
      (await findUncheckedJobs(db)).map(({ runId, jobId }) => ({
        check: "unasked",
        subject: `run ${runId} (failed)`,
        text: `failed without its provider saying so, and its job ${jobId} was never asked about again. Open the run and choose “Check again”`,
      })),
  },
  {
    name: "lost-answers",
    what: "An accepted attempt counts as failed or refused only if its provider said so",
    find: async (db) =>
      (await findLostAnswers(db)).map((lost) => ({
        check: "lost-answers",
        subject: `run ${lost.runId} (${lost.state})`,
        text: `attempt ${lost.attempt} was accepted, its answer was lost, and it may have been made and charged. Look in the provider’s console${lost.state === "failed" ? ". If the job is there, open the run and choose “Enter request ID”" : ""}`,
        key: lost,
      })),
    mend: (store, { key }) =>
      warn(store, (key as LostAnswer).runId, {
        type: lostAnswerType,
        feature: "result",
        message: sentences.runs.answerLost,
      }),
  },
  {
    name: "searches",
    what: "Every background answer that cites web pages counts its searches",
    find: async (db) =>
      (await findUncountedSearches(db)).map(({ runId, state }) => ({
        check: "searches",
        subject: `run ${runId} (${state})`,
        text: "cites web pages and counts no web search, so its cost may be too low. Compare it with the provider’s bill",
        key: runId,
      })),
    mend: (store, { key }) =>
      warn(store, key as string, {
        type: uncountedSearchesType,
        feature: "cost",
        message: sentences.runs.searchesNotCounted,
      }),
  },
  {
    name: "trash",
    what: "The trash was never emptied by a clock that was ahead",
    find: async (db) =>
      (await findEarlyDeletions(db, clock.now())).map(({ id, trashedAt, deletedAt }) => ({
        check: "trash",
        subject: `asset ${id}`,
        text: `was put into the trash at ${new Date(trashedAt).toISOString()} and deleted at ${new Date(deletedAt).toISOString()}, which is still to come. Restore it from a backup`,
      })),
  },
];

/** Adds a warning to the run if no row can be corrected, because a person has to decide. */
async function warn(store: Store, runId: string, warning: RunWarning): Promise<string> {
  await store.write((tx) => addWarning(tx, runId, warning));
  return "the run carries the warning now";
}

function wordsOf(run: RunSums): string {
  const wrong: string[] = [];
  if (run.heldMicros !== run.bookedHeldMicros)
    wrong.push(`holds ${money(run.heldMicros)}, the ledger says ${money(run.bookedHeldMicros)}`);
  if (run.costMicros !== null && run.costMicros !== run.bookedMicros)
    wrong.push(`cost ${money(run.costMicros)}, the ledger says ${money(run.bookedMicros)}`);
  if (run.costMicros === null && run.bookedMicros < 0)
    wrong.push(`has an unknown cost, the ledger says ${money(run.bookedMicros)}`);
  if (run.isAssumedFree && run.bookedMicros !== 0)
    wrong.push(`is assumed to be free, the ledger says ${money(run.bookedMicros)}`);
  if (run.settlements > 1) wrong.push(`was settled ${run.settlements} times`);
  else if (run.settlements === 1 && !["succeeded", "failed", "cancelled"].includes(run.state))
    wrong.push("is settled but has not ended");
  return wrong.join("; ");
}
