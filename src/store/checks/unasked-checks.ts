import { sql } from "kysely";
import type { RunError, RunWarning } from "#contract/entities.ts";
import { isUnasked } from "#domain/runs/unasked-job.ts";
import { fromJson, fromJsonOrNull } from "../database/json.ts";
import type { Reader } from "../database/store.ts";

/** A failed run whose job its provider may still have finished. */
export type UnaskedJob = { runId: string; jobId: string };

/**
 * Failed runs without a result whose job has an id, behind a submit that was accepted, and whose provider has neither said that the job
 * failed nor been asked again since.
 */
export async function findUnaskedJobs(db: Reader): Promise<UnaskedJob[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .leftJoin("output", "output.run_id", "run.id")
    .select([
      "run.id",
      "run.task",
      "run.state",
      "run.cost_basis",
      "run.error",
      "run.warnings",
      "attempt.provider_request_id as job",
    ])
    .where("run.state", "=", sql.lit("failed"))
    .where("run.imported", "is", null)
    .where("output.run_id", "is", null)
    .where("attempt.provider_request_id", "is not", null)
    // An id without addresses is no job: services name every request.
    .where("attempt.provider_urls", "is not", null)
    .where((e) =>
      e.or([
        e("attempt.http_status", "is", null),
        e.and([e("attempt.http_status", ">=", 200), e("attempt.http_status", "<", 300)]),
      ]),
    )
    .orderBy("run.id")
    .execute();
  return rows.flatMap((row) => {
    const error = fromJsonOrNull<RunError>(row.error);
    const warnings = fromJson<RunWarning[]>(row.warnings);
    const run = { task: row.task, state: row.state, costBasis: row.cost_basis, error, warnings };
    return isUnasked(run) && row.job !== null ? [{ runId: row.id, jobId: row.job }] : [];
  });
}
