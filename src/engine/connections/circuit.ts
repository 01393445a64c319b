import { createHash } from "node:crypto";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef, Run } from "#contract/entities.ts";
import { errors, Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import {
  afterFailure,
  type Circuit,
  circuitMessage,
  type Failure,
  isOf,
  isQuestionDue,
  nextStep,
  openFor,
  pausedLonger,
  readFailure,
  stateOfCircuit,
} from "#domain/runs/circuit.ts";
import type { ProviderError } from "#providers/adapter.ts";
import { getMessage } from "#store/content/conversations.ts";
import type { Reader, Tx } from "#store/database/store.ts";
import { getAlias } from "#store/models/aliases.ts";
import { listCircuits, lockCircuits, putCircuit, removeCircuit } from "#store/models/circuits.ts";
import { updateConnection } from "#store/models/connections.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { circuitsTopic } from "./healthy-connections.ts";

/** The facts of an attempt that a circuit counts. */
type CircuitAttempt = {
  connection: { id: string };
  run: Pick<OwnedRun, "modelId" | "input" | "messageId" | "task">;
  wire: { status: number | null; sentAt: number | null };
  isProbe: boolean;
};

/**
 * The retry delay for clients when the end of the pause is unknown, as when a person has to replace
 * a key.
 */
const defaultRetryMs = 60_000;

/**
 * Records that the service answered this model, which clears the failures counted against the model
 * and its connection. A refused key stays, because a person has to replace it. A failure to record
 * this never breaks the run.
 */
export async function recordSuccess(deps: EngineDeps, tried: CircuitAttempt): Promise<void> {
  const { id } = tried.connection;
  const { modelId } = tried.run;
  const isOver = (circuit: Circuit): boolean =>
    isOf(circuit, modelId) && !(circuit.kind === "auth" && circuit.openedAt !== null);
  await quietly(deps, id, async () => {
    const read = () => listCircuits(deps.store.read, id);
    const circuits = tried.isProbe ? await read() : await deps.quiet.listCircuits(id, read);
    if (!circuits.some(isOver)) return;
    await deps.commit((unit) => closeCircuits(unit, id, isOver));
  });
}

/**
 * Counts an attempt that failed before any output against the connection or the model. Repeated
 * failures pause it.
 * @returns for a probe of a service that still fails, when its run may be sent again; else null
 */
export async function recordFailure(
  deps: EngineDeps,
  tried: CircuitAttempt,
  error: ProviderError,
): Promise<number | null> {
  const read = readFailure({
    code: error.code,
    status: tried.wire.status,
    own: error.detail.ownShape === true,
  });
  if (read === "answers") {
    await recordSuccess(deps, tried);
    return null;
  }
  if (read === "neither") return null;
  const { id } = tried.connection;
  const { modelId } = tried.run;
  let again: number | null = null;
  await quietly(deps, id, async () => {
    const failure: Failure = {
      ...read,
      input: await inputOf(deps.store.read, tried.run),
      isUnsent: tried.wire.sentAt === null,
      isProbe: tried.isProbe,
      retryAfterMs: error.detail.retryAfterMs,
      detail: `${error.detail.message ?? errors[error.code].text} ${nextStep[read.kind]}`,
    };
    await deps.commit(async ({ tx, outbox, at: now }) => {
      const known = await lockCircuits(tx, id);
      if (!known) return;
      const of = read.of === "model" ? modelId : null;
      const same = (circuit: Circuit): boolean =>
        circuit.kind === read.kind && circuit.modelId === of;
      const changed = [afterFailure(known.circuits.find(same), failure, of, now)];
      // Circuits that the probe was allowed through for, and that its failure leaves open.
      const probed = known.circuits.filter(
        (circuit) => tried.isProbe && isOf(circuit, modelId) && circuit.openedAt !== null,
      );
      for (const circuit of probed)
        if (!same(circuit)) changed.push(pausedLonger(circuit, undefined, now));
      for (const circuit of changed) await putCircuit(tx, id, circuit);
      if (deps.store.engine === "postgres") await deps.store.notify(tx, [{ topic: circuitsTopic }]);
      await show(tx, id, changed[0]!, known.status);
      if (
        changed.some(
          (circuit) => isQuestionDue(circuit, now, true) || stateOfCircuit(circuit, now) === "open",
        )
      )
        outbox.queued.add(id);
      again = tried.isProbe
        ? Math.max(now, ...changed.map(({ pausedUntil }) => pausedUntil ?? now))
        : null;
    });
    deps.hub.hint(circuitsTopic);
  });
  return again;
}

/** Counts a poll of a job that didn't reach the service like an attempt that didn't reach it. */
export async function recordUnreached(
  deps: EngineDeps,
  tried: CircuitAttempt,
  error: ProviderError,
): Promise<void> {
  await recordFailure(
    deps,
    { ...tried, isProbe: false, wire: { status: null, sentAt: null } },
    error,
  );
}

/** Shows a connection as failing if all of it is paused or its server is unreachable. */
async function show(tx: Tx, id: string, circuit: Circuit, status: string): Promise<void> {
  if (
    circuit.modelId !== null ||
    status === "disabled" ||
    (circuit.openedAt === null && circuit.pausedUntil === null)
  )
    return;
  await updateConnection(tx, id, { status: "failing", statusDetail: circuit.detail });
}

/**
 * Records the result of checking a service.
 * @param error null if the service answered
 */
export async function recordCheck(
  deps: EngineDeps,
  connectionId: string,
  error: ProviderError | null,
): Promise<void> {
  await deps.commit(async (unit) => {
    if (error === null) return closeCircuits(unit, connectionId, ({ kind }) => kind === "network");
    const known = await lockCircuits(unit.tx, connectionId);
    const circuit = known?.circuits.find(({ kind }) => kind === "network");
    if (!known || !circuit) return;
    const detail = `${error.detail.message ?? errors[error.code].text} ${nextStep.network}`;
    const longer = { ...pausedLonger(circuit, undefined, unit.at), detail };
    await putCircuit(unit.tx, connectionId, longer);
    await show(unit.tx, connectionId, longer, known.status);
    unit.outbox.queued.add(connectionId);
  });
}

/**
 * Closes circuits in the caller's unit once their failure is known to be over. Waiting runs are
 * then claimed immediately.
 */
export async function closeCircuits(
  unit: Unit,
  id: string,
  isOver: (circuit: Circuit) => boolean = () => true,
): Promise<void> {
  const known = await lockCircuits(unit.tx, id);
  const over = known?.circuits.filter(isOver) ?? [];
  if (!known || over.length === 0) return;
  for (const circuit of over) await removeCircuit(unit.tx, id, circuit);
  const isStill = known.circuits.some(
    (circuit) => circuit.modelId === null && circuit.openedAt !== null && !over.includes(circuit),
  );
  if (known.status === "failing" && !isStill)
    await updateConnection(unit.tx, id, { status: "ok", statusDetail: null });
  if (over.some(({ openedAt }) => openedAt !== null)) unit.outbox.queued.add(id);
}

/** The reason a queued run waits, and when its model is tried again if that is known. */
export type Pause = { reason: string; notBefore: number | null };

/**
 * The reason a queued run waits for its service; null if it doesn't.
 * @param mayManage includes the service's own message, which may name accounts and addresses
 */
export async function pauseOf(
  deps: Pick<EngineDeps, "store" | "clock">,
  run: ModelRef & Pick<Run, "state" | "waitingFor">,
  mayManage: boolean,
): Promise<Pause | null> {
  const { connectionId, modelId } = run;
  if (run.state !== "queued" || run.waitingFor !== null) return null;
  const now = deps.clock.now();
  const [open] = openFor(await listCircuits(deps.store.read, connectionId), modelId, now);
  return open
    ? {
        reason: (mayManage && open.detail) || circuitMessage(open),
        notBefore: open.pausedUntil,
      }
    : null;
}

/**
 * Refuses a request that can't wait, so that an API call gets Retry-After. An alias is refused only
 * if all of its models are paused.
 * @throws Problem unavailable while nothing is sent to the model
 */
export async function requireService(
  deps: Pick<EngineDeps, "store" | "clock">,
  ref: ModelRef,
): Promise<void> {
  const problem = await whyAllPaused(
    deps,
    ref.connectionId === aliasConnectionId
      ? ((await getAlias(deps.store.read, ref.modelId))?.models ?? [])
      : [ref],
  );
  if (problem) throw problem;
}

/**
 * The same for a run whose caller waits. Checks the run's model and its remaining fallbacks.
 * @returns Problem unavailable while nothing is sent to any of them; null if the run doesn't wait
 *   or waits for something else
 */
export async function whyPaused(
  deps: Pick<EngineDeps, "store" | "clock">,
  runId: string,
): Promise<Problem | null> {
  const run = await getRun(deps.store.read, runId);
  return run?.state === "queued" ? whyAllPaused(deps, [run, ...run.nextModels]) : null;
}

/**
 * Includes the time until the first of these models is tried again. Returns null if one of them
 * isn't paused, or the list is empty.
 */
async function whyAllPaused(
  deps: Pick<EngineDeps, "store" | "clock">,
  models: readonly ModelRef[],
): Promise<Problem | null> {
  const now = deps.clock.now();
  let soonest: { circuit: Circuit; retryAfterMs: number; connectionId: string } | undefined;
  for (const { connectionId, modelId } of models) {
    const circuit = openFor(await listCircuits(deps.store.read, connectionId), modelId, now)[0];
    if (!circuit || stateOfCircuit(circuit, now) !== "open") return null;
    const retryAfterMs = circuit.pausedUntil === null ? defaultRetryMs : circuit.pausedUntil - now;
    if (!soonest || retryAfterMs < soonest.retryAfterMs)
      soonest = { circuit, retryAfterMs, connectionId };
  }
  if (!soonest) return null;
  const { circuit, retryAfterMs, connectionId } = soonest;
  return new Problem("unavailable", {
    connectionId,
    message: circuitMessage(circuit),
    retryAfterMs,
  });
}

/**
 * A short hash of a run's request. It is the same for a retry with another seed and for the same
 * question asked elsewhere.
 */
async function inputOf(
  db: Reader,
  { input, messageId, task }: Pick<OwnedRun, "input" | "messageId" | "task">,
): Promise<string> {
  const { seed: _, ...rest } = input as JsonObject;
  const answer = messageId && task === "chat" ? await getMessage(db, messageId) : undefined;
  const question = answer?.parentId ? await getMessage(db, answer.parentId) : undefined;
  return createHash("sha256")
    .update(JSON.stringify(question ? question.parts : rest))
    .digest("hex")
    .slice(0, 12);
}

async function quietly(
  deps: EngineDeps,
  connectionId: string,
  work: () => Promise<void>,
): Promise<void> {
  await work().catch((error) =>
    deps.log.warn({ connectionId, error: String(error) }, "could not save the state of a service"),
  );
}
