import { sentences } from "#contract/sentences/index.ts";
import { type JobHandle, ProviderError } from "#providers/adapter.ts";
import { lockConnection } from "#store/models/connections.ts";
import { findRunOfJob, lastAttempt, listAttempts, updateAttempt } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { dropJob, nameJob } from "../follow/find-job.ts";
import { type InHand, listenForLooks } from "../in-hand.ts";

/** An insert into a provider's queue is answered at once; after so long without an answer the run is unconfirmed and its place free. */
const answerMs = 60_000;
const lookMs = 250;

/**
 * The answer of a submit, or the id that a signed webhook named meanwhile. What comes after that is not lost: the socket is listened to
 * until its own time is over, and a late id finds its run.
 * @throws ProviderError provider_timeout after a minute without an answer; Fenced when the run has another owner; what the submit throws
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
    // Files may be uploaded for long before the one POST leaves, and an answer whose head is here is coming.
    if (wire.sentAt === null || wire.status !== null) return;
    since ??= deps.clock.monotonic();
    if (deps.clock.monotonic() - since < answerMs) return;
    waiting.reject(
      new ProviderError("provider_timeout", "unknown", {
        message: sentences.runs.submitTimeout,
      }),
    );
  }, lookMs);
  const stopListening = listenForLooks(
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
    (handle) => (isOver ? keepLateId(deps, inHand, handle, number) : waiting.resolve(handle)),
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

/** The job of the attempt that the run is at, where a signed webhook has named it. */
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
 * The answer arrived when no one waited for it anymore, or when another server had the run: it continues if it is still unconfirmed. A
 * wish to cancel is sent then. The job of an attempt that another one has followed is stopped.
 */
export async function keepLateId(
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
    // Under one token both are the same job.
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

/** Its id is kept with its attempt, by which a webhook of it is known for what it is. */
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
