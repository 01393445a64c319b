import { sql } from "kysely";
import type { ErrorCode } from "#contract/errors.ts";
import { returnsNoFile, type Task } from "#contract/tasks.ts";
import { isUncheckedJob } from "#domain/runs/unchecked-job.ts";
import type { Reader } from "../database/store.ts";
import { endColumns, readEnd } from "./unchecked-jobs.ts";

/** An attempt that its provider accepted, with neither a result nor a job id saved. */
export type LostAnswer = { runId: string; state: string; attempt: number };

/** The warning added to a run that the check found, so that it is found once. */
export const lostAnswerType = "lost-answer";

/**
 * Failures of the connection itself. With any other code, the provider has answered the request.
 */
const broken: ReadonlySet<string> = new Set<ErrorCode>([
  "provider_interrupted",
  "provider_protocol",
  "provider_timeout",
  "provider_unreachable",
]);

/**
 * Finds attempts that 0.1 recorded as failed or refused although they had been accepted: a torn
 * file response, a job submit whose answer had no job id, or a 2xx response labeled as a web page.
 * 0.2 leaves such runs unconfirmed.
 */
export async function findLostAnswers(db: Reader): Promise<LostAnswer[]> {
  const rows = await db
    .selectFrom("attempt")
    .innerJoin("run", "run.id", "attempt.run_id")
    .select([...endColumns, "attempt.number", "attempt.state as attempt_state"])
    .where("run.finished_at", "is not", null)
    .where("run.imported", "is", null)
    .where("attempt.provider_urls", "is", null)
    .where((e) =>
      e.or([
        sql<boolean>`attempt.state = 'refused' and attempt.http_status between 200 and 299`,
        sql<boolean>`attempt.state in ('ended', 'lost') and attempt.number = run.attempts
          and run.state = 'failed' and coalesce(attempt.http_status, 200) between 200 and 299
          and not exists (select 1 from output where output.run_id = run.id)`,
      ]),
    )
    .orderBy("run.id")
    .orderBy("attempt.number")
    .execute();
  return rows.flatMap((row) => {
    const run = readEnd(row);
    const isLost =
      row.attempt_state === "refused" ||
      (!returnsNoFile(row.task as Task) &&
        row.task !== "live" &&
        broken.has(run.error?.code ?? "") &&
        isUncheckedJob(run));
    return isLost && !run.warnings.some(({ type }) => type === lostAnswerType)
      ? [{ runId: row.id, state: row.state, attempt: row.number }]
      : [];
  });
}
