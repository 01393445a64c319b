import type { ModelDetail, RunWarning } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { CountedUse } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { batchOf } from "#domain/runs/embedding-batch.ts";
import type { Adapter, RunContext } from "#providers/adapter.ts";
import type { WireEvent } from "#providers/outbound/outbound.ts";
import type { SealedConnection } from "#store/models/connections.ts";
import { getModelWithConnection } from "#store/models/models.ts";
import { updateAttempt } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced } from "#store/runs/runs.ts";
import { adapterOf, callContext } from "./connections/open-connection.ts";
import { isFreeAt } from "./connections/run-place.ts";
import type { EngineDeps } from "./deps.ts";
import { persist } from "./persist.ts";

type Hand = {
  run: OwnedRun;
  adapter: Adapter;
  connection: SealedConnection;
  model: ModelDetail;
  /** Calls on this connection are free, so a lost answer may be requested again. */
  free: boolean;
  /**
   * Aborts the calls of this run: on a person's cancel, a lost ownership, or the server's shutdown.
   */
  controller: AbortController;
  /** Aborts work that survives a cancel: on a lost ownership or the server's shutdown. */
  letGo: AbortController;
  /** The first reason why `controller` was aborted. */
  stopped: { reason: "cancel" | "fenced" | "shutdown" | null };
  warnings: RunWarning[];
  /** Whether this run is the probe of a service that failed. */
  isProbe: boolean;
  /**
   * Ends the current wait between two polls of a job or for its submit's answer; null outside such
   * a wait.
   */
  requestPoll: (() => void) | null;
  /** Whether the run has released its slot because its job has been unreachable for long. */
  releasedSlot: boolean;
  /**
   * Work for after this worker releases the run, because it waits for the run's next owner, which
   * may be the same worker.
   */
  late: ((end: AbortSignal) => Promise<void>) | null;
  /**
   * An earlier attempt with the same token may have been accepted, so a refusal of this attempt
   * doesn't end the run.
   */
  mayBeTaken: boolean;
  /** The request that this attempt sent to the provider. */
  wire: {
    bytes: number;
    status: number | null;
    sentAt: number | null;
    /** How often the provider has used each of its own tools for the answer so far. */
    used: Partial<Record<CountedUse, number>>;
    requestId?: string;
    answerStart?: string;
  };
};

/** A run held by this worker. Only the functions of this file change it. */
export type InHand = Readonly<Omit<Hand, "stopped" | "warnings" | "wire">> & {
  readonly stopped: Readonly<Hand["stopped"]>;
  readonly warnings: readonly RunWarning[];
  readonly wire: Readonly<Hand["wire"]>;
};

const own = (inHand: InHand): Hand => inHand as Hand;

/** The wire of an attempt that has sent nothing yet. */
export const nothingOnWire = (): Hand["wire"] => ({
  bytes: 0,
  status: null,
  sentAt: null,
  used: {},
});

/**
 * Whether the run may be sent again. Attempts that were probes of a failing service don't count.
 */
export const hasAttempts = ({ attempts, probes }: OwnedRun): boolean =>
  attempts - probes < limits.attemptsPerRun;

/**
 * Reads the connection, adapter and model of a run.
 * @throws Problem model_gone if they no longer exist
 */
export async function takeInHand(
  deps: EngineDeps,
  run: OwnedRun,
  isProbe: boolean,
): Promise<InHand> {
  const found = await getModelWithConnection(deps.store.read, run);
  if (!found) throw new Problem("model_gone", { connectionId: run.connectionId });
  const { connection, model } = found;
  const adapter = await adapterOf(deps, connection.kind);
  return {
    run,
    adapter,
    connection,
    model,
    free: isFreeAt(adapter, connection),
    controller: new AbortController(),
    letGo: new AbortController(),
    stopped: { reason: null },
    warnings: [...run.warnings],
    isProbe,
    requestPoll: null,
    releasedSlot: false,
    late: null,
    mayBeTaken: false,
    wire: nothingOnWire(),
  };
}

/**
 * Whether the run is a job. For a kind that supports both ways, its connection or the run's input
 * decides.
 */
