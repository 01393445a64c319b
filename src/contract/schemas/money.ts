import { z } from "zod";
import { budgetPeriods, onLimits } from "../budgets.ts";
import { budgetStanding, id, micros, task, time } from "../entities.ts";
import { page } from "../filters/page.ts";
import { limits } from "../limits.ts";
import { unitNames } from "../units.ts";

const budgetMicros = z.int().min(0, "A limit can't be negative.").max(limits.budgetMicrosMost);
const setting = {
  period: z.enum(budgetPeriods),
  timeZone: z.string().max(100),
  /** Null removes the budget. */
  limitMicros: budgetMicros.nullable(),
  onLimit: z.enum(onLimits),
};
/** `detail`: a person's email address, or the name of a project's owner. */
const payer = z.object({
  id,
  name: z.string(),
  detail: z.string(),
  budgets: z.array(budgetStanding),
});
/** A part of a name, of an email address, or of the name of a project's owner. */
const q = z.string().max(200).optional();
const day = z.iso.date();
const range = z
  .strictObject({ from: day, to: day, projectId: id.optional() })
  .refine(({ from, to }) => from <= to, {
    path: ["to"],
    message: "The last day is before the first.",
  });
/** `micros` is a lower bound if some of the runs have an unknown cost. */
const spent = z.object({
  micros,
  runs: z.int(),
  tokens: z.int(),
  /** Runs with an unknown cost, and runs assumed to be free because the provider refused them. */
  unpricedRuns: z.int(),
  assumedRuns: z.int(),
});
/** `unpricedRuns` reserve nothing, because their possible cost is unknown. */
const held = z.object({ runs: z.int(), micros, unpricedRuns: z.int() });
const named = spent.extend({ id: z.string(), name: z.string() });
const usage = z.object({
  total: spent,
  /** The period of a bar: a date, or a month ("2026-11") in a long range. */
  step: z.enum(["day", "month"]),
  bars: z.array(spent.extend({ at: z.string() })),
  /**
   * Other people's own connections, and removed ones that they used, are one sum with empty ids.
   */
  models: z.array(named.extend({ connectionId: id.or(z.literal("")) })),
  projects: z.array(named),
  people: z.array(named),
  /** The same connections are one sum with the id "". */
  connections: z.array(named),
  /**
   * The reader's API keys, and for admins everyone's; other people's are one sum with the id
   * "others". Runs without a key have the id "".
   */
  keys: z.array(named),
  /** The money reserved by open runs now, regardless of the range. */
  held,
  /** The part of it that unconfirmed runs reserve. */
  unconfirmed: held,
});

/** `micros` is a lower bound if some of the runs have an unknown cost. */
const kept = z.object({ micros, runs: z.int(), unpricedRuns: z.int(), kept: z.int() });
const keepers = z.object({
  total: kept,
  /**
   * Most expensive first. Other people's own connections, and removed ones that they used, are one
   * sum with empty ids.
   */
  models: z.array(
    kept.extend({ connectionId: id.or(z.literal("")), id: z.string(), name: z.string() }),
  ),
  /**
   * The 50 most expensive, each up to its first 300 characters. Runs without a result or a prompt
   * have an empty one.
   */
  prompts: z.array(kept.extend({ prompt: z.string() })),
});

export const moneySchemas = {
  listBudgets: { response: z.object({ budgets: z.array(budgetStanding) }) },
  listInstanceBudgets: { response: z.object({ budgets: z.array(budgetStanding) }) },
  listPayers: {
    query: page.extend({
      scope: z.enum(["project", "user"]),
      q,
    }),
    response: z.object({
      payers: z.array(payer),
      next: z.string().nullable(),
      /** How many people or projects match the search. */
      count: z.int(),
    }),
  },
  setBudgets: {
    body: z
      .strictObject({
        scope: z.enum(["instance", "project", "user"]),
        /** Null for the instance, or for the default of new projects or people. */
        scopeIds: z.array(id.nullable()).min(1).max(1_000).optional(),
        /**
         * Instead of ids: all people or projects of a search as in `listPayers`; without `q` all of
         * them.
         */
        found: z.strictObject({ q }).optional(),
        ...setting,
      })
      .refine(({ scopeIds, found }) => (scopeIds === undefined) !== (found === undefined), {
        path: ["scopeIds"],
        message: "Give either ids or a search.",
      })
      .refine(
        ({ scope, scopeIds }) =>
          scope !== "instance" || scopeIds?.every((one) => one === null) === true,
        {
          path: ["scopeIds"],
          message: "The instance can't have several.",
        },
      ),
    /** How many budgets were set or removed. */
    response: z.object({ budgets: z.int() }),
  },
  setProjectBudget: {
    params: z.object({ projectId: id }),
    body: z.strictObject(setting),
    response: z.object({ budgets: z.array(budgetStanding) }),
  },
  setModelPrice: {
    params: z.object({ connectionId: id }),
    body: z.strictObject({
      modelId: z.string().min(1).max(400),
      /** The most that one run may reserve and cost; null removes it. */
      ceilingMicros: budgetMicros
        .min(1, "A ceiling is more than nothing. What costs nothing has a price of 0.")
        .nullable()
        .optional(),
      /**
       * Prices that apply if neither the provider nor the price list has one; null removes them.
       */
      prices: z
        .array(
          z.strictObject({
            unit: z.enum(unitNames),
            micros: z.string().regex(/^\d{1,12}(\.\d{1,12})?$/),
          }),
        )
        .min(1)
        .max(8)
        .nullable()
        .optional(),
    }),
    response: z.object({}),
  },
  listWaiting: {
    query: page,
    response: z.object({
      /** Oldest first. */
      waiting: z.array(
        z.object({
          runId: id,
          projectName: z.string(),
          personName: z.string(),
          modelName: z.string(),
          task,
          heldMicros: micros,
          createdAt: time,
          waitingFor: z.enum(["manager", "admin"]),
        }),
      ),
      next: z.string().nullable(),
      /** How many runs need this person's approval. */
      count: z.int(),
    }),
  },
  decideWaiting: {
    params: z.object({ runId: id }),
    body: z.strictObject({ allow: z.boolean() }),
    response: z.object({}),
  },
  getUsage: { query: range, response: usage },
  getKeepers: { query: range, response: keepers },
  getInstanceUsage: { query: range, response: usage },
  downloadUsage: { query: range },
  downloadInstanceUsage: { query: range },
};
