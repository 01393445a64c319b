import type { RunEvent } from "#contract/entities.ts";
import { errors, isErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { appOf } from "#domain/models/fal-apps.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import { isOver } from "../programs/follow.ts";
import { falTypeOf } from "./errors.ts";

const logPage = 2_000;

export type FalLog = { message: string; level: string; source: "USER"; timestamp: string };

/**
 * Builds a request's URLs as fal's client would: on fal's host, to come back through this proxy.
 */
export function addressesOf({ id, modelId }: Pick<OwnedRun, "id" | "modelId">) {
  const root = `https://queue.fal.run/${appOf(modelId)}/requests/${id}`;
  return { status_url: `${root}/status`, response_url: root, cancel_url: `${root}/cancel` };
}

/**
 * Returns a run's status in fal's terms (docs.fal.ai, "Queue"). An unconfirmed run counts as
 * completed: waiting reveals nothing more.
 */
export function statusOf(run: OwnedRun, logs: readonly FalLog[] | undefined) {
  const head = { request_id: run.id, ...addressesOf(run) };
  const logFields = logs && { logs };
  if (isOver(run)) {
    const startedAt = run.firstOutputAt ?? run.startedAt;
    const seconds =
      startedAt !== null && run.finishedAt !== null ? (run.finishedAt - startedAt) / 1000 : null;
    return {
      status: "COMPLETED",
      ...head,
      logs: logs ?? [],
      metrics: { inference_time: seconds },
      ...errorOf(run),
    } as const;
  }
  if (run.state === "running" || run.state === "storing")
    return { status: "IN_PROGRESS", ...head, logs: logs ?? [] } as const;
  return {
    status: "IN_QUEUE",
    ...head,
    queue_position: run.queuePlace ?? 0,
    ...logFields,
  } as const;
}

function errorOf({ state, error }: OwnedRun) {
  if (state === "succeeded") return {};
  const code = error?.code ?? (state === "unconfirmed" ? "outcome_unknown" : "cancelled");
  const message =
    error?.message ??
    (state === "unconfirmed" ? errors.outcome_unknown.text : sentences.api.runCanceledPlain);
  const isCancelled = state === "cancelled";
  const known = isErrorCode(code) ? code : "internal";
  return { error: message, error_type: falTypeOf(known, error?.providerAnswer, isCancelled) };
}

const levels: Record<string, string> = { error: "ERROR", warn: "WARN", debug: "DEBUG" };

/** Returns the log lines among these events. */
export const logsOf = (events: readonly Pick<RunEvent, "type" | "payload">[]): FalLog[] =>
  events.flatMap(({ type, payload }) =>
    type === "log"
      ? (payload as { lines: { at?: number; level?: string; message: string }[] }).lines.map(
          ({ at, level = "", message }) => ({
            message,
            level: levels[level.toLowerCase()] ?? "INFO",
            source: "USER",
            timestamp: new Date(at ?? 0).toISOString(),
          }),
        )
      : [],
  );

export async function readLogs(deps: Pick<ServerDeps, "store">, runId: string): Promise<FalLog[]> {
  const logs: FalLog[] = [];
  for (let after = 0; ; ) {
    const events = await listRunEvents(deps.store.read, runId, after, logPage);
    logs.push(...logsOf(events));
    if (events.length < logPage) return logs;
    after = events.at(-1)?.seq ?? after;
  }
}
