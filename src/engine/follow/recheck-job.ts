import { Problem } from "#contract/errors.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isUncheckedJob } from "#domain/runs/unchecked-job.ts";
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

/** The checks at the provider that a person can make while a run's outcome is uncertain. */
export type Askable = {
  /** The provider's job id is known, or the provider finds the job by our client token. */
  canLook: boolean;
  /** A person can enter the job id. */
  canAttach: boolean;
  /** An unconfirmed job, which is canceled as soon as its id is known. */
  canCancel: boolean;
};

const nothing: Askable = { canLook: false, canAttach: false, canCancel: false };

/**
 * The run failed on a refusal that no bill has confirmed, or without an answer. If its job exists
 * after all, its files and cost are corrected.
 */
const isDoubtful = (run: OwnedRun): boolean =>
  (run.state === "failed" && run.costBasis === "assumed") || isUncheckedJob(run);

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

/**
 * A job id that a person enters. `evenIfDifferent` accepts a job that may belong to another run,
 * because its prompt or seed differs or can't be compared.
 */
export type Attached = { requestId?: string; evenIfDifferent?: boolean };

/**
 * Asks the provider about the job of an unconfirmed run, or of a failed run in doubt. An
 * unconfirmed run with a job is followed again; a failed one gets the result and an adjusted cost.
 * Nothing changes before the provider has answered.
 * @param attached the provider's job id, entered by a person; without one, the known id
 * @returns the run that is followed again; "late" if a failed run got its result; undefined if the
 *   provider doesn't know the job
 * @throws Problem conflict if the run isn't unconfirmed, can't be checked, or the job belongs to
 *   another run
 * @throws the provider's error
 */
export async function recheckJob(
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

/** @throws Problem conflict while the job isn't done, or if it belongs to another run */
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

/** Notes on a failed run that its provider has no result, so that nobody has to check again. */
async function noteNothingFound(deps: EngineDeps, run: OwnedRun): Promise<undefined> {
  if (!isUncheckedJob(run)) return;
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

/** Names the run that owns the job if both are in the same project. */
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

/** Input fields that providers repeat in a result. */
const repeated = ["prompt", "seed"] as const;

/**
 * Detects a wrongly pasted id by the input that providers repeat in a result. A job that can't be
 * compared, because it has no result or repeats nothing, is accepted only while no other run can
 * have made it.
 * @throws Problem conflict with the field `evenIfDifferent`
 */
async function refuseOther(deps: EngineDeps, run: OwnedRun, job: FoundJob): Promise<void> {
  const made = (await readLateResult(job).catch(() => undefined))?.result ?? {};
  const asked = run.input as JsonObject;
  const compared = repeated.filter((name) => isStated(asked[name]) && isStated(made[name]));
  const differs = compared.find((name) => asked[name] !== made[name]);
  if (compared.length > 0 && !differs) return;
  const others = await listSentWithoutJob(deps.store.db, run.connectionId, run.id);
  if (differs) {
    const owner = others.find(
      ({ input }) => isStated(input[differs]) && input[differs] === made[differs],
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

const isStated = (value: Json | undefined): boolean => value !== undefined && value !== null;
const capitalized = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;
/** The run as a person in another run's project may see it. */
const nameOf = (run: { id: string; projectId: string }, { projectId }: OwnedRun): string =>
  run.projectId === projectId ? `the run ${run.id}` : "another run";

const quote = (value: Json): string =>
  typeof value === "string"
    ? `“${value.slice(0, 80)}${value.length > 80 ? "…" : ""}”`
    : String(value);
