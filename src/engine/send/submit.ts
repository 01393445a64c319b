import { setTimeout as sleep } from "node:timers/promises";
import { sentences } from "#contract/sentences/index.ts";
import { retryDelayMs } from "#domain/runs/backoff.ts";
import { textInTornJson } from "#domain/schemas/torn-json.ts";
import {
  type CallContext,
  type JobHandle,
  ProviderError,
  type RunRequest,
} from "#providers/adapter.ts";
import { insertAttempt, lastAttempt, updateAttempt } from "#store/runs/attempts.ts";
import { Fenced, moveRun } from "#store/runs/runs.ts";
import { recordSuccess } from "../connections/circuit.ts";
import type { EngineDeps } from "../deps.ts";
import { findLostJob, findSentJob, sinceOf } from "../follow/find-job.ts";
import { followJob } from "../follow/job.ts";
import {
  attemptContext,
  attemptFacts,
  beginAttempt,
  doubtAttempt,
  goesByJob,
  hasAttempts,
  type InHand,
  setRun,
  submitSignal,
  takesToken,
} from "../in-hand.ts";
import { persist } from "../persist.ts";
import { failAttempt, leaveUnsent, loseOutcome, type RetryReason } from "../settle/fail.ts";
import { awaitSubmit, namedJob, saveLateJobId } from "./await-submit.ts";
import { buildRequest } from "./request.ts";

/**
 * Submits a long job. Its id is durable before the first poll. If the provider deduplicates by
 * client token, a submit that may have been accepted is repeated with the same token.
 */
export async function submitJob(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  clientToken: string,
  giveUp: AbortSignal,
): Promise<void> {
  for (;;) {
    const outcome = await submitOnce(deps, inHand, request, clientToken, giveUp);
    if (!outcome) return;
    if ("handle" in outcome) return await acceptJob(deps, inHand, outcome.handle, giveUp);
    if (!(await waitAndRepeat(deps, inHand, clientToken, outcome, giveUp))) return;
  }
}

const mayBeTaken = (error: unknown): boolean =>
  error instanceof ProviderError && error.accepted !== "no";

/** The job id in a submit's answer that is otherwise unreadable. */
function namedIn(
  { adapter, run, wire }: InHand,
  error: unknown,
  context: CallContext,
): JobHandle | undefined {
  const field = adapter.job?.idField;
  const isTaken = wire.status !== null && wire.status >= 200 && wire.status < 300;
  const heard =
    field !== undefined && isTaken ? textInTornJson(wire.answerStart ?? "", field) : undefined;
  const id = (error instanceof ProviderError ? error.detail.requestId : undefined) ?? heard;
  return typeof id === "string" ? adapter.job?.handleOf?.(id, run.modelId, context) : undefined;
}

/**
 * Sends one POST, or none if the provider already has the job. Undefined if the run has been dealt
 * with.
 */
async function submitOnce(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  clientToken: string,
  giveUp: AbortSignal,
): Promise<{ handle: JobHandle } | RetryReason | undefined> {
  const { run } = inHand;
  const job = inHand.adapter.job!;
  try {
    const context = attemptContext(deps, inHand, clientToken, submitSignal(inHand));
    // Looks the job up first, because providers don't document how long they remember a token.
    const found = inHand.mayBeTaken
      ? await job.find?.({ clientToken, since: sinceOf(run) }, context)
      : undefined;
    return { handle: found ?? (await awaitSubmit(deps, inHand, job.submit(request, context))) };
  } catch (error) {
    if (inHand.stopped.reason === "fenced") return undefined;
    // A job id in the submit's own answer or in a signed webhook proves that the job exists.
    const named =
      namedIn(inHand, error, attemptContext(deps, inHand, clientToken)) ??
      (await namedJob(deps, run));
    if (named) return { handle: named };
    if (inHand.stopped.reason !== null && inHand.mayBeTaken) return leaveOpen(deps, inHand, giveUp);
    if (inHand.stopped.reason !== null && inHand.wire.sentAt === null)
      return void (await leaveUnsent(deps, inHand, giveUp));
    // A provider that takes a token is asked before the next submit instead, after the wait.
    const found =
      mayBeTaken(error) && !takesToken(inHand)
        ? await findSentJob(deps, inHand, clientToken)
        : null;
    if (found) return { handle: found };
    const again = await failAttempt(deps, inHand, request, error, giveUp);
    if (again) return again;
    // A webhook may have named the job before the submit's answer was lost. The worker then finds
    // the run assigned to it again.
    await findLostJob(deps, run.id, run.workerId ?? "").catch((cause) =>
      deps.log.warn(
        { runId: run.id, error: String(cause) },
        "could not ask for a job that a webhook named",
      ),
    );
    return undefined;
  }
}

