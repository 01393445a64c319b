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
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { adapterOf, callContext } from "./connections/open-connection.ts";
import { isFreeAt } from "./connections/run-place.ts";
import type { EngineDeps } from "./deps.ts";

type Hand = {
  run: OwnedRun;
  adapter: Adapter;
  connection: SealedConnection;
  model: ModelDetail;
  /** What this connection does costs nothing: an answer that was lost may be asked for again. */
  free: boolean;
  /** Ends the calls of this run: a person's cancel, a lost ownership, or the server's stop. */
  controller: AbortController;
  /** Ends what a cancel leaves going as well: a lost ownership, or the server's stop. */
  letGo: AbortController;
  /** Why `controller` was aborted first, when it was. */
  stopped: { reason: "cancel" | "fenced" | "shutdown" | null };
  warnings: RunWarning[];
  /** It tries a service that has failed. */
  isProbe: boolean;
  /** Ends the wait between two questions about a job, or for its submit's answer, while there is one. */
  lookNow: (() => void) | null;
  /** Its job can't be asked about for so long that others have its place. */
  gavePlace: boolean;
  /** What is left to do once it is out of this worker's hands, for it waits for the run's next owner, which may be the same worker. */
  late: ((end: AbortSignal) => Promise<void>) | null;
  /** An attempt before this one, with the same token, may have been taken: no refusal of this one ends the run. */
  mayBeTaken: boolean;
  /** What left for the provider in this attempt. */
  wire: {
    bytes: number;
    status: number | null;
    sentAt: number | null;
    /** How often the provider has used each of its own tools for the answer so far. */
    used: Partial<Record<CountedUse, number>>;
    requestId?: string;
    heard?: string;
  };
};

/** A run in this worker's hands. Many read it; what changes of it, the functions of this file change. */
export type InHand = Readonly<Omit<Hand, "stopped" | "warnings" | "wire">> & {
  readonly stopped: Readonly<Hand["stopped"]>;
  readonly warnings: readonly RunWarning[];
  readonly wire: Readonly<Hand["wire"]>;
};

const own = (inHand: InHand): Hand => inHand as Hand;

/** The wire of an attempt of which nothing has left yet. */
export const nothingOnWire = (): Hand["wire"] => ({
  bytes: 0,
  status: null,
  sentAt: null,
  used: {},
});

/** Whether it may be sent once more. An attempt that only tried a failing service for everybody does not count. */
export const hasAttempts = ({ attempts, probes }: OwnedRun): boolean =>
  attempts - probes < limits.attemptsPerRun;

/** The connection, adapter and model of a run. @throws Problem model_gone when they are not there any more */
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
    lookNow: null,
    gavePlace: false,
    late: null,
    mayBeTaken: false,
    wire: nothingOnWire(),
  };
}

/** A kind may have both ways to run: then its connection, or what is asked for, says which. */
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

/** A submit that was lost may be sent again: the provider knows both by one token. */
export const takesToken = (inHand: InHand): boolean =>
  inHand.adapter.job?.takesToken === true && goesByJob(inHand);

export function stop(inHand: InHand, reason: "cancel" | "fenced" | "shutdown"): void {
  own(inHand).stopped.reason ??= reason;
  const why = new DOMException(reason, "AbortError");
  inHand.controller.abort(why);
  if (reason !== "cancel") inHand.letGo.abort(why);
}

/** The run as its last unit left it. */
export function moveOn(inHand: InHand, run: OwnedRun): void {
  own(inHand).run = run;
}

/** The same for a unit that began another attempt with the same token: nothing of it has left yet. */
export function beginAttempt(inHand: InHand, run: OwnedRun): void {
  Object.assign(own(inHand), { run, wire: nothingOnWire() });
}

/** What its next owner must have ended first. */
export function doLater(inHand: InHand, late: (end: AbortSignal) => Promise<void>): void {
  own(inHand).late = late;
}

/** The attempt that ended without an answer may have been taken. */
export function doubtAttempt(inHand: InHand): void {
  own(inHand).mayBeTaken = true;
}

export function notePlaceGiven(inHand: InHand): void {
  own(inHand).gavePlace = true;
}

/** @param look is called when a webhook, or a person, says that there is something to see, until what is returned is called */
export function listenForLooks(inHand: InHand, look: () => void): () => void {
  own(inHand).lookNow = look;
  return () => {
    own(inHand).lookNow = null;
  };
}

/** The context of an attempt: at most one POST, or one for each input of a batch where its service takes no more, and a record of what left. */
export function attemptContext(
  deps: EngineDeps,
  inHand: InHand,
  clientToken: string,
  signal = inHand.controller.signal,
): RunContext {
  const onWire = (event: WireEvent): void => {
    const { wire } = own(inHand);
    wire.sentAt ??= deps.clock.now();
    if (event.type === "sent") wire.bytes = Math.max(wire.bytes, event.bytes);
    else wire.status = event.status;
    if (event.type === "sent" && event.bytes > 0) deps.failpoints?.at("attempt.sent", inHand.run);
  };
  return {
    ...callContext(deps, inHand.adapter, inHand.connection, signal, {
      onePost: true,
      ...(inHand.adapter.embeds?.each && { mostPosts: inputsOf(inHand.run) }),
      onWire,
      onBody: (chunk) => hear(own(inHand), chunk),
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

const inputsOf = ({ task, input }: OwnedRun): number =>
  batchOf(task, input as JsonObject)?.length ?? 1;

/** An id is at the start of an answer. */
const heardMost = 16 * 1024;

/** Keeps the beginning of a submit's answer: should it break off, the job's id may have come. */
function hear({ adapter, wire }: Hand, chunk: Uint8Array): void {
  const heard = wire.heard ?? "";
  if (adapter.job?.idField === undefined || heard.length >= heardMost) return;
  wire.heard = heard + Buffer.from(chunk.subarray(0, heardMost)).toString("latin1");
}

/** Only a public https URL is given to a provider as its webhook; without one, the job is polled. */
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

/** What the attempt's row learns at its end. */
export const attemptFacts = (inHand: Pick<InHand, "wire">) => ({
  bytes_written: inHand.wire.bytes,
  http_status: inHand.wire.status,
  sent_at: inHand.wire.sentAt,
  ...(inHand.wire.requestId !== undefined && { provider_request_id: inHand.wire.requestId }),
});

/** The same for an attempt of which nothing left. */
export const nothingLeft = { bytes_written: 0, http_status: null, sent_at: null };

/** The signal of a call that nothing ends once its paid request has left, except what `mayEnd` says and `always`. */
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

/** A job's submit that was sent is broken off by nothing, not even by another owner: its answer names the job, which nobody else can. */
export const submitSignal = (inHand: InHand): AbortSignal => signalUntilSent(inHand, () => false);

/** An answer that comes whole is waited for while the server stops, and when another has taken its run: what was paid for comes once. */
export const wholeAnswerSignal = (inHand: InHand, giveUp: AbortSignal): AbortSignal =>
  signalUntilSent(inHand, (reason) => reason === "cancel", giveUp);