export function goesByJob({
  adapter,
  connection,
  run,
  model,
}: Pick<InHand, "adapter" | "run"> & {
  connection: Pick<SealedConnection, "options">;
  model: Pick<ModelDetail, "inputSchema">;
}): boolean {
  if (!adapter.job) return false;
  const { task, modelId } = run;
  const input = (
    task === "chat" ? ((run.input as { settings?: JsonObject }).settings ?? {}) : run.input
  ) as JsonObject;
  return !(
    adapter.prefersAnswer?.(connection.options as JsonObject, {
      task,
      modelId,
      inputSchema: model.inputSchema,
      input,
    }) ?? false
  );
}

/** Whether a lost submit may be repeated, because the provider recognizes its token. */
export const takesToken = (inHand: InHand): boolean =>
  inHand.adapter.job?.takesToken === true && goesByJob(inHand);

export function stop(inHand: InHand, reason: "cancel" | "fenced" | "shutdown"): void {
  own(inHand).stopped.reason ??= reason;
  const why = new DOMException(reason, "AbortError");
  inHand.controller.abort(why);
  if (reason !== "cancel") inHand.letGo.abort(why);
}

/** Updates the run to the state after its last unit. */
export function setRun(inHand: InHand, run: OwnedRun): void {
  own(inHand).run = run;
}

/**
 * The same for a unit that began another attempt with the same token, which has sent nothing yet.
 */
export function beginAttempt(inHand: InHand, run: OwnedRun): void {
  Object.assign(own(inHand), { run, wire: nothingOnWire() });
}

/** Sets work to do once the run's next owner has ended it. */
export function deferUntilEnd(inHand: InHand, late: (end: AbortSignal) => Promise<void>): void {
  own(inHand).late = late;
}

/** Notes that an attempt without an answer may have been accepted. */
export function doubtAttempt(inHand: InHand): void {
  own(inHand).mayBeTaken = true;
}

export function notePlaceGiven(inHand: InHand): void {
  own(inHand).releasedSlot = true;
}

/**
 * @param look called when a webhook or a person asks for a poll, until the returned function is
 *   called
 */
export function onPollRequest(inHand: InHand, look: () => void): () => void {
  own(inHand).requestPoll = look;
  return () => {
    own(inHand).requestPoll = null;
  };
}

/** Notes what was sent to the provider, and the status of its answer. */
export function noteOnWire(
  { clock }: Pick<EngineDeps, "clock">,
  inHand: InHand,
  event: WireEvent,
): void {
  const { wire } = own(inHand);
  wire.sentAt ??= clock.now();
  if (event.type === "sent") wire.bytes = Math.max(wire.bytes, event.bytes);
  else wire.status = event.status;
}

/**
 * The context of an attempt: allows one POST, or one for each input of a batch if the service takes
 * no batches, and records the request.
 */
export function attemptContext(
  deps: EngineDeps,
  inHand: InHand,
  clientToken: string,
  signal = inHand.controller.signal,
): RunContext {
  const onWire = (event: WireEvent): void => {
    noteOnWire(deps, inHand, event);
    if (event.type === "sent" && event.bytes > 0) deps.failpoints?.at("attempt.sent", inHand.run);
  };
  return {
    ...callContext(deps, inHand.adapter, inHand.connection, signal, {
      onePost: true,
      ...(inHand.adapter.embeds?.each && { mostPosts: inputsOf(inHand.run) }),
      onWire,
      beforeSending: createUnsentMark(deps, inHand),
      onBody: (chunk) => recordAnswer(own(inHand), chunk),
    }),
    clientToken,
    markSent: () => onWire({ type: "sent", bytes: 1 }),
    used(tool) {
      const { used } = own(inHand).wire;
      used[tool] = (used[tool] ?? 0) + 1;
    },
    named(requestId) {
      own(inHand).wire.requestId = requestId;
    },
    ...webhookUrlOf(deps, inHand, clientToken),
    warn: (warning) => own(inHand).warnings.push(warning),
  };
}

/**
 * Marks the attempt durably while it makes only free requests, such as uploads, which can take
 * minutes: after a crash nothing has been paid, and the run is sent again. Other attempts are
 * unmarked, which saves them the two commits.
 */
