import type { RunWarning } from "#contract/entities.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isErased } from "#domain/runs/erased.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { earlierResult } from "#domain/runs/unchecked-job.ts";
import { type JobResult, ProviderError } from "#providers/adapter.ts";
import { lockConnection } from "#store/models/connections.ts";
import { bookedOf } from "#store/money/ledger.ts";
import { type Attempt, findRunOfJob, listAttempts, updateAttempt } from "#store/runs/attempts.ts";
import { noteAfterEnd } from "#store/runs/ended-runs.ts";
import { addPromises, listOutputs, type Output } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { lockRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { isFreeAt } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { placeFiles, toPromise } from "../ingest/settle-files.ts";
import { adjustCost } from "../settle/adjust.ts";
import { costOf } from "../settle/cost.ts";
import type { FoundJob } from "./find-job.ts";

/**
 * Reads the result of a job whose run has ended; undefined while there is none, or if the job
 * failed.
 * @throws ProviderError
 */
export async function readLateResult(job: FoundJob): Promise<JobResult | undefined> {
  if (job.status.state !== "done" || !job.adapter.job) return undefined;
  try {
    return await job.adapter.job.result(job.handle, job.context);
  } catch (error) {
    if (error instanceof ProviderError && error.detail.final === true) return undefined;
    throw error;
  }
}

/**
 * Books a billed result that came after its run ended. The state stays, the files are scheduled for
 * download, the additional cost is booked as an `adjust`, and the person is notified. Applies once:
 * a run with known outputs has had its result. If the result of an earlier attempt was booked before
 * (`bookFurtherResult`), this one's files are additional files, and its cost replaces only what the
 * settlement and bills booked. Of a run whose content was erased, only the cost is booked.
 */
export async function bookLateResult(
  unit: Unit,
  deps: EngineDeps,
  late: { run: OwnedRun; job: FoundJob; result: JobResult },
): Promise<boolean> {
  const { job, result } = late;
  await lockConnection(unit.tx, job.connection.id);
  const owner = await findRunOfJob(unit.tx, job.connection.id, job.handle.id);
  const run = await lockRun(unit.tx, late.run.id);
  if (
    !run ||
    !isFinal(run.state) ||
    run.state === "succeeded" ||
    (owner !== undefined && owner !== run.id)
  )
    return false;
  const outputs = await listOutputs(unit.tx, run.id);
  const attempts = await listAttempts(unit.tx, run.id);
  const hasFurther = attempts.some((one) => one.number < run.attempts && one.state === "ended");
  const files = isErased(run) ? [] : result.files;
  if (hasFurther || isErased(run) ? isHad(run, outputs, result) : outputs.length > 0) return false;
  await updateAttempt(unit.tx, run.id, run.attempts, {
    provider_request_id: job.handle.id,
    provider_urls: JSON.stringify(job.handle.urls),
  });
  if (hasFurther) {
    const promised = files.map((file) => toPromise(file, job.adapter, unit.at));
    await addPromises(unit.tx, run.id, promised);
  } else await placeFiles(unit, { run, adapter: job.adapter }, files);
  const costMicros = costOf({ free: isFreeAt(job.adapter, job.connection), run }, result);
  const { settledMicros, totalMicros } = hasFurther
    ? await bookedOf(unit.tx, run.id)
    : { settledMicros: run.costMicros ?? 0, totalMicros: run.costMicros ?? 0 };
  const addedMicros = (costMicros ?? 0) - settledMicros;
  if (costMicros !== null) await adjustCost(unit, deps, run, addedMicros);
  const message =
    run.state === "cancelled" ? sentences.runs.madeAfterCancel : sentences.runs.madeAfterEnd;
  await noteLate(unit, run, {
    warning: { type: "late", feature: "result", message },
    set: {
      ...(costMicros !== null && {
        cost_micros: totalMicros + addedMicros,
        cost_basis: "known" as const,
      }),
      usage: JSON.stringify(result.usage),
      result: JSON.stringify(isErased(run) ? {} : result.result),
    },
  });
  return true;
}

/** Tells a run's readers of a late result. An erased run has none. */
const noteLate = (
  unit: Unit,
  run: OwnedRun,
  { warning, set }: { warning: RunWarning; set?: Parameters<typeof noteAfterEnd>[1]["set"] },
) =>
  noteAfterEnd(unit, {
    runId: run.id,
    events: isErased(run) ? [] : [{ type: "warning", payload: warning }],
    warnings: (before) => (isErased(run) ? before : [...before, warning]),
    ...(set && { set }),
  });

/** Whether the run has had this result of its last attempt, besides that of an earlier one. */
const isHad = (run: OwnedRun, outputs: readonly Output[], { files }: JobResult): boolean =>
  run.result !== null ||
  outputs.some(
    ({ remoteUrl }) =>
      remoteUrl !== null && files.some((file) => "url" in file && file.url === remoteUrl),
  );

/**
 * Books the billed result of a second job of an ended run, because two attempts were accepted. Its
 * files are additional files of the run, unless its content was erased, and its cost is booked as an
 * `adjust`. Applies once: the attempt then counts as ended.
 * @param late `run`: as it was when the attempt was sent
 */
export async function bookFurtherResult(
  unit: Unit,
  deps: EngineDeps,
  late: { run: OwnedRun; attempt: Attempt; job: FoundJob; result: JobResult },
): Promise<boolean> {
  const { job, result } = late;
  await lockConnection(unit.tx, job.connection.id);
  const owner = await findRunOfJob(unit.tx, job.connection.id, job.handle.id);
  const run = await lockRun(unit.tx, late.run.id);
  if (!run || !isFinal(run.state) || (owner !== undefined && owner !== run.id)) return false;
  const { connectionId, modelId, prices } = late.run;
  const isOfOther = connectionId !== run.connectionId || modelId !== run.modelId;
  const attempts = await listAttempts(unit.tx, run.id);
  const isItsOwn = (attempt: Attempt) => attempt.providerRequestId === job.handle.id;
  if (attempts.some((attempt) => isItsOwn(attempt) && attempt.state === "ended")) return false;
  await updateAttempt(unit.tx, run.id, late.attempt.number, {
    provider_request_id: job.handle.id,
    provider_urls: JSON.stringify(job.handle.urls),
    state: "ended",
    ended_at: unit.at,
  });
  const from = isOfOther && { attempt: late.attempt.number };
  const promised = (isErased(run) ? [] : result.files).map((file) => {
    const promise = toPromise(file, job.adapter, unit.at);
    return { ...promise, facts: { ...promise.facts, ...from } };
  });
  await addPromises(unit.tx, run.id, promised);
  const sent = { ...run, connectionId, modelId, prices };
  const costMicros = costOf({ free: isFreeAt(job.adapter, job.connection), run: sent }, result);
  if (costMicros !== null) await adjustCost(unit, deps, sent, costMicros);
  const message = isOfOther ? sentences.runs.madeByAnother : sentences.runs.madeTwice;
  await noteLate(unit, run, {
    warning: { type: "late", feature: earlierResult, message },
    ...(costMicros !== null &&
      run.costMicros !== null && {
        set: {
          cost_micros: run.costMicros + costMicros,
          // That the run's last attempt was free remains an assumption.
          ...(run.costBasis === "assumed" && { cost_basis: "estimated" }),
        },
      }),
  });
  return true;
}
