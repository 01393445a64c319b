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
  updateAttempt,
} from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun, lockRun, moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { adapterOf, callContext } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../in-hand.ts";

/** A person waits, or a provider whose call is not answered within 15 s calls again. */
const askMs = 10_000;

/** A job at its provider, asked about just now. */
export type FoundJob = {
  handle: JobHandle;
  status: JobStatus;
  adapter: Adapter;
  connection: SealedConnection;
  context: CallContext;
};

/**
 * Asks the provider itself for a job of this run, by the id that somebody names. Its answer is the only thing believed.
 * @returns undefined when there is no such job for this run's model and this connection's key
 * @throws ProviderError when the provider could not be asked; Problem model_gone without the connection
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
    if (error instanceof ProviderError && saysThereIsNone(error)) return undefined;
    throw error;
  }
}

/** What a run's provider is asked with. @throws Problem model_gone without the connection */
async function reach(deps: EngineDeps, run: OwnedRun) {
  const connection = await getConnection(deps.store.read, run.connectionId);
  if (!connection) throw new Problem("model_gone", { connectionId: run.connectionId });
  const adapter = await adapterOf(deps, connection.kind);
  const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
  return { connection, adapter, context };
}

/** A provider's clock may be so much behind ours when it is asked what came since. */
const clocksApartMs = 10 * 60_000;

/** The job that the provider has under a token of ours. @throws ProviderError when it could not be asked; Problem model_gone without the connection */
async function findByToken(
  deps: EngineDeps,
  run: OwnedRun,
  clientToken: string,
): Promise<JobHandle | undefined> {
  const { adapter, context } = await reach(deps, run);
  return adapter.job?.find?.({ clientToken, since: sinceOf(run) }, context);
}

/** From when on a run may have a job at its provider. */
export const sinceOf = (run: Pick<OwnedRun, "startedAt" | "createdAt">): number =>
  (run.startedAt ?? run.createdAt) - clocksApartMs;

const none = new Set([
  "provider_invalid_input",
  "provider_rejected",
  "output_unavailable",
  "model_gone",
]);
const saysThereIsNone = (error: ProviderError): boolean =>
  error.detail.final === true || none.has(error.code);

/** The job of a submit whose answer nobody heard, where its provider finds it by the attempt's token. Null where it can't tell. */
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
 * Writes down the id that a signed webhook named for this attempt, where the provider can't be asked about it just now. An id that is known already, or another run's, changes nothing.
 */
export async function keepNamedId(
  deps: EngineDeps,
  run: OwnedRun,
  requestId: string,
): Promise<void> {
  const connection = await getConnection(deps.store.read, run.connectionId);
  if (!connection) return;
  const adapter = await adapterOf(deps, connection.kind);
  const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
  const handle = adapter.job?.handleOf?.(requestId, run.modelId, context);
  if (!handle) return;
  await deps.commit(async ({ tx }) => {
    await lockConnection(tx, connection.id);
    if ((await findRunOfJob(tx, connection.id, handle.id)) !== undefined) return;
    // A refusal that is being written down meanwhile sees the id, or is seen.
    await lockRun(tx, run.id);
    const attempt = await lastAttempt(tx, run.id);
    if (!attempt || attempt.providerRequestId !== null) return;
    await updateAttempt(tx, run.id, attempt.number, {
      provider_request_id: handle.id,
      provider_urls: JSON.stringify(handle.urls),
    });
  });
}

/**
 * Saves, in the caller's unit, that this job belongs to this run. An unconfirmed run resumes by polling, and so does one that waits to
 * be sent again after a refusal; one whose submit is still under way keeps the id in case its answer gets lost. Nothing else is changed.
 * @returns the run if it resumes, to be claimed; "noted"; "of another" when the job is another run's; "not open" otherwise
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
  // Two that name one job at once meet here.
  await lockConnection(unit.tx, connection.id);
  const owner = await findRunOfJob(unit.tx, connection.id, handle.id);
  if (owner !== undefined && owner !== found.runId) return "of another";
  const run = await lockRun(unit.tx, found.runId);
  if (!run || !mayBeNamed(run)) return "not open";
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
    // A worker of that name takes it up; where there is none of that name, another one adopts it as it does a dead one's.
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
 * Follows, in the caller's unit, the job of an earlier attempt, which was refused in words and taken all the same: what was sent since is
 * given up. The job gets a row of its own, under its attempt's token.
 * @returns the run, to be taken up, and the attempt that is given up; "of another" when the job is another run's; "not open" when the
 *   run has its result, or follows such a job already
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

/** Stops a job that its run does not need. Its webhook reports a result that was made anyway. */
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

/** Whether a job can turn up for the run: it is unconfirmed, being sent, or was sent before and waits for its next try. */
export const mayBeNamed = ({
  state,
  attempts,
  waitingFor,
}: Pick<OwnedRun, "state" | "attempts" | "waitingFor">): boolean =>
  state === "unconfirmed" ||
  state === "submitting" ||
  (state === "queued" && attempts > 0 && waitingFor === null);

/** The id that the provider gave, or that a webhook named; else that of the job that it has under our token. @throws as findByToken */
export async function knownJobId(deps: EngineDeps, run: OwnedRun): Promise<string | undefined> {
  const last = await lastAttempt(deps.store.db, run.id);
  if (!last || last.providerRequestId !== null) return last?.providerRequestId ?? undefined;
  return (await findByToken(deps, run, last.clientToken))?.id;
}

/**
 * After an outcome was lost: a webhook may have named the job meanwhile, and then nothing is unknown.
 * @param byToken whether a provider that finds jobs by our token is asked for one without a name
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
