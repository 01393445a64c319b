import { sql } from "kysely";
import type { RunError, RunWarning } from "#contract/entities.ts";
import { isUncheckedJob } from "#domain/runs/unchecked-job.ts";
import { fromJson, fromJsonOrNull } from "../database/json.ts";
import type { RunRow } from "../database/schema.ts";
import type { Reader } from "../database/store.ts";

/** A failed run whose job the provider may have finished. */
export type UncheckedJob = { runId: string; jobId: string };

/** The columns of `run` that `isUncheckedJob` decides by. */
export const endColumns = [
  "run.id",
  "run.task",
  "run.state",
  "run.cost_basis",
  "run.error",
  "run.warnings",
] as const;

export const readEnd = (
  row: Pick<RunRow, "task" | "state" | "cost_basis" | "error" | "warnings">,
) => ({
  task: row.task,
  state: row.state,
  costBasis: row.cost_basis,
  error: fromJsonOrNull<RunError>(row.error),
  warnings: fromJson<RunWarning[]>(row.warnings),
});

/**
 * Finds failed runs without a result whose submit was accepted and has a job id, but whose provider
 * has neither reported the job as failed nor been asked again since.
 */
export async function findUncheckedJobs(db: Reader): Promise<UncheckedJob[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .leftJoin("output", "output.run_id", "run.id")
    .select([...endColumns, "attempt.provider_request_id as job"])
    .where("run.state", "=", sql.lit("failed"))
    .where("run.imported", "is", null)
    .where("output.run_id", "is", null)
    .where("attempt.provider_request_id", "is not", null)
    // An id without URLs isn't a job: services assign an id to every request.
    .where("attempt.provider_urls", "is not", null)
    .where((e) =>
      e.or([
        e("attempt.http_status", "is", null),
        e.and([e("attempt.http_status", ">=", 200), e("attempt.http_status", "<", 300)]),
      ]),
    )
    .orderBy("run.id")
    .execute();
  return rows.flatMap((row) =>
    isUncheckedJob(readEnd(row)) && row.job !== null ? [{ runId: row.id, jobId: row.job }] : [],
  );
}
