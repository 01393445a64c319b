import { Problem } from "#contract/errors.ts";
import type { JobResult } from "#providers/adapter.ts";
import { type Attempt, listAttempts } from "#store/runs/attempts.ts";
import { asSent } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { recordWebhook, type WaitingWebhook } from "#store/webhooks/webhooks-in.ts";
import type { EngineDeps } from "../deps.ts";
import { askForJob, type FoundJob } from "./find-job.ts";
import { bookFurtherResult, bookLateResult, readLateResult } from "./late-result.ts";

/**
 * Saves and books the result of a second job of an ended run, and records its webhook.
 * @param run as it was when the attempt was sent
 * @param job undefined if the provider doesn't know it
 * @returns whether files of the job have to be downloaded
 * @throws Problem unavailable while the job is running
 */
export const saveFurtherResult = (
  deps: EngineDeps,
  run: OwnedRun,
  attempt: Attempt,
  requestId: string,
  job: FoundJob | undefined,
): Promise<boolean> =>
  saveResult(deps, run, requestId, job, (unit, late) =>
    bookFurtherResult(unit, deps, { ...late, run, attempt }),
  );

/** Does the same for the last job of a run that ended without its result. */
export const saveLateResult = (
  deps: EngineDeps,
  run: OwnedRun,
  requestId: string,
  job: FoundJob | undefined,
): Promise<boolean> =>
  saveResult(deps, run, requestId, job, (unit, late) =>
    bookLateResult(unit, deps, { ...late, run }),
  );

async function saveResult(
  deps: EngineDeps,
  { connectionId }: OwnedRun,
  requestId: string,
  job: FoundJob | undefined,
  book: (unit: Unit, late: { job: FoundJob; result: JobResult }) => Promise<boolean>,
): Promise<boolean> {
  const result = job && (await readLateResult(job));
  if (job && !result && job.status.state !== "done") throw new Problem("unavailable");
  return deps.commit(async (unit) => {
    const isBooked = job && result ? await book(unit, { job, result }) : false;
    const outcome = isBooked ? "late result" : job ? "ended" : "no job";
    await recordWebhook(unit.tx, { connectionId, event: requestId, outcome, at: unit.at });
    return isBooked;
  });
}

/**
 * Saves the result of a job whose webhook came while the job could not be read, or while its run
 * was active at another model.
 */
export async function takeWaiting(
  deps: EngineDeps,
  { id, connectionId, runId, attempt: number }: WaitingWebhook,
): Promise<void> {
  const run = await getRun(deps.store.db, runId);
  const attempts = await listAttempts(deps.store.db, runId);
  const attempt = attempts.find((one) => one.number === number);
  if (!run || !attempt) return;
  const sent = await asSent(deps.store.db, run, attempt.number);
  if (sent.connectionId !== connectionId) return;
  const job = await askForJob(deps, sent, id);
  const isLast = sent === run && attempt.clientToken === attempts.at(-1)?.clientToken;
  if (isLast && run.state !== "succeeded") await saveLateResult(deps, run, id, job);
  else await saveFurtherResult(deps, sent, attempt, id, job);
}
