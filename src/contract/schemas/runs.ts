import { z } from "zod";
import {
  asset,
  batch,
  id,
  idempotencyKey,
  micros,
  model,
  modelRef,
  run,
  runEvent,
  task,
  text,
  time,
} from "../entities.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";
import { pictureShapes } from "../picture-shapes.ts";
import { epochReasons } from "../waiting-reasons.ts";
import { deliveryStatuses } from "../webhooks.ts";

const runParam = z.object({ runId: id });
const page = z.object({
  projectId: id,
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
});
const runShelves = [
  ...(["open", "waiting", "unconfirmed", "ended", "all"] as const),
  ...(["succeeded", "failed", "cancelled"] as const),
] as const;
/** `unknown` is the name that 0.1 used for `unconfirmed`; it is accepted until 0.3. */
const runShelf = z
  .enum([...runShelves, "unknown"])
  .transform((shelf) => (shelf === "unknown" ? "unconfirmed" : shelf));
const attempt = z.object({
  number: z.int(),
  state: z.string(),
  providerRequestId: z.string().nullable(),
  httpStatus: z.int().nullable(),
  bytesWritten: z.int().nullable(),
  sentAt: time.nullable(),
  acceptedAt: time.nullable(),
  endedAt: time.nullable(),
});

export const runSchemas = {
  createRuns: {
    body: z.strictObject({
      projectId: id,
      models: z
        .array(
          modelRef.extend({
            /** The model's own settings, which override `input`. */
            input: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .min(1)
        .max(8),
      task,
      /** Matches the model's own schema; files are `asset:<id>`. */
      input: z.record(z.string(), z.unknown()),
      variants: z.int().min(1).max(limits.variantsPerForm).default(1),
      /**
       * For pictures and videos: set in each model's own fields, with the nearest available value.
       */
      shape: z.enum(pictureShapes).optional(),
      /**
       * Expands the prompt: `{a|b}` and `__list__` make one prompt of each of their texts, `{?a|b}`
       * picks one by the seed. At most 1,000 results together.
       */
      expand: z.boolean().default(false),
      remixOf: id.optional(),
      idempotencyKey: idempotencyKey.optional(),
    }),
    response: z.object({ batch, runs: z.array(run) }),
  },
  askPrompt: {
    params: z.object({ projectId: id }),
    /** Either `prompt` to improve, or `assetId` of a picture to describe. */
    body: z
      .strictObject({
        model: modelRef,
        /** The task that the prompt is for. */
        task: task.default("image"),
        prompt: z.string().min(1).max(limits.promptCharacters).optional(),
        assetId: id.optional(),
        idempotencyKey: idempotencyKey.optional(),
      })
      .refine(
        ({ prompt, assetId }) => (prompt === undefined) !== (assetId === undefined),
        "Send either a prompt or an assetId.",
      ),
    response: z.object({ run }),
  },
  listRuns: {
    query: page.extend({
      state: runShelf.default("all"),
      task: task.optional(),
      /** The author of the runs. */
      createdBy: id.optional(),
      connectionId: id.optional(),
      modelId: z.string().min(1).max(400).optional(),
      /** Words of the prompt, the conversation's title, the model, the task or the error. */
      q: searchedText.trim().min(1).optional(),
    }),
    response: z.object({
      runs: z.array(run),
      /** The first files of these runs that you may see, up to four of each. */
      assets: z.array(asset),
      /**
       * A search reads 1,000 runs at a time, so a page may be short or empty although more follow.
       */
      next: z.string().nullable(),
    }),
  },
  listBatches: {
    query: page.extend({ task: task.optional() }),
    response: z.object({
      batches: z.array(batch.extend({ runs: z.array(run), assets: z.array(asset) })),
      next: z.string().nullable(),
    }),
  },
  getRun: {
    params: runParam,
    response: z.object({
      run,
      /** Why the run isn't sent although it is its turn: its service fails. */
      waitsFor: z.object({ reason: z.string(), notBefore: time.nullable() }).nullable(),
      model: model.nullable(),
      /**
       * Under an alias: the models that were skipped, in order, with the reasons. Only people who
       * manage aliases see their names.
       */
      passedOver: z.array(
        z.object({
          name: z.string().nullable(),
          reason: z.string(),
          /** The booked cost of a model that received the request; null if unknown. */
          costMicros: micros.nullable().optional(),
        }),
      ),
      /**
       * The conversation and message that the run belongs to; null if the reader can't see them.
       */
      conversation: z.object({ id, messageId: id }).nullable(),
      /** The API key of the request. */
      apiKey: z.object({ id, name: z.string() }).nullable(),
      /**
       * The webhook of this run, if the client passed one. Shows only the address's origin, because
       * the rest may be secret.
       */
      webhook: z
        .object({
          origin: z.string(),
          status: z.enum(deliveryStatuses),
          attempts: z.int(),
          triedAt: time.nullable(),
          /** When it is attempted again; null unless the last attempt failed. */
          nextAt: time.nullable(),
          httpStatus: z.int().nullable(),
          /** Why the last attempt failed. */
          error: z.string().nullable(),
        })
        .nullable(),
      attempts: z.array(attempt),
      inputs: z.array(z.object({ assetId: id, role: z.string() })),
      assets: z.array(asset),
      /** Every file that the provider announced, and until when it keeps it. */
      outputs: z.array(
        z.object({
          index: z.int(),
          state: z.enum(["promised", "fetching", "stored", "lost"]),
          expiresAt: time.nullable(),
        }),
      ),
      /** The checks that can be made at an unconfirmed run's provider. */
      askable: z.object({
        canLook: z.boolean(),
        canAttach: z.boolean(),
        canCancel: z.boolean(),
      }),
    }),
  },
  getRunEvents: {
    params: runParam,
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
  },
  listRunEvents: {
    params: runParam,
    query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
    response: z.object({ events: z.array(runEvent) }),
  },
  cancelRun: { params: runParam, response: z.object({ run }) },
  approveRun: {
    params: runParam,
    /** `always`: the tool needs no approval in this conversation anymore. */
    body: z.strictObject({ always: z.boolean().default(false) }),
    response: z.object({ run }),
  },
  answerQuestion: {
    params: runParam,
    body: z.discriminatedUnion("action", [
      z.strictObject({
        questionId: id,
        action: z.literal("accept"),
        content: z.record(z.string(), z.json()),
      }),
      z.strictObject({ questionId: id, action: z.literal("decline") }),
    ]),
    response: z.object({ run }),
  },
  approveRuns: {
    body: z.strictObject({ projectId: id, waitingFor: z.enum(epochReasons) }),
    response: z.object({ approved: z.int() }),
  },
  tryAgain: {
    params: runParam,
    body: z
      .strictObject({
        seed: z.enum(["same", "another"]).default("same"),
        idempotencyKey: idempotencyKey.optional(),
      })
      .prefault({}),
    response: z.object({ run }),
  },
  resolveRun: {
    params: runParam,
    body: z.discriminatedUnion("outcome", [
      z.strictObject({ outcome: z.literal("not-made") }),
      z.strictObject({
        outcome: z.literal("made-elsewhere"),
        costMicros: micros.nonnegative().max(limits.saidCostMicros).nullable().default(null),
      }),
    ]),
    response: z.object({ run }),
  },
  lookAgain: { params: runParam, response: z.object({ run, found: z.boolean() }) },
  attachJob: {
    params: runParam,
    body: z.strictObject({
      requestId: text(200).pipe(z.string().trim().min(1, "Enter the provider's ID.")),
      /** Accepts a job made from another prompt or seed than the run's. */
      evenIfDifferent: z.boolean().default(false),
    }),
    response: z.object({ run, found: z.boolean() }),
  },
  fetchOutputs: {
    params: runParam,
    response: z.object({ run, stored: z.int(), missing: z.int(), reason: z.string().nullable() }),
  },
};
