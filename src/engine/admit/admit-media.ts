import type {
  Batch,
  ModelDetail,
  ModelRef,
  Run,
  RunExpansion,
  Visibility,
} from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { askedInput, askedModel } from "#domain/runs/asked.ts";
import { asFormInput } from "#domain/runs/embedding-batch.ts";
import { countOfForm, type FormAsk, type FormInput, inputsOfForm } from "#domain/runs/variants.ts";
import { assetsInInput } from "#domain/schemas/input-schema.ts";
import { foldListName, listsIn, type WordLists } from "#domain/text/prompt-template.ts";
import { getItemsOfLists } from "#store/content/word-lists.ts";
import type { Tx } from "#store/database/store.ts";
import { getBatch, insertBatch } from "#store/runs/batches.ts";
import { getRunsOfBatches } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { insertRunWebhook } from "#store/webhooks/run-webhooks.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { requireAssets, requireRuns, requireValid } from "../plan/checks.ts";
import { routeInput } from "../plan/input.ts";
import { turnsOf } from "../plan/turns.ts";
import { admit, findUnderKey } from "./admit.ts";
import { admitStandalone } from "./admit-standalone.ts";
import { admitTurns } from "./admit-turns.ts";

export type MediaAsk = FormAsk & {
  projectId: string;
  /** Each model's own `input` overrides the shared input. */
  models: (ModelRef & { input?: JsonObject })[];
  task: Task;
  remixOf?: string;
  retryOf?: string;
  /** The URL to call when a run ends, and the address at which the client reached this server. */
  webhook?: { url: string; baseUrl: string };
  /** The expansion of a retry, whose prompt is already expanded. */
  expansion?: RunExpansion | null;
  idempotencyKey?: string;
  /**
   * Narrows the idempotency scope below the person and project, for an API that generates its own
   * keys.
   */
  idempotencyWithin?: string;
  /** Runs in the admitting unit before anything is written, and throws to refuse the batch. */
  guard?: (tx: Tx) => Promise<void>;
};
type Admitted = { batch: Batch; runs: Run[] };

/**
 * Admits a Create form as one batch, with one run for each model and variant, in one unit.
 * @throws Problem invalid_input with the field, not_found, and what `admit` throws
 */
export function admitBatch(deps: EngineDeps, asker: Asker, ask: MediaAsk): Promise<Admitted> {
  const { idempotencyKey, idempotencyWithin: within, guard, ...request } = ask;
  const { projectId, task, remixOf, retryOf } = ask;
  const idempotency = idempotencyKey ? { key: idempotencyKey, request, within } : undefined;
  const models = ask.models.map(({ connectionId, modelId }) => ({
    ref: { connectionId, modelId },
    task,
  }));
  return admit(
    deps,
    { asker, projectId, models, idempotency },
    {
      async find(key) {
        const { run } = await findUnderKey(deps, key);
        const batch = run?.batchId ? await getBatch(deps.store.read, run.batchId) : undefined;
        return batch && { batch, runs: await getRunsOfBatches(deps.store.read, [batch.id]) };
      },
      async plan(usable) {
        const asks = ask.models.map(({ input }) => ({ ...ask, input: { ...ask.input, ...input } }));
        const files = asks.map(({ input }) => assetsInInput(input));
        const visibility = await visibilityOf(deps, asker, ask, files.flat());
        requireShortTemplates(asks);
        const lists = await wordListsOf(deps, asks);
        requireInOneBatch(usable, asks, lists);
        const wanted = usable.flatMap((model, index) =>
          inputsFor(deps, model, asks[index]!, lists).map((one) => ({
            model,
            files: files[index]!,
            ...one,
          })),
        );
        const planned = await Promise.all(
          wanted.map(async ({ model, input, expansion, files }) => ({
            ...(await routeInput(deps, asker, model, ask, input)),
            files,
            expansion: expansion ?? ask.expansion ?? null,
          })),
        );
        return {
          models: planned.map(({ model }) => model),
          async insert({ tx, at, start }) {
            await guard?.(tx);
            const batch = await insertBatch(tx, {
              id: deps.ids(),
              projectId,
              kind: kindOf(ask, planned.length),
              task,
              input: {
                models: ask.models,
                input: ask.input,
                variants: ask.variants,
                ...(ask.shape && { shape: ask.shape }),
                ...(ask.expand && { expand: true }),
              },
              createdBy: asker.userId,
              at,
            });
            const shared = { projectId, task, remixOf, retryOf, visibility };
            const runs = await start(
              planned.map((one) => ({ ...shared, ...one, batchId: batch.id, messageId: null })),
            );
            for (const { id: runId } of ask.webhook ? runs : [])
              await insertRunWebhook(tx, { runId, userId: asker.userId, ...ask.webhook!, at });
            return { batch, runs };
          },
        };
      },
    },
  );
}

const kindOf = ({ models, variants }: MediaAsk, runs: number): Batch["kind"] => {
  if (models.length > 1) return "models";
  return runs > 1 || variants > 1 ? "variants" : "one";
};

/**
 * A batch is as private as its most private source.
 * @throws Problem not_found
 */
