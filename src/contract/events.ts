import type { CostBasis, RunError, RunState } from "./entities.ts";
import type { JsonObject } from "./json.ts";
import type { WaitingReason } from "./waiting-reasons.ts";

/**
 * `accept`: with the requested data. `decline`: the person refused to answer. `cancel`: nobody
 * answered in time.
 */
export type QuestionAction = "accept" | "decline" | "cancel";

/**
 * Every type of event in a run's log, with its payload. Streams, sockets and snapshots are read
 * from the log.
 */
export type RunEventPayloads = {
  "run-queued": { waitingFor?: WaitingReason };
  "run-started": { attempt: number };
  "run-requeued": { reason: string; notBefore: number };
  /**
   * A model behind an alias was skipped, refused the request, or failed before its first output,
   * and the next one is tried. People who manage aliases see which model it was. `costMicros` and
   * `costBasis` are the booked cost if the request was sent.
   */
  "model-passed-over": {
    alias: string;
    reason: string;
    costMicros?: number | null;
    costBasis?: CostBasis | null;
  };
  "run-submitted": { attempt: number };
  /** An unconfirmed run's job exists at the provider, and is followed again. */
  "run-found": Record<string, never>;
  "run-running": Record<string, never>;
  /**
   * The service doesn't answer polls of the job that it accepted: the reason, and the time of the
   * next poll.
   */
  "service-silent": { reason: string; notBefore: number };
  "queue-place": { place: number };
  progress: { done: number; total: number; label?: string };
  /** `own`: lines that Bottega added to the provider's log. */
  log: { lines: { at?: number; level?: string; message: string }[]; own?: true };
  /**
   * `offset` is the number of characters (UTF-16) in this attempt's earlier deltas of the same
   * type. `reasonedMs` is how long it has reasoned so far; text has it only where it begins after
   * reasoning. `afterCall`: the attempt had begun a tool call for a program before it. `citations`:
   * the delta ends a block of text, which has these, in the provider's own form.
   */
  "text-delta": {
    text: string;
    offset?: number;
    reasonedMs?: number;
    afterCall?: true;
    citations?: JsonObject[];
  };
  "reasoning-delta": { text: string; offset?: number; reasonedMs?: number; afterCall?: true };
  source: { title: string; url?: string; document?: string; assetId?: string };
  /** A small preview of the result, shown and pruned with the deltas. */
  preview: { mime: string; base64: string };
  /**
   * An event of the provider's own stream, for clients that expect the provider's format. An empty
   * `output`, `text` or `url` stands for text or a picture in the preceding events.
   */
  partial: { data: JsonObject };
  /** The total reservation of a live session after it was extended, in micro-dollars. */
  "session-held": { heldMicros: number };
  /**
   * A tool's question to the person in the chat, open until `expiresAt`. The answer is an object
   * with flat fields that matches the schema.
   */
  question: { id: string; message: string; schema: JsonObject; expiresAt: number };
  /** The person's answer, or `cancel` if there was none in time. */
  "question-answered": { id: string; action: QuestionAction; content?: JsonObject };
  /** Why a live session ended, in a sentence. */
  "session-ended": { reason: string };
  "run-storing": { outputs: number };
  /**
   * Why a file isn't stored yet. Downloads are retried until it is, or until the provider deletes
   * it.
   */
  "output-delayed": { index: number; reason: string };
  "output-stored": { index: number; assetId: string };
  /** A file isn't downloaded yet, and the provider deletes it at `expiresAt`. */
  "output-expiring": { index: number; expiresAt: number };
  warning: { type: string; feature: string; message: string };
  "cancel-requested": Record<string, never>;
  "run-settled": {
    state: RunState;
    error?: RunError;
    costMicros: number | null;
    costBasis?: CostBasis | null;
  };
};
export type RunEventType = keyof RunEventPayloads;
export type NewRunEvent = {
  [T in RunEventType]: { type: T; payload: RunEventPayloads[T] };
}[RunEventType];

/** Types that are merged into the message or pruned an hour after the run's end. */
export const transientEvents: readonly RunEventType[] = [
  "text-delta",
  "reasoning-delta",
  "preview",
  "partial",
  "question",
  "question-answered",
  "progress",
  "queue-place",
  "source",
  "service-silent",
];
