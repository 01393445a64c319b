import type { CostBasis, RunError, RunState } from "./entities.ts";
import type { JsonObject } from "./json.ts";
import type { WaitingReason } from "./waiting-reasons.ts";

/** `accept`: with what was asked for. `decline`: the person won't say. `cancel`: nobody answered in time. */
export type QuestionAction = "accept" | "decline" | "cancel";

/** Every type of event of a run's log, with its payload. The log is the truth that streams, sockets and snapshots are read from. */
export type RunEventPayloads = {
  "run-queued": { waitingFor?: WaitingReason };
  "run-started": { attempt: number };
  "run-requeued": { reason: string; notBefore: number };
  /**
   * A model behind an alias was not asked, refused, or failed before its first word: why, and that the next one is tried. Which it was,
   * who manages aliases sees. `costMicros` and `costBasis` of one that was sent the request: what is booked for it.
   */
  "model-passed-over": {
    alias: string;
    reason: string;
    costMicros?: number | null;
    costBasis?: CostBasis | null;
  };
  "run-submitted": { attempt: number };
  /** An unconfirmed run is known at the provider after all, and is followed again. */
  "run-found": Record<string, never>;
  "run-running": Record<string, never>;
  /** The service does not answer questions about the job that it took: why, and when it is asked again. */
  "service-silent": { reason: string; notBefore: number };
  "queue-place": { place: number };
  progress: { done: number; total: number; label?: string };
  /** `own`: lines of Bottega in the provider's log. */
  log: { lines: { at?: number; level?: string; message: string }[]; own?: true };
  /**
   * `offset`: how many characters (UTF-16) this attempt said before, in deltas of the same type. `reasonedMs`: how long it has reasoned
   * up to here; of text only where it began to say something after it had reasoned.
   */
  "text-delta": { text: string; offset?: number; reasonedMs?: number };
  "reasoning-delta": { text: string; offset?: number; reasonedMs?: number };
  source: { title: string; url?: string; document?: string };
  /** A small picture of what is coming, shown and pruned with the deltas. */
  preview: { mime: string; base64: string };
  /**
   * An event of the provider's own stream, for a program that reads it in the provider's shape. An empty text is where its words
   * (`output`, `text`) or its picture (`url`) were: those are in the events before it.
   */
  partial: { data: JsonObject };
  /** A live session holds money for what comes next: all that is held now, in micro-dollars. */
  "session-held": { heldMicros: number };
  /** A tool asks the person in the chat, until then: an object by this schema of flat fields. */
  question: { id: string; message: string; schema: JsonObject; expiresAt: number };
  /** What they said, or that nobody did in time (`cancel`). */
  "question-answered": { id: string; action: QuestionAction; content?: JsonObject };
  /** Why a live session ended, in a sentence. */
  "session-ended": { reason: string };
  "run-storing": { outputs: number };
  /** Why one of its files is not stored yet; it is tried again until it is, or its provider keeps it no longer. */
  "output-delayed": { index: number; reason: string };
  "output-stored": { index: number; assetId: string };
  /** The provider keeps it until then, and it is still not here. */
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

/** Types that are folded into the message or forgotten an hour after the run's end. */
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
