import { Problem } from "#contract/errors.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isUnasked } from "#domain/runs/unasked-job.ts";
import { getConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import { findRunOfJob, lastAttempt } from "#store/runs/attempts.ts";
import { listSentWithoutJob, noteAfterEnd } from "#store/runs/ended-runs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { toProblem } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import { goesByJob } from "../in-hand.ts";
import { askForJob, type FoundJob, knownJobId, nameJob } from "./find-job.ts";
import { bookLateResult, readLateResult } from "./late-result.ts";

/** What can be asked of a run's provider while the outcome is not certain. */
export type Askable = {
  /** The provider's id of its job is known, or it knows the job by a token of ours. */
  canLook: boolean;
  /** A person who has the id can name it. */
  canAttach: boolean;
  /** An unconfirmed job: a cancel is sent as soon as its id is known. */
  canCancel: boolean;
};

const nothing: Askable = { canLook: false, canAttach: false, canCancel: false };

/** It failed on a refusal that no bill has confirmed, or without an answer of its provider: a job that exists after all corrects its files and its cost. */
const isDoubtful = (run: OwnedRun): boolean =>
  (run.state === "failed" && run.costBasis === "assumed") || isUnasked(run);

export async function askableOf(deps: EngineDeps, run: OwnedRun): Promise<Askable> {
  if (run.state !== "unconfirmed" && !isDoubtful(run)) return nothing;
  const connection = await getConnection(deps.store.read, run.connectionId);
  const adapter = connection && (await deps.kinds.get(connection.kind)?.load());
  const model = connection && (await getModel(deps.store.read, run.connectionId, run.modelId));
  const isJob =
    connection &&
    adapter &&
    goesByJob({ adapter, connection, run, model: model ?? { inputSchema: null } });
  const canCancel = isJob === true && run.state === "unconfirmed" && run.cancelRequestedAt === null;
  if (!adapter?.job || run.task === "chat" || (adapter.job.find && !isJob))
    return { ...nothing, canCancel };
  const attempt = await lastAttempt(deps.store.read, run.id);
  return {
    canCancel,
    canAttach: adapter.job.handleOf !== undefined,
    canLook: attempt?.providerRequestId != null || adapter.job.find !== undefined,
  };
}

/** A job that a person names. `evenIfDifferent`: also when it seems to be another run's, by its prompt or seed or because nothing tells. */
export type Attached = { requestId?: string; evenIfDifferent?: boolean };

/**
 * Asks the provider about the job of an unconfirmed run, or of one that failed in doubt. An unconfirmed run whose job exists is followed
 * again; a failed one gets the result, and its cost is adjusted. Nothing changes before the provider has answered.
 * @param attached the provider's own id, entered by a person; without one, the known id
 * @returns the run that is followed again; "late" when a failed run got its result; undefined when the provider knows no such job
 * @throws Problem conflict when the run is not unconfirmed, nothing can be asked, or the job is another run's; what the provider's failure is
 */
export async function lookAgain(
  deps: EngineDeps,
  runId: string,
  workerId: string,
  { requestId, evenIfDifferent = false }: Attached = {},
): Promise<OwnedRun | "late" | undefined> {
  const run = await getRun(deps.store.db, runId);
  if (!run || (run.state !== "unconfirmed" && !isDoubtful(run)))
    throw new Problem("conflict", { message: sentences.runs.notUnconfirmed });
  const askable = await askableOf(deps, run);
  if (!(requestId ? askable.canAttach : askable.canLook))
    throw new Problem("conflict", {
      message: sentences.runs.noJobToCheck,
    });
  const known =
    requestId ??
    (await knownJobId(deps, run).catch((error) => {
      throw toProblem(error, run.connectionId);
    }));
  if (!known) return undefined;
  const job = await askForJob(deps, run, known).catch((error) => {
    throw toProblem(error, run.connectionId);
  });
  if (!job) return run.state === "unconfirmed" ? undefined : noteNothingFound(deps, run);
  if (requestId && !evenIfDifferent) await refuseOther(deps, run, job);
  if (run.state !== "unconfirmed") return bookFailed(deps, run, job);
  const named = await deps.commit((unit) => nameJob(unit, { runId, job, workerId }));
  if (named === "of another") throw await ofAnother(deps, run, job);
  if (typeof named !== "object")
    throw new Problem("conflict", { message: sentences.runs.notUnconfirmed });
  return named;
}

/** @throws Problem conflict while the job is not done, or where it is another run's */
async function bookFailed(
  deps: EngineDeps,
  run: OwnedRun,
  job: FoundJob,
): Promise<"late" | undefined> {
  const result = await readLateResult(job).catch((error) => {
    throw toProblem(error, run.connectionId);
  });
  if (!result && job.status.state === "done") return noteNothingFound(deps, run);
  if (!result)
    throw new Problem("conflict", {
      message: sentences.runs.jobNotDone,
    });
  if (await deps.commit((unit) => bookLateResult(unit, deps, { run, job, result }))) return "late";
  throw await ofAnother(deps, run, job);
}

/** A failed run whose provider was asked and has no result: nobody needs to look once more. */
async function noteNothingFound(deps: EngineDeps, run: OwnedRun): Promise<undefined> {
  if (!isUnasked(run)) return;
  const message = sentences.runs.jobNoResult;
  const warning = { type: "late", feature: "result", message };
  await deps.commit((unit) =>
    noteAfterEnd(unit, {
      runId: run.id,
      events: [{ type: "warning", payload: warning }],
      warnings: (before) => [...before, warning],
    }),
  );
}

/** Names the job's own run, where it is of the same project. */
async function ofAnother(
  deps: EngineDeps,
  run: OwnedRun,
  { connection, handle }: FoundJob,
): Promise<Problem> {
  const ownerId = await findRunOfJob(deps.store.db, connection.id, handle.id);
  const owner = ownerId === undefined ? undefined : await getRun(deps.store.db, ownerId);
  const its = owner ? nameOf(owner, run) : "another run";
  return new Problem("conflict", {
    field: "requestId",
    message: sentences.runs.idTaken({ owner: its }),
  });
}

/** Input fields that providers repeat with a result. */
const repeated = ["prompt", "seed"] as const;

/**
 * A wrongly pasted id is detected by the input that a provider repeats with its result. A job that can't be compared (it has no result yet, or
 * repeats nothing) is taken at its id only while no other run may have made it.
 * @throws Problem conflict with the field `evenIfDifferent`
 */
async function refuseOther(deps: EngineDeps, run: OwnedRun, job: FoundJob): Promise<void> {
  const made = (await readLateResult(job).catch(() => undefined))?.result ?? {};
  const asked = run.input as JsonObject;
  const compared = repeated.filter((name) => isSaid(asked[name]) && isSaid(made[name]));
  const differs = compared.find((name) => asked[name] !== made[name]);
  if (compared.length > 0 && !differs) return;
  const others = await listSentWithoutJob(deps.store.db, run.connectionId, run.id);
  if (differs) {
    const owner = others.find(
      ({ input }) => isSaid(input[differs]) && input[differs] === made[differs],
    );
    const [its, own] = [quote(made[differs] ?? null), quote(asked[differs] ?? null)];
    const whose = owner ? ` ${capitalized(nameOf(owner, run))} has that ${differs}.` : "";
    throw different(`This job’s ${differs} is ${its}, and this run’s is ${own}.${whose}`);
  }
  const other = others[0];
  if (other) throw different(sentences.runs.notComparable({ owner: nameOf(other, run) }));
}

const different = (message: string): Problem =>
  new Problem("conflict", {
    field: "evenIfDifferent",
    message: sentences.runs.sendIdAgain({ reason: message }),
  });

const isSaid = (value: Json | undefined): boolean => value !== undefined && value !== null;
const capitalized = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;
/** A run as somebody of another run's project may read of it. */
const nameOf = (run: { id: string; projectId: string }, { projectId }: OwnedRun): string =>
  run.projectId === projectId ? `the run ${run.id}` : "another run";

const quote = (value: Json): string =>
  typeof value === "string"
    ? `“${value.slice(0, 80)}${value.length > 80 ? "…" : ""}”`
    : String(value);
