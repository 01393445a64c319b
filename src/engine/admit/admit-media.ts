import type { Batch, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { type FormAsk, inputsOfForm } from "#domain/runs/variants.ts";
import { assetsInInput } from "#domain/schemas/input-schema.ts";
import { insertRunInputs } from "#store/content/assets.ts";
import type { Tx } from "#store/database/store.ts";
import { getBatch, insertBatch } from "#store/runs/batches.ts";
import { getRunsOfBatches } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { hashOf } from "../connections/catalogue.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";
import {
  type Asker,
  admitOnce,
  admitRuns,
  foundUnderKey,
  newRun,
  requireAssets,
  requireConnections,
  requireRuns,
  requireValid,
  usableModel,
} from "./admission.ts";
import { admitAlone } from "./admit-alone.ts";
import { admitTurns, turnsOf } from "./admit-turns.ts";
import { priceInput } from "./hold.ts";
import { askedInput, askedModel, routeAsk } from "./route-ask.ts";

export type MediaAsk = FormAsk & {
  projectId: string;
  models: ModelRef[];
  task: Task;
  remixOf?: string;
  retryOf?: string;
  idempotencyKey?: string;
  /** Where the key counts, within what the person asks in this project: a door with keys of its own making. */
  idempotencyWithin?: string;
  /** Asked in the admitting unit, before anything of it is written: throws where it must not be. */
  guard?: (tx: Tx) => Promise<void>;
};
type Admitted = { batch: Batch; runs: Run[] };

/**
 * Admits a form of Create: one batch, one run for each model and variant, all in one unit.
 * @throws Problem invalid_input with the field, model_gone, storage_full, idempotency_mismatch, budget_exceeded, ceiling_needed
 */
export function admitBatch(deps: EngineDeps, asker: Asker, ask: MediaAsk): Promise<Admitted> {
  const { idempotencyKey, idempotencyWithin, guard, ...request } = ask;
  const requestHash = hashOf(request);
  const scope = [
    ask.projectId,
    asker.userId,
    ...(idempotencyWithin ? [idempotencyWithin] : []),
  ].join(":");

  const idempotency = idempotencyKey ? { scope, key: idempotencyKey, requestHash } : undefined;

  async function existing(): Promise<Admitted | undefined> {
    if (!idempotency) return undefined;
    const { run } = await foundUnderKey(deps, idempotency);
    const batch = run?.batchId ? await getBatch(deps.store.read, run.batchId) : undefined;
    return batch && { batch, runs: await getRunsOfBatches(deps.store.read, [batch.id]) };
  }

  return admitOnce(existing, async () => {
    await refuseWhenFull(deps);
    const models = await Promise.all(
      ask.models.map((ref) => usableModel(deps, asker, ask.projectId, ref, ask.task)),
    );
    const files = assetsInInput(ask.input);
    const fileIds = files.map((file) => file.assetId);
    const before = [ask.remixOf, ask.retryOf].filter((id) => id !== undefined);
    const sources = [
      await requireAssets(deps, asker, ask.projectId, fileIds),
      await requireRuns(deps, asker, ask.projectId, before),
    ];
    const visibility = sources.includes("author") ? "author" : "project";
    const wanted = models.flatMap((model) =>
      inputsFor(deps, model, ask).map((input) => ({ model, input })),
    );
    const planned = await Promise.all(
      wanted.map(({ model, input }) =>
        routeAsk(deps, model, input, { priceOf: priceInput(deps, asker, ask) }),
      ),
    );
    const admitted = await deps.commit(async (tx, outbox) => {
      await guard?.(tx);
      await requireConnections(
        deps,
        tx,
        planned.map(({ model }) => model),
      );
      const at = deps.clock.now();
      const batch = await insertBatch(tx, {
        id: deps.ids(),
        projectId: ask.projectId,
        kind:
          models.length > 1
            ? "models"
            : planned.length > 1 || ask.variants > 1
              ? "variants"
              : "one",
        task: ask.task,
        input: {
          models: ask.models,
          input: ask.input,
          variants: ask.variants,
          ...(ask.shape && { shape: ask.shape }),
        },
        createdBy: asker.userId,
        at,
      });
      const { projectId, task, remixOf, retryOf } = ask;
      const shared = {
        projectId,
        task,
        remixOf,
        retryOf,
        visibility,
        batchId: batch.id,
        messageId: null,
      } as const;
      // A key is one run's: by the first of a batch the others are found.
      const asks = planned.map((routed, i) => ({
        ...shared,
        model: routed.model,
        input: routed.given,
        mostMicros: routed.mostMicros,
        routed,
        ...(i === 0 && { idempotency }),
      }));
      const runs = await admitRuns(
        deps,
        tx,
        outbox,
        asks.map((one) => newRun(deps, asker, one, at)),
      );
      for (const run of runs) await insertRunInputs(tx, run.id, files);
      return { batch, runs };
    });
    await deps.failpoints?.at("run.admitted", admitted.runs[0]);
    return admitted;
  });
}

/** What each run of one model gets: one for each variant, or fewer where the model makes several at a time. @throws Problem invalid_input */
function inputsFor(deps: EngineDeps, model: ModelDetail, ask: MediaAsk): JsonObject[] {
  const inputs = inputsOfForm(
    ask,
    {
      inputSchema: model.inputSchema,
      countField: model.capabilities.countField as { name: string; most: number } | undefined,
    },
    deps.random,
  );
  for (const input of inputs) requireValid(model, input);
  return inputs;
}

/** Try again: a new run with the same input, which points at the old one. @throws Problem conflict for a run that has not ended badly */
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
      message: "Ask for another answer in the conversation instead.",
    });
  if (run.state !== "unconfirmed" && run.state !== "failed" && run.state !== "cancelled")
    throw new Problem("conflict", {
      message:
        run.state === "succeeded"
          ? "This run succeeded. Make it again as a new one."
          : "This run has not ended yet.",
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
    return admitAlone(deps, asker, {
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
    models: [askedModel(run)],
    task: run.task,
    input,
    variants: 1,
    retryOf: run.id,
    idempotencyKey,
  });
  return runs[0]!;
}
