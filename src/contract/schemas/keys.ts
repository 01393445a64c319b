import { z } from "zod";
import { budgetPeriods } from "../budgets.ts";
import { apiKey, budgetStanding, id, micros, modelRef, name, time } from "../entities.ts";
import { page } from "../filters/page.ts";
import { searchedText } from "../filters/searched-text.ts";
import { keyScopes } from "../key-scopes.ts";
import { limits } from "../limits.ts";

const keyParam = z.object({ keyId: id });
const scopes = z
  .array(z.enum(keyScopes))
  .min(1, "Choose at least one scope.")
  .max(keyScopes.length)
  .transform((given) => keyScopes.filter((scope) => given.includes(scope)));
const ratePerMinute = z.int().min(1).max(limits.keyRatePerMinuteMost);
const models = z
  .array(modelRef)
  .min(1, "Choose at least one model.")
  .max(limits.modelsPerKey, `A key can be limited to at most ${limits.modelsPerKey} models.`)
  .nullable();
const keyBudget = {
  period: z.enum(budgetPeriods),
  timeZone: z.string().max(100),
  limitMicros: z.int().min(0, "A limit can't be negative.").max(limits.budgetMicrosMost),
  /** Clients can't wait for an approval, so "ask" isn't available. */
  onLimit: z.enum(["block", "warn"]),
};
const shown = apiKey.extend({
  projectName: z.string(),
  models: z.array(modelRef.extend({ name: z.string() })).nullable(),
  /** The total cost of its runs. */
  spentMicros: micros,
  /** Its runs with an unknown cost, which make the spending a lower bound. */
  unpricedRuns: z.int(),
  budgets: z.array(budgetStanding),
  /** Why the key doesn't work although it isn't revoked. */
  asleep: z.enum(["expired", "project-archived", "not-member"]).nullable(),
});

export const keySchemas = {
  listKeys: { response: z.object({ keys: z.array(shown) }) },
  createKey: {
    body: z.strictObject({
      name,
      projectId: id,
      scopes,
      models: models.default(null),
      expiresAt: time.nullable().default(null),
      ratePerMinute: ratePerMinute.default(limits.keyRatePerMinute),
      keepsRunning: z.boolean().default(false),
      budget: z.strictObject(keyBudget).optional(),
    }),
    /** `token` is the key itself, which isn't stored and never shown again. */
    response: z.object({ key: shown, token: z.string() }),
  },
  updateKey: {
    params: keyParam,
    body: z.strictObject({
      name: name.optional(),
      scopes: scopes.optional(),
      models: models.optional(),
      expiresAt: time.nullable().optional(),
      ratePerMinute: ratePerMinute.optional(),
      keepsRunning: z.boolean().optional(),
    }),
    response: z.object({ key: shown }),
  },
  rotateKey: { params: keyParam, response: z.object({ key: shown, token: z.string() }) },
  revokeKey: { params: keyParam, response: z.object({}) },
  setKeyBudget: {
    params: keyParam,
    body: z.strictObject({ ...keyBudget, limitMicros: keyBudget.limitMicros.nullable() }),
    response: z.object({ key: shown }),
  },
  listAllKeys: {
    query: page.extend({
      /**
       * A part of the name or beginning of a key, of its owner's name or email address, or of its
       * project's name.
       */
      q: searchedText.optional(),
    }),
    response: z.object({
      keys: z.array(
        apiKey.extend({
          ownerName: z.string(),
          ownerEmail: z.string(),
          projectName: z.string(),
          asleep: shown.shape.asleep,
        }),
      ),
      next: z.string().nullable(),
      /** How many keys match the search. */
      count: z.int(),
    }),
  },
  revokeAnyKey: { params: keyParam, response: z.object({}) },
};
