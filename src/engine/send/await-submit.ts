import { type JobHandle, ProviderError } from "#providers/adapter.ts";
import { lastAttempt } from "#store/runs/attempts.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../owned.ts";
import { nameJob } from "./find-job.ts";

/** An insert into a provider's queue is answered at once; after so long without an answer the run is unconfirmed and its place free. */
const answerMs = 60_000;
const lookMs = 250;

/**
 * The answer of a submit, or the id that a signed webhook named meanwhile. What comes after that is not lost: the socket is listened to
 * until its own time is over, and a late id finds its run.
 * @throws ProviderError provider_timeout after a minute without an answer; what the submit throws
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
        message: "The provider did not answer within a minute.",
      }),
    );
  }, lookMs);
  inHand.lookNow = () =>
    void namedJob(deps, run.id).then(
      (handle) => handle && waiting.resolve(handle),
      (error) =>
        deps.log.warn(
          { runId: run.id, error: String(error) },
          "could not read the id that a webhook named",
        ),
    );
  submitted.then(
    (handle) => (isOver ? keepLateId(deps, inHand, handle, number) : waiting.resolve(handle)),
    (error) => waiting.reject(error),
  );
  try {
    return await waiting.promise;
  } finally {
    isOver = true;
    clearInterval(timer);
    inHand.lookNow = null;
  }
}

/** The job of the run's last attempt, where a signed webhook has named it. */
export async function namedJob(deps: EngineDeps, runId: string): Promise<JobHandle | undefined> {
  const attempt = await lastAttempt(deps.store.db, runId);
  return attempt?.providerRequestId
    ? { id: attempt.providerRequestId, urls: attempt.providerUrls ?? {} }
    : undefined;
}

/**
 * The answer came when nobody waited for it any more, or when another server had the run: it goes on where it is still unconfirmed. A
 * wish to cancel is sent then.
 */
export async function keepLateId(
  deps: EngineDeps,
  inHand: InHand,
  handle: JobHandle,
  number: number,
): Promise<void> {
  const { run, connection } = inHand;
  try {
    const attempt = await lastAttempt(deps.store.db, run.id);
    if (attempt?.number !== number) return;
    const job = { handle, connection };
    await deps.commit((tx, outbox) =>
      nameJob(deps, tx, outbox, { runId: run.id, job, workerId: run.workerId ?? "" }),
    );
  } catch (error) {
    deps.log.warn(
      { runId: run.id, requestId: handle.id, error: String(error) },
      "could not write down a job's late id",
    );
  }
}
