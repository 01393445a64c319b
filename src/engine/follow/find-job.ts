import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { nextState } from "#domain/runs/run-machine.ts";
import {
  type Adapter,
  type CallContext,
  type JobHandle,
  type JobStatus,
  ProviderError,
} from "#providers/adapter.ts";
import { getConnection, lockConnection, type SealedConnection } from "#store/models/connections.ts";
import {
  type Attempt,
  findRunOfJob,
  insertAttempt,
  lastAttempt,
  listAttempts,
  updateAttempt,
} from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun, lockRun, moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { recordWebhook, waiting } from "#store/webhooks/webhooks-in.ts";
import { adapterOf, callContext } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../in-hand.ts";

/**
 * Short enough for a waiting person, and for a provider that repeats a webhook not answered within
 * 15 s.
 */
const askMs = 10_000;

/** A job with its current status at the provider. */
export type FoundJob = {
  handle: JobHandle;
  status: JobStatus;
  adapter: Adapter;
  connection: SealedConnection;
  context: CallContext;
};

/**
 * Asks the provider for a job of this run by the given id. Only the provider's answer is trusted.
 * @returns undefined if no such job exists for this run's model and this connection's key
 * @throws ProviderError when the provider can't be reached
 * @throws Problem model_gone without the connection
 */
export async function askForJob(
  deps: EngineDeps,
  run: OwnedRun,
  requestId: string,
): Promise<FoundJob | undefined> {
  const { connection, adapter, context } = await reach(deps, run);
  const attempt = await lastAttempt(deps.store.db, run.id);
  const isOwn = attempt?.providerRequestId === requestId && attempt.providerUrls !== null;
  const handle = isOwn
    ? { id: requestId, urls: attempt.providerUrls ?? {} }
    : adapter.job?.handleOf?.(requestId, run.modelId, context);
  if (!adapter.job || !handle) return undefined;
  try {
    return {
      handle,
      status: await adapter.job.status(handle, context),
      adapter,
      connection,
      context,
    };
  } catch (error) {
    if (context.signal.aborted)
      throw new ProviderError("provider_timeout", "yes", {}, { cause: error });
    if (error instanceof ProviderError && deniesJob(error)) return undefined;
    throw error;
  }
}

/**
 * Everything needed to call a run's provider.
 * @throws Problem model_gone without the connection
 */
async function reach(deps: EngineDeps, run: OwnedRun) {
  const connection = await getConnection(deps.store.read, run.connectionId);
  if (!connection) throw new Problem("model_gone", { connectionId: run.connectionId });
  const adapter = await adapterOf(deps, connection.kind);
  const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
  return { connection, adapter, context };
}

/** How far a provider's clock may be behind ours when it is asked for jobs since a given time. */
const clocksApartMs = 10 * 60_000;

/**
 * Finds the job that the provider has under our client token.
 * @throws ProviderError when the provider can't be reached
 * @throws Problem model_gone without the connection
 */
async function findByToken(
  deps: EngineDeps,
  run: OwnedRun,
  clientToken: string,
): Promise<JobHandle | undefined> {
  const { adapter, context } = await reach(deps, run);
  return adapter.job?.find?.({ clientToken, since: sinceOf(run) }, context);
}

/** The earliest time at which a run's provider can have created its job. */
export const sinceOf = (run: Pick<OwnedRun, "startedAt" | "createdAt">): number =>
  (run.startedAt ?? run.createdAt) - clocksApartMs;

const none = new Set([
  "provider_invalid_input",
  "provider_rejected",
  "output_unavailable",
  "model_gone",
]);
const deniesJob = (error: ProviderError): boolean =>
  error.detail.final === true || none.has(error.code);

/**
 * Finds the job of a submit whose answer was lost, by the attempt's token. Null if the provider
 * can't tell.
 */
export async function findSentJob(
  deps: EngineDeps,
  inHand: InHand,
  clientToken: string,
): Promise<JobHandle | null> {
  const { adapter, connection, run } = inHand;
  if (!adapter.job?.find) return null;
  const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
  const lost = { clientToken, since: sinceOf(run) };
  const found = await adapter.job.find(lost, context).catch((error) => {
    deps.log.warn({ runId: run.id, error: String(error) }, "could not ask whether a job was taken");
    return undefined;
  });
  return found ?? null;
}

