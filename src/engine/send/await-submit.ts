import { sentences } from "#contract/sentences/index.ts";
import { type JobHandle, ProviderError } from "#providers/adapter.ts";
import { lockConnection } from "#store/models/connections.ts";
import { findRunOfJob, lastAttempt, listAttempts, updateAttempt } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { dropJob, nameJob } from "../follow/find-job.ts";
import { type InHand, onPollRequest } from "../in-hand.ts";

/**
 * A provider's queue confirms a job quickly. After this long without an answer, the run becomes
 * unconfirmed and releases its slot.
 */
const answerMs = 60_000;
const pollMs = 250;

/**
 * Waits for the answer of a submit, or for the job id from a signed webhook. A later answer isn't
 * lost: the request stays open until its own timeout, and a late id is saved with its run.
 * @throws ProviderError provider_timeout after a minute without an answer
 * @throws Fenced when the run has another owner
 * @throws what the submit throws
 */
export async function awaitSubmit(
  deps: EngineDeps,
  inHand: InHand,
  submitted: Promise<JobHandle>,
): Promise<JobHandle> {
  const waiting = Promise.withResolvers<JobHandle>();
  const number = inHand.run.attempts;
  const { wire, run } = inHand;
  let isOver = false;
  let since: number | undefined;
  const timer = setInterval(() => {
    // Uploads can take long before the POST is sent, and an answer with a status is on its way.
    if (wire.sentAt === null || wire.status !== null) return;
    since ??= deps.clock.monotonic();
    if (deps.clock.monotonic() - since < answerMs) return;
    waiting.reject(
      new ProviderError("provider_timeout", "unknown", {
        message: sentences.runs.submitTimeout,
      }),
    );
  }, pollMs);
  const stopListening = onPollRequest(
    inHand,
    () =>
      void namedJob(deps, run).then(
        (handle) => handle && waiting.resolve(handle),
        (error) =>
          deps.log.warn(
            { runId: run.id, error: String(error) },
            "could not read the id that a webhook named",
          ),
      ),
  );
  const { signal } = inHand.letGo;
  const onLetGo = (): void => {
    if (inHand.stopped.reason === "fenced") waiting.reject(new Fenced(run.id));
  };
  signal.addEventListener("abort", onLetGo, { once: true });
  if (signal.aborted) onLetGo();
  submitted.then(
    (handle) => (isOver ? saveLateJobId(deps, inHand, handle, number) : waiting.resolve(handle)),
    (error) => waiting.reject(error),
  );
  try {
    return await waiting.promise;
  } finally {
    isOver = true;
    signal.removeEventListener("abort", onLetGo);
    clearInterval(timer);
    stopListening();
  }
}

/** The job of the run's current attempt, if a signed webhook has named it. */
export async function namedJob(
  deps: EngineDeps,
  run: Pick<OwnedRun, "id" | "attempts">,
): Promise<JobHandle | undefined> {
  const attempt = await lastAttempt(deps.store.db, run.id);
  return attempt?.number === run.attempts && attempt.providerRequestId
    ? { id: attempt.providerRequestId, urls: attempt.providerUrls ?? {} }
    : undefined;
}

/**
 * Saves a job id that arrived after the wait ended or after another server took over the run, which
 * continues if it is still unconfirmed and is then canceled if that was requested. If another
 * attempt has followed, cancels the job instead.
 */
export async function saveLateJobId(
  deps: EngineDeps,
  inHand: InHand,
  handle: JobHandle,
  number: number,
): Promise<void> {
  const { run, connection } = inHand;
  try {
    const attempts = await listAttempts(deps.store.db, run.id);
    const [own, last] = [attempts.find((attempt) => attempt.number === number), attempts.at(-1)];
    if (!own || !last) return;
    // Attempts with the same token are the same job.
    if (own !== last && own.clientToken !== last.clientToken)
      return await dropLate(deps, inHand, handle, number);
    if (own !== last) return;
    const job = { handle, connection };
    await deps.commit((unit) =>
      nameJob(unit, { runId: run.id, job, workerId: run.workerId ?? "" }),
    );
  } catch (error) {
    deps.log.warn(
      { runId: run.id, requestId: handle.id, error: String(error) },
      "could not save a job's late id",
    );
  }
}

/** Saves the id with its attempt, so that the job's webhook can be recognized. */
async function dropLate(
  deps: EngineDeps,
  { run, connection }: InHand,
  handle: JobHandle,
  number: number,
): Promise<void> {
  const isOther = await deps.commit(async ({ tx, at }) => {
    await lockConnection(tx, connection.id);
    if ((await findRunOfJob(tx, connection.id, handle.id)) !== undefined) return false;
    await updateAttempt(tx, run.id, number, {
      provider_request_id: handle.id,
      provider_urls: JSON.stringify(handle.urls),
      state: "accepted",
      accepted_at: at,
    });
    return true;
  });
  if (isOther) await dropJob(deps, run, handle);
}