async function visibilityOf(
  deps: EngineDeps,
  asker: Asker,
  { projectId, remixOf, retryOf }: MediaAsk,
  files: readonly { assetId: string }[],
): Promise<Visibility> {
  const fileIds = files.map(({ assetId }) => assetId);
  const runIds = [remixOf, retryOf].filter((id) => id !== undefined);
  const sources = [
    await requireAssets(deps, asker, projectId, fileIds),
    await requireRuns(deps, asker, projectId, runIds),
  ];
  return sources.includes("author") ? "author" : "project";
}

/**
 * The inputs of one model's runs: one for each variant, or fewer if the model makes several results
 * at once.
 * @throws Problem invalid_input
 */
function inputsFor(
  deps: EngineDeps,
  model: ModelDetail,
  ask: MediaAsk,
  lists: WordLists,
): FormInput[] {
  const inputs = inputsOfForm(ask, formOf(model), deps.random, lists);
  for (const { input } of inputs) requireValid(model, asFormInput(ask.task, input));
  return inputs;
}

const formOf = ({ inputSchema, capabilities }: ModelDetail) => ({
  inputSchema,
  countField: capabilities.countField as { name: string; most: number } | undefined,
});

/** Reads the word lists that the prompts refer to. */
async function wordListsOf(deps: EngineDeps, asks: readonly MediaAsk[]): Promise<WordLists> {
  const names = asks.flatMap(({ expand, input: { prompt } }) =>
    expand && typeof prompt === "string" ? listsIn(prompt) : [],
  );
  const folded = [...new Set(names.map(foldListName))];
  return getItemsOfLists(deps.store.read, asks[0]!.projectId, folded);
}

/**
 * Counts the results before any of them is built.
 * @throws Problem invalid_input
 */
function requireInOneBatch(
  models: readonly ModelDetail[],
  asks: readonly MediaAsk[],
  lists: WordLists,
): void {
  const counts = models.map((model, index) => countOfForm(asks[index]!, formOf(model), lists));
  const sumOf = (part: "results" | "characters") => counts.reduce((sum, one) => sum + one[part], 0);
  const mostOf = (part: "places" | "longest") => Math.max(...counts.map((one) => one[part]));
  requireAtMost(sumOf("results"), limits.runsPerBatch, sentences.runs.batchTooLarge);
  requireAtMost(mostOf("places"), limits.promptPlaces, sentences.runs.placesTooMany);
  requireAtMost(mostOf("longest"), limits.promptCharacters, sentences.runs.choicesTooLong);
  requireAtMost(sumOf("characters"), limits.batchPromptCharacters, sentences.runs.batchTooLong);
}

/**
 * Limits the templates before they are parsed, because parsing time grows with their length.
 * @throws Problem invalid_input
 */
function requireShortTemplates(asks: readonly MediaAsk[]): void {
  for (const { expand, input } of asks)
    if (expand && typeof input.prompt === "string")
      requireAtMost(input.prompt.length, limits.promptCharacters, sentences.runs.templateTooLong);
}

/** @throws Problem invalid_input for the prompt */
function requireAtMost(
  count: number,
  most: number,
  sentence: (words: { count: string; most: string }) => string,
): void {
  if (count > most)
    throw new Problem("invalid_input", {
      field: "input.prompt",
      message: sentence({ count: countWords(count), most: countWords(most) }),
    });
}

const countWords = (count: number): string =>
  Number.isSafeInteger(count) ? count.toLocaleString("en-US") : "too many";

/**
 * Retries a run as a new run with the same input that refers to the old one.
 * @throws Problem conflict unless the run is unconfirmed, failed or canceled
 */
export async function admitAgain(
  deps: EngineDeps,
  asker: Asker,
  run: OwnedRun,
  seed: "same" | "another",
  idempotencyKey?: string,
): Promise<Run> {
  const given = run.task === "chat" ? turnsOf(run.input) : undefined;
  if (run.task === "chat" && !given)
    throw new Problem("conflict", {
      message: sentences.chat.answerInConversation,
    });
  if (run.state !== "unconfirmed" && run.state !== "failed" && run.state !== "cancelled")
    throw new Problem("conflict", {
      message:
        run.state === "succeeded" ? sentences.runs.succeededAlready : sentences.runs.notFinished,
    });
  if (given) {
    const { projectId, id: retryOf } = run;
    const request = { retryOf, seed };
    const idempotency = idempotencyKey === undefined ? undefined : { key: idempotencyKey, request };
    return admitTurns(deps, asker, {
      ...given,
      settings: askedInput(run),
      projectId,
      model: askedModel(run),
      retryOf,
      idempotency,
    });
  }
  const whole = askedInput(run);
  const { seed: _, ...rest } = whole;
  const input = seed === "same" ? whole : rest;
  if (run.batchId === null) {
    const { projectId, task, visibility, messageId, id: retryOf } = run;
    return admitStandalone(deps, asker, {
      projectId,
      model: askedModel(run),
      task,
      input,
      visibility,
      messageId,
      retryOf,
      idempotencyKey,
    });
  }
  const { runs } = await admitBatch(deps, asker, {
    projectId: run.projectId,
    expansion: run.expansion,
    models: [askedModel(run)],
    task: run.task,
    input,
    variants: 1,
    retryOf: run.id,
    idempotencyKey,
  });
  return runs[0]!;
}