/**
 * Saves the job id that a signed webhook named for this attempt when its job can't be read now, and
 * the webhook as waiting. A chore reads it later, even if the provider doesn't repeat the webhook.
 * Does nothing if the attempt has another id or the id belongs to another run.
 * @param run as it was when the attempt was sent
 * @returns whether the webhook waits
 */
export async function saveWebhookJobId(
  deps: EngineDeps,
  run: OwnedRun,
  attempt: Attempt,
  requestId: string,
): Promise<boolean> {
  const connection = await getConnection(deps.store.read, run.connectionId);
  if (!connection) return false;
  const adapter = await adapterOf(deps, connection.kind);
  const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
  const handle = adapter.job?.handleOf?.(requestId, run.modelId, context);
  if (!handle) return false;
  return deps.commit(async ({ tx, at }) => {
    await lockConnection(tx, connection.id);
    const owner = await findRunOfJob(tx, connection.id, handle.id);
    if (owner !== undefined && owner !== run.id) return false;
    // A refusal written at the same time either sees this id or is seen here.
    await lockRun(tx, run.id);
    const now = (await listAttempts(tx, run.id)).find(({ number }) => number === attempt.number);
    if (now?.providerRequestId === null)
      await updateAttempt(tx, run.id, attempt.number, {
        provider_request_id: handle.id,
        provider_urls: JSON.stringify(handle.urls),
      });
    else if (now?.providerRequestId !== handle.id) return false;
    await recordWebhook(tx, {
      connectionId: connection.id,
      event: requestId,
      outcome: waiting,
      at,
    });
    return true;
  });
}

/**
 * Saves, in the caller's unit, that a job belongs to a run. An unconfirmed run resumes by polling,
 * and so does a run waiting to be sent again after a refusal. A run that is being submitted stores
 * the id in case its answer is lost. No other run changes.
 * @returns the run if it resumes, to be claimed; "noted"; "of another" if the job belongs to
 *   another run; "not open" otherwise
 */
export async function nameJob(
  unit: Unit,
  found: {
    runId: string;
    job: { handle: JobHandle; connection: Pick<SealedConnection, "id"> };
    workerId: string;
  },
): Promise<OwnedRun | "noted" | "of another" | "not open"> {
  const { handle, connection } = found.job;
  // Serializes two requests that name the same job.
  await lockConnection(unit.tx, connection.id);
  const owner = await findRunOfJob(unit.tx, connection.id, handle.id);
  if (owner !== undefined && owner !== found.runId) return "of another";
  const run = await lockRun(unit.tx, found.runId);
  if (!run || !canFindJob(run)) return "not open";
  const names = { provider_request_id: handle.id, provider_urls: JSON.stringify(handle.urls) };
  if (run.state === "submitting") {
    await updateAttempt(unit.tx, run.id, run.attempts, names);
    return "noted";
  }
  await updateAttempt(unit.tx, run.id, run.attempts, {
    ...names,
    state: "accepted",
    accepted_at: unit.at,
    ended_at: null,
  });
  const moved = await moveRun(unit, {
    runId: run.id,
    step: { type: "found" },
    // The worker with this id resumes the run. If that worker is gone, another one adopts the run.
    set: {
      worker_id: found.workerId,
      fence: run.fence + 1,
      error: null,
      placeless: 0,
      not_before: null,
    },
    events: [{ type: "run-found", payload: {} }],
  });
  return moved ?? "not open";
}

/**
 * Switches a run, in the caller's unit, to the job of an earlier attempt that was reported as
 * refused but accepted after all, and gives up the later attempt. The job gets an attempt of its
 * own with the earlier token.
 * @returns the run to resume, and the attempt given up; "of another" if the job belongs to another
 *   run; "not open" if the run has its result or already follows such a job
 */
