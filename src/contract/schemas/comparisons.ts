import { z } from "zod";
import { asset, comparison, id, micros, modelRef, run, text, vote } from "../entities.ts";
import { limits } from "../limits.ts";
import { taskNames } from "../tasks.ts";

const params = z.object({ comparisonId: id });
const title = text(limits.nameCharacters);
const position = z
  .int()
  .min(0)
  .max(limits.comparisonEntries - 1);
/** A file of a run, a run (its first result), or an answer of a conversation. */
const newEntry = z.union([
  z.strictObject({ assetId: id }),
  z.strictObject({ runId: id }),
  z.strictObject({ messageId: id }),
]);
const entry = z.object({
  position: z.int(),
  /**
   * This and the following fields are null if the result is in the trash, deleted, or not visible
   * to you. Such a result doesn't count.
   */
  runId: id.nullable(),
  outputIndex: z.int().nullable(),
  messageId: id.nullable(),
  run: run.nullable(),
  asset: asset.nullable(),
  /** The text of an answer, or of a result without a file. */
  text: z.string().nullable(),
});
const whole = z.object({
  comparison,
  entries: z.array(entry),
  vote,
  /** The number of people who voted. */
  votes: z.int(),
});
const boardQuery = z.strictObject({
  projectId: id.optional(),
  task: z.enum(taskNames).optional(),
});

export const comparisonSchemas = {
  listComparisons: {
    query: z.strictObject({
      projectId: id,
      trash: z.enum(["true", "false"]).default("false"),
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({
      comparisons: z.array(
        comparison.extend({
          entries: z.int(),
          /** Whether you have voted. */
          isVoted: z.boolean(),
          /** Files of its results that you may see. */
          assets: z.array(asset),
        }),
      ),
      next: z.string().nullable(),
    }),
  },
  createComparison: {
    body: z.strictObject({
      projectId: id,
      title: title.optional(),
      blind: z.boolean().default(true),
      entries: z.array(newEntry).min(2).max(limits.comparisonEntries),
    }),
    response: z.object({ comparison }),
  },
  getComparison: { params, response: whole },
  updateComparison: {
    params,
    body: z.strictObject({
      title: title.optional(),
      add: z.array(newEntry).min(1).max(limits.comparisonEntries).optional(),
      trashed: z.boolean().optional(),
    }),
    response: z.object({ comparison }),
  },
  putVote: {
    params,
    body: z.strictObject({ best: z.array(position).max(limits.comparisonEntries) }),
    response: z.object({ vote }),
  },
  revealComparison: { params, response: z.object({ vote }) },
  getLeaderboard: {
    query: boardQuery,
    response: z.object({
      /** Votes that count. */
      votes: z.int(),
      /** Best first. */
      models: z.array(
        modelRef.extend({
          name: z.string(),
          /**
           * The probability of being preferred to another model of the board, with its 95%
           * interval.
           */
          score: z.number(),
          low: z.number(),
          high: z.number(),
          /** The logarithm of its Bradley-Terry strength. */
          strength: z.number(),
          games: z.number(),
          wins: z.number(),
          /** The median cost of a compared result; null if no cost is known. */
          costMicros: micros.nullable(),
          /** Ratings of its answers in conversations that you see. They don't affect the score. */
          ratings: z.int(),
          goodRatings: z.int(),
        }),
      ),
    }),
  },
  downloadLeaderboard: { query: boardQuery },
};
