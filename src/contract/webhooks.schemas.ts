import { z } from "zod";
import { asset, budget, id, micros, run, time } from "./entities.ts";
import type { HookEvent, runHookEvents } from "./webhooks.ts";

/** The payload of a run event: its id, end and cost. The receiver fetches input and output. */
const hookRun = run
  .pick({
    id: true,
    projectId: true,
    userId: true,
    connectionId: true,
    modelId: true,
    task: true,
    state: true,
    batchId: true,
    messageId: true,
    retryOf: true,
    costMicros: true,
    costBasis: true,
    error: true,
    createdAt: true,
    startedAt: true,
    finishedAt: true,
  })
  .extend({ apiKeyId: id.nullable(), assetIds: z.array(id) });
const hookAsset = asset.pick({
  id: true,
  projectId: true,
  runId: true,
  createdBy: true,
  kind: true,
  mime: true,
  bytes: true,
  createdAt: true,
});
const hookBudget = budget
  .pick({
    scope: true,
    scopeId: true,
    period: true,
    timeZone: true,
    limitMicros: true,
    onLimit: true,
  })
  .extend({
    budgetId: id,
    periodStart: time,
    spentMicros: micros,
    unpricedRuns: z.int(),
    percent: z.int(),
  });

const bodyOf = <T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data });
const runBody = <T extends (typeof runHookEvents)[number]>(type: T) =>
  bodyOf(type, z.object({ run: hookRun }));

/** The body of each delivery, by event: Standard Webhooks' type, timestamp and data. */
export const hookBodies = {
  "run.succeeded": runBody("run.succeeded"),
  "run.failed": runBody("run.failed"),
  "run.cancelled": runBody("run.cancelled"),
  "run.unconfirmed": runBody("run.unconfirmed"),
  "asset.kept": bodyOf("asset.kept", z.object({ asset: hookAsset })),
  "budget.warning": bodyOf("budget.warning", hookBudget),
} satisfies Record<HookEvent, z.ZodType>;
export type HookData<E extends HookEvent> = z.infer<(typeof hookBodies)[E]>["data"];
