import { setTimeout as sleep } from "node:timers/promises";
import { sentences } from "#contract/sentences/index.ts";
import { waitBeforeAgainMs } from "#domain/runs/backoff.ts";
import { textInTornJson } from "#domain/schemas/torn-json.ts";
import {
  type CallContext,
  type JobHandle,
  ProviderError,
  type RunRequest,
} from "#providers/adapter.ts";
import { insertAttempt, lastAttempt, updateAttempt } from "#store/runs/attempts.ts";
import { Fenced, moveRun } from "#store/runs/runs.ts";
import { noteAnswer } from "../connections/circuit.ts";
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
  moveOn,
  submitSignal,
  takesToken,
} from "../in-hand.ts";
import { persist } from "../persist.ts";
import { type Again, failAttempt, leaveUnsent, loseOutcome } from "../settle/fail.ts";
import { awaitSubmit, keepLateId, namedJob } from "./await-submit.ts";
import { buildRequest } from "./request.ts";

/**
 * A long job: one submit, whose id is durable before anything else is asked; then it is followed to its end. Where the
 * provider knows it by a token of ours, a submit that may have been taken is followed by another one with the same.
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

/** The job that an unreadable answer of the submit named all the same. */
function namedIn(
  { adapter, run, wire }: InHand,
  error: unknown,
  context: CallContext,
): JobHandle | undefined {
  const field = adapter.job?.idField;
  const isTaken = wire.status !== null && wire.status >= 200 && wire.status < 300;
  const heard =
    field !== undefined && isTaken ? textInTornJson(wire.heard ?? "", field) : undefined;
  const id = (error instanceof ProviderError ? error.detail.requestId : undefined) ?? heard;
  return typeof id === "string" ? adapter.job?.handleOf?.(id, run.modelId, context) : undefined;
}

/** One POST, or none where the provider has the job already. Undefined when the run has been dealt with. */
async function submitOnce(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  clientToken: string,
  giveUp: AbortSignal,
): Promise<{ handle: JobHandle } | Again | undefined> {
  const { run } = inHand;
  const job = inHand.adapter.job!;
  try {
    const context = attemptContext(deps, inHand, clientToken, submitSignal(inHand));
    // Asked first: nobody says for how long a token is remembered.
    const found = inHand.mayBeTaken
      ? await job.find?.({ clientToken, since: sinceOf(run) }, context)
      : undefined;
    return { handle: found ?? (await awaitSubmit(deps, inHand, job.submit(request, context))) };
  } catch (error) {
    if (inHand.stopped.reason === "fenced") return undefined;
    // A job whose id the submit's own answer or a signed webhook names exists, regardless of the rest.
    const named =
      namedIn(inHand, error, attemptContext(deps, inHand, clientToken)) ??
      (await namedJob(deps, run));
    if (named) return { handle: named };
    if (inHand.stopped.reason !== null && inHand.mayBeTaken) return leaveOpen(deps, inHand, giveUp);
    if (inHand.stopped.reason !== null && inHand.wire.sentAt === null)
      return void (await leaveUnsent(deps, inHand, giveUp));
    // One that takes a token is asked before the next submit, and after the wait that it may need.
    const found =
      mayBeTaken(error) && !takesToken(inHand)
        ? await findSentJob(deps, inHand, clientToken)
        : null;
    if (found) return { handle: found };
    const again = await failAttempt(deps, inHand, request, error, giveUp);
    if (again) return again;
    // A webhook may have named the job before our own answer was lost; the worker finds the run as its own again.
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
  await noteAnswer(deps, inHand);
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
    if (error instanceof Fenced) await keepLateId(deps, inHand, handle, run.attempts);
    throw error;
  });
  if (!moved) return;
  moveOn(inHand, { ...moved, fence: run.fence });
  await followJob(deps, inHand, handle, giveUp);
}

/** Takes up a job whose submit was cut off, where its provider finds it. @returns false where there is none */
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

/** False when somebody wanted an end meanwhile, or the run is not ours any more. */
async function waitAndRepeat(
  deps: EngineDeps,
  inHand: InHand,
  clientToken: string,
  again: Again,
  giveUp: AbortSignal,
): Promise<boolean> {
  doubtAttempt(inHand);
  const waitMs = waitBeforeAgainMs(inHand.run.attempts, again.retryAfterMs, deps.random());
  await sleep(waitMs, undefined, { signal: inHand.controller.signal }).catch(() => {});
  if (inHand.stopped.reason === null)
    return beginRepeat(deps, inHand, clientToken, again.reason, giveUp);
  await leaveOpen(deps, inHand, giveUp);
  return false;
}

/** A new attempt with the token of the one before. The run stays as it is, with its one hold. False when it is not ours any more. */
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

/** After a cancel it is unconfirmed; after a stop of the server its next owner continues. */
async function leaveOpen(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<undefined> {
  if (inHand.stopped.reason === "cancel") await loseOutcome(deps, inHand, null, giveUp);
}

/** After a crash in the middle of a submit: the same token again, as often as any run is tried. Else nobody knows what became of it. */
export async function submitAgain(
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
    // Unless a webhook has named the job before this worker's predecessor died.
    await findLostJob(deps, run.id, run.workerId ?? "");
    return;
  }
  doubtAttempt(inHand);
  const reason = sentences.runs.sentAgain;
  if (await beginRepeat(deps, inHand, last.clientToken, reason, giveUp))
    await submitJob(deps, inHand, request, last.clientToken, giveUp);
}