async function acceptJob(
  deps: EngineDeps,
  inHand: InHand,
  handle: JobHandle,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  await deps.failpoints?.at("job.accepted", run);
  await recordSuccess(deps, inHand);
  const moved = await persist(deps, giveUp, async (unit) => {
    await updateAttempt(unit.tx, run.id, run.attempts, {
      ...(inHand.wire.sentAt !== null && attemptFacts(inHand)),
      state: "accepted",
      provider_request_id: handle.id,
      provider_urls: JSON.stringify(handle.urls),
      accepted_at: unit.at,
    });
    return moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "job-accepted" },
      set: { warnings: JSON.stringify(inHand.warnings) },
      events: [{ type: "run-submitted", payload: { attempt: run.attempts } }],
    });
  }).catch(async (error: unknown) => {
    if (error instanceof Fenced) await saveLateJobId(deps, inHand, handle, run.attempts);
    throw error;
  });
  if (!moved) return;
  setRun(inHand, { ...moved, fence: run.fence });
  await followJob(deps, inHand, handle, giveUp);
}

/**
 * Resumes a job whose submit was cut off, if its provider can find it.
 * @returns false if it can't
 */
export async function resumeSent(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<boolean> {
  const attempt = await lastAttempt(deps.store.db, inHand.run.id);
  const found =
    attempt && goesByJob(inHand) && !takesToken(inHand)
      ? await findSentJob(deps, inHand, attempt.clientToken)
      : null;
  if (found) await acceptJob(deps, inHand, found, giveUp);
  return found !== null;
}

/** False if the run was stopped in the meantime or has another owner. */
async function waitAndRepeat(
  deps: EngineDeps,
  inHand: InHand,
  clientToken: string,
  again: RetryReason,
  giveUp: AbortSignal,
): Promise<boolean> {
  doubtAttempt(inHand);
  const waitMs = retryDelayMs(inHand.run.attempts, again.retryAfterMs, deps.random());
  await sleep(waitMs, undefined, { signal: inHand.controller.signal }).catch(() => {});
  if (inHand.stopped.reason === null)
    return beginRepeat(deps, inHand, clientToken, again.reason, giveUp);
  await leaveOpen(deps, inHand, giveUp);
  return false;
}

/**
 * Begins a new attempt with the previous token. The run keeps its state and its one reservation.
 * False if it has another owner.
 */
async function beginRepeat(
  deps: EngineDeps,
  inHand: InHand,
  clientToken: string,
  reason: string,
  giveUp: AbortSignal,
): Promise<boolean> {
  const { run } = inHand;
  const number = run.attempts + 1;
  const moved = await persist(deps, giveUp, async (unit) => {
    const after = await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "repeated" },
      set: { attempts: number },
      events: [
        {
          type: "log",
          payload: { lines: [{ at: unit.at, level: "warn", message: reason }], own: true },
        },
        { type: "run-started", payload: { attempt: number } },
      ],
    });
    if (!after) return undefined;
    await updateAttempt(unit.tx, run.id, run.attempts, {
      ...(inHand.wire.sentAt !== null && attemptFacts(inHand)),
      state: "lost",
      ended_at: unit.at,
    });
    await insertAttempt(unit.tx, {
      runId: run.id,
      number,
      requestHash: run.requestHash,
      clientToken,
    });
    return after;
  });
  if (!moved) return false;
  beginAttempt(inHand, { ...moved, fence: run.fence });
  return true;
}

/** A canceled run becomes unconfirmed. On shutdown the next owner continues the run. */
async function leaveOpen(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<undefined> {
  if (inHand.stopped.reason === "cancel") await loseOutcome(deps, inHand, null, giveUp);
}

/**
 * After a crash during a submit, submits again with the same token, up to the attempt limit.
 * Without a token the run becomes unconfirmed.
 */
export async function resubmit(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  const last = await lastAttempt(deps.store.db, run.id);
  const mayRepeat = takesToken(inHand) && run.cancelRequestedAt === null && hasAttempts(run);
  const request =
    last && mayRepeat
      ? await buildRequest(deps, run, inHand.model).catch(() => undefined)
      : undefined;
  if (!last || !request) {
    await loseOutcome(deps, inHand, null, giveUp);
    // A webhook may have named the job before this worker's predecessor died.
    await findLostJob(deps, run.id, run.workerId ?? "");
    return;
  }
  doubtAttempt(inHand);
  const reason = sentences.runs.sentAgain;
  if (await beginRepeat(deps, inHand, last.clientToken, reason, giveUp))
    await submitJob(deps, inHand, request, last.clientToken, giveUp);
}