export async function preferEarlierJob(
  unit: Unit,
  found: { runId: string; clientToken: string; job: FoundJob; workerId: string },
): Promise<{ run: OwnedRun; left: Attempt } | "of another" | "not open"> {
  const { handle, connection } = found.job;
  await lockConnection(unit.tx, connection.id);
  const owner = await findRunOfJob(unit.tx, connection.id, handle.id);
  if (owner !== undefined && owner !== found.runId) return "of another";
  const run = await lockRun(unit.tx, found.runId);
  const left = run && (await lastAttempt(unit.tx, run.id));
  if (!run || !left || (run.state === "queued" && run.waitingFor !== null)) return "not open";
  const isNamed = left.sentAt === null && left.providerRequestId !== null;
  if (isNamed || !nextState(run.state, { type: "found" })) return "not open";
  const number = run.attempts + 1;
  const message = sentences.runs.earlierAttemptAccepted;
  const moved = await moveRun(unit, {
    runId: run.id,
    step: { type: "found" },
    set: {
      worker_id: found.workerId,
      fence: run.fence + 1,
      attempts: number,
      error: null,
      placeless: 0,
      progress: null,
      queue_place: null,
      not_before: null,
    },
    events: [
      { type: "log", payload: { lines: [{ at: unit.at, level: "warn", message }], own: true } },
      { type: "run-found", payload: {} },
    ],
  });
  if (!moved) return "not open";
  if (left.state === "committed")
    await updateAttempt(unit.tx, run.id, left.number, { state: "lost", ended_at: unit.at });
  const { requestHash } = run;
  await insertAttempt(unit.tx, { ...found, number, requestHash });
  await updateAttempt(unit.tx, run.id, number, {
    provider_request_id: handle.id,
    provider_urls: JSON.stringify(handle.urls),
    state: "accepted",
    accepted_at: unit.at,
  });
  return { run: moved, left };
}

/**
 * Cancels a job that its run doesn't need. If it produces a result anyway, its webhook reports
 * that.
 */
export async function dropJob(deps: EngineDeps, run: OwnedRun, handle: JobHandle): Promise<void> {
  try {
    const connection = await getConnection(deps.store.read, run.connectionId);
    if (!connection) return;
    const adapter = await adapterOf(deps, connection.kind);
    const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
    await adapter.job?.cancel(handle, context);
  } catch (error) {
    deps.log.warn(
      { runId: run.id, requestId: handle.id, error: String(error) },
      "could not stop a job that is not needed",
    );
  }
}

/**
 * Whether a job can still be found for the run: it is unconfirmed, being submitted, or waiting for
 * another attempt.
 */
export const canFindJob = ({
  state,
  attempts,
  waitingFor,
}: Pick<OwnedRun, "state" | "attempts" | "waitingFor">): boolean =>
  state === "unconfirmed" ||
  state === "submitting" ||
  (state === "queued" && attempts > 0 && waitingFor === null);

/**
 * The job id from the provider or a webhook, or else the id of the job under our token.
 * @throws as findByToken
 */
export async function knownJobId(deps: EngineDeps, run: OwnedRun): Promise<string | undefined> {
  const last = await lastAttempt(deps.store.db, run.id);
  if (!last || last.providerRequestId !== null) return last?.providerRequestId ?? undefined;
  return (await findByToken(deps, run, last.clientToken))?.id;
}

/**
 * Resumes an unconfirmed run whose job a webhook has named in the meantime.
 * @param byToken also looks the job up by our token if it has no id
 */
export async function findLostJob(
  deps: EngineDeps,
  runId: string,
  workerId: string,
  { byToken = false }: { byToken?: boolean } = {},
): Promise<OwnedRun | undefined> {
  const run = await getRun(deps.store.db, runId);
  if (run?.state !== "unconfirmed") return undefined;
  const id = byToken
    ? await knownJobId(deps, run)
    : (await lastAttempt(deps.store.db, runId))?.providerRequestId;
  if (!id) return undefined;
  const job = await askForJob(deps, run, id);
  if (!job) return undefined;
  const named = await deps.commit((unit) => nameJob(unit, { runId, job, workerId }));
  return typeof named === "object" ? named : undefined;
}
