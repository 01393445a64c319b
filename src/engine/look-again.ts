import { Problem } from "#contract/errors.ts";
import { lastAttempt } from "#store/attempts.ts";
import { getConnection } from "#store/connections.ts";
import { getRun, type OwnedRun } from "#store/runs.ts";
import type { EngineDeps } from "./deps.ts";
import { askForJob, nameJob } from "./find-job.ts";
import { toProblem } from "./open-connection.ts";

/** What can be asked of a run's provider while it is unconfirmed. */
export type Askable = {
  /** The provider's id of its job is known. */
  canLook: boolean;
  /** A person who has the id can name it. */
  canAttach: boolean;
};

export async function askableOf(deps: EngineDeps, run: OwnedRun): Promise<Askable> {
  if (run.state !== "unknown") return { canLook: false, canAttach: false };
  const connection = await getConnection(deps.store.read, run.connectionId);
  const adapter = connection && deps.adapters.get(connection.kind);
  const canAttach = run.task !== "chat" && adapter?.job?.handleOf !== undefined;
  const attempt = adapter?.job && run.task !== "chat" ? await lastAttempt(deps.store.read, run.id) : undefined;
  return { canAttach, canLook: attempt?.providerRequestId != null };
}

/**
 * Asks the provider of an unconfirmed run about its job; when there is one, the run goes on by polling. Nothing is changed
 * before the provider has answered.
 * @param requestId the provider's own id, from whoever found it there; without one, the id that is known already
 * @returns the run that goes on; undefined when the provider knows no such job
 * @throws Problem conflict when the run is not unconfirmed, nothing can be asked, or the job is another run's; what the provider's failure is
 */
export async function lookAgain(deps: EngineDeps, runId: string, workerId: string, requestId?: string): Promise<OwnedRun | undefined> {
  const run = await getRun(deps.store.db, runId);
  if (run?.state !== "unknown") throw new Problem("conflict", { message: "This run is not unconfirmed any more." });
  const askable = await askableOf(deps, run);
  const known = requestId ?? (await lastAttempt(deps.store.db, runId))?.providerRequestId;
  if (!known || !(requestId ? askable.canAttach : askable.canLook))
    throw new Problem("conflict", { message: "This provider can’t be asked about a request that it never answered." });
  const job = await askForJob(deps, run, known).catch((error) => {
    throw toProblem(error, run.connectionId);
  });
  if (!job) return undefined;
  const named = await deps.commit((tx, outbox) => nameJob(deps, tx, outbox, { runId, job, workerId }));
  if (named === "of another") throw new Problem("conflict", { field: "requestId", message: "This id belongs to another run already." });
  if (typeof named !== "object") throw new Problem("conflict", { message: "This run is not unconfirmed any more." });
  return named;
}
