import type { Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { tasks } from "#contract/tasks.ts";
import { askedRatio } from "#domain/files/picture-shape.ts";
import { priceOfRun } from "#domain/money/prices.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { priceOf } from "../../../components/run/run-facts.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import type { FeedBatch } from "../../../data/queries/create.queries.ts";
import {
  expectedPrice,
  formatDuration,
  formatPrice,
  formatSpent,
  sumPrices,
} from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { expectedOutputs } from "../recipe-of.ts";
import type { ModelOf } from "./use-models-of.ts";

/** A batch's heading: its prompt's first line, or its task if it has no prompt. */
export function batchTitle(batch: FeedBatch): string {
  const [run] = batch.runs;
  if (!run) return t("create.batch.empty");
  return (
    (run.expansion?.template ?? promptOf(run.input as JsonObject)).trim().split("\n")[0] ||
    tasks[run.task].name
  );
}

/** "3 pictures": the expected results of the runs. */
export function countText(runs: readonly Run[]): string {
  const count = runs.reduce((sum, run) => sum + expectedOutputs(run), 0);
  return runs[0] ? t("create.count", { count, ...tasks[runs[0].task].makes }) : "";
}

/**
 * The cost of all runs: "$0.10", "$0.10 reserved", "about $0.10" before anything is reserved,
 * "free" or "price unknown".
 */
export function costText(runs: readonly Run[], models: readonly ModelOf[]): string {
  const open = runs.filter(({ state }) => !isFinal(state));
  const held = open.reduce((sum, { heldMicros }) => sum + heldMicros, 0);
  const unbounded = open.filter(({ heldMicros, isFree }) => heldMicros === 0 && !isFree).length;
  if (held > 0) return t("create.cost.held", { amount: formatSpent(held, unbounded) });
  if (runs.some((run) => !isFinal(run.state) && run.state !== "unconfirmed"))
    return estimateText(runs, models);
  if (runs.length === 0) return "";
  // An unconfirmed run may have been charged, unless it is free.
  const cost = sumPrices(runs.map(priceOf));
  const isNothing = cost.kind === "free" && !runs.some(({ state }) => state === "succeeded");
  return isNothing ? t("create.cost.none") : formatPrice(cost);
}

function estimateText(runs: readonly Run[], models: readonly ModelOf[]): string {
  const prices = runs.flatMap((run) => {
    if (isFinal(run.state)) return priceOf(run);
    const model = models.find((known) => isSameModel(known, run))?.model;
    return model ? expectedPrice(priceOfRun(model, run.input as JsonObject)) : [];
  });
  // Model prices load after the runs.
  return prices.length < runs.length ? "" : formatPrice(sumPrices(prices));
}

/** From the first start to the last end; empty while a run is open or if none started. */
export function timeText(runs: readonly Run[]): string {
  const starts = runs.flatMap((run) => run.startedAt ?? []);
  const ends = runs.flatMap((run) => run.finishedAt ?? []);
  if (starts.length === 0 || ends.length < runs.length) return "";
  return formatDuration(Math.max(0, Math.max(...ends) - Math.min(...starts)));
}

/** A single run's seed; the runs of a larger batch have different ones. */
export function seedText(runs: readonly Run[]): string {
  const seed = runs.length === 1 ? runs[0]?.input.seed : undefined;
  return typeof seed === "number" ? t("create.seed", { seed }) : "";
}

/** The aspect ratio of a batch's tiles: of its first picture, or the requested one. */
export function ratioOf(batch: FeedBatch): number {
  const picture = batch.assets.find(({ width, height }) => width && height);
  const ratio =
    picture?.width && picture.height
      ? picture.width / picture.height
      : askedRatio((batch.runs[0]?.input ?? {}) as JsonObject);
  return Math.min(1.9, Math.max(0.72, ratio ?? 4 / 3));
}