function createUnsentMark(deps: EngineDeps, inHand: InHand): (isPaid: boolean) => Promise<void> {
  let marked: Promise<void> | undefined;
  let sent: Promise<void> | undefined;
  // An attempt with the same token may have been accepted before.
  const isNeedless = inHand.free || inHand.mayBeTaken;
  const mark = (bytes: 0 | null): Promise<void> =>
    persist(deps, inHand.controller.signal, async (unit) => {
      // Another owner may have sent the run again by now, so this attempt must not.
      await appendRunEvents(unit, inHand.run, [], {});
      await updateAttempt(unit.tx, inHand.run.id, inHand.run.attempts, { bytes_written: bytes });
    }).catch((error: unknown) => {
      if (error instanceof Fenced) stop(inHand, "fenced");
      throw error;
    });
  const unmark = async (): Promise<void> => {
    if (!marked) return;
    await marked;
    await mark(null);
  };
  return async (isPaid) => {
    if (isNeedless) return;
    // A batch of embeddings sends several paid requests at once. None may precede the commit.
    if (isPaid) {
      sent ??= unmark();
      return sent;
    }
    if (sent) return;
    marked ??= mark(0);
    await marked;
    await deps.failpoints?.at("attempt.prepare", inHand.run);
  };
}

const inputsOf = ({ task, input }: OwnedRun): number =>
  batchOf(task, input as JsonObject)?.length ?? 1;

/** Enough for an id, which comes early in an answer. */
const maxHeard = 16 * 1024;

/**
 * Keeps the beginning of a submit's answer, which may contain the job's id even if it breaks off.
 */
function recordAnswer({ adapter, wire }: Hand, chunk: Uint8Array): void {
  const heard = wire.answerStart ?? "";
  if (adapter.job?.idField === undefined || heard.length >= maxHeard) return;
  wire.answerStart = heard + Buffer.from(chunk.subarray(0, maxHeard)).toString("latin1");
}

/**
 * Only a public https URL is given to a provider as its webhook; without one, the job is polled.
 */
function webhookUrlOf(
  deps: EngineDeps,
  { adapter, run }: InHand,
  clientToken: string,
): { webhookUrl?: string } {
  if (!adapter.webhook || !deps.publicUrl?.startsWith("https://")) return {};
  return {
    webhookUrl: `${deps.publicUrl.replace(/\/+$/, "")}/api/webhooks/${run.connectionId}/${run.id}?token=${clientToken}`,
  };
}

/** The columns of an attempt's row that are set at its end. */
export const attemptFacts = (inHand: Pick<InHand, "wire">) => ({
  bytes_written: inHand.wire.bytes,
  http_status: inHand.wire.status,
  sent_at: inHand.wire.sentAt,
  ...(inHand.wire.requestId !== undefined && { provider_request_id: inHand.wire.requestId }),
});

/** The same for an attempt that sent nothing. */
export const nothingLeft = { bytes_written: 0, http_status: null, sent_at: null };

/**
 * A signal that, once the paid request has been sent, is aborted only by `always` and by the
 * reasons that `mayEnd` accepts.
 */
function signalUntilSent(
  inHand: InHand,
  mayEnd: (reason: InHand["stopped"]["reason"]) => boolean,
  always?: AbortSignal,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = inHand.controller;
  const onStop = (): void => {
    if (mayEnd(inHand.stopped.reason) || inHand.wire.sentAt === null)
      controller.abort(signal.reason);
  };
  signal.addEventListener("abort", onStop, { once: true });
  if (signal.aborted) onStop();
  return always ? AbortSignal.any([controller.signal, always]) : controller.signal;
}

/**
 * Never aborts a sent submit, not even for another owner, because only its answer names the job.
 */
export const submitSignal = (inHand: InHand): AbortSignal => signalUntilSent(inHand, () => false);

/**
 * Lets an answer that arrives whole finish during a shutdown or after a takeover, because a paid
 * answer comes only once.
 */
export const wholeAnswerSignal = (inHand: InHand, giveUp: AbortSignal): AbortSignal =>
  signalUntilSent(inHand, (reason) => reason === "cancel", giveUp);
