import { useSyncExternalStore } from "react";
import type { MessagePart, RunError, RunEvent, RunState } from "#contract/entities.ts";
import type { NewRunEvent, RunEventPayloads, RunEventType } from "#contract/events.ts";
import { type LiveText, newText } from "#contract/live-text.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { t } from "../messages/t.ts";
import { live } from "./live/live.ts";

/** Why a run waits, and when it is retried; null if it waits for a person. */
export type WaitsFor = { reason: string; notBefore: number | null };

/**
 * A run's progress so far, built from its events and live text. Each change creates a new object;
 * the text only grows.
 */
export type RunStream = {
  /** The current attempt; null before the first. */
  attempt: number | null;
  text: string;
  reasoning: string;
  /** The reasoning time according to the latest reasoning text; null without reasoning. */
  reasonedMs: number | null;
  sources: Extract<MessagePart, { type: "source" }>[];
  progress: RunEventPayloads["progress"] | null;
  /** An object URL, valid while the run is watched. The page's CSP refuses data URLs. */
  previewUrl: string | null;
  /** The question that the run's tool asks, while it waits for the person. */
  question: RunEventPayloads["question"] | null;
  queuePlace: number | null;
  logs: RunEventPayloads["log"]["lines"];
  /** The latest state reported by an event; null before the first. */
  state: RunState | null;
  error: RunError | null;
  /**
   * Why the run waits: for its next attempt, for its service to answer, or for its results to be
   * saved.
   */
  waitsFor: WaitsFor | null;
};

const nothing: RunStream = {
  attempt: null,
  text: "",
  reasoning: "",
  reasonedMs: null,
  sources: [],
  progress: null,
  previewUrl: null,
  question: null,
  queuePlace: null,
  logs: [],
  state: null,
  error: null,
  waitsFor: null,
};

type Payload<T extends RunEventType> = RunEventPayloads[T];
const states: Partial<Record<RunEventType, RunState>> = {
  "run-queued": "queued",
  "run-started": "submitting",
  "run-requeued": "queued",
  "run-submitted": "submitted",
  "run-running": "running",
  "run-storing": "storing",
};

const addText = (stream: RunStream, delta: Payload<"text-delta">): RunStream => ({
  ...stream,
  state: "running",
  text: stream.text + (newText(delta, stream.text.length) ?? ""),
  reasonedMs: delta.reasonedMs ?? stream.reasonedMs,
});
const addReasoning = (stream: RunStream, delta: Payload<"reasoning-delta">): RunStream => ({
  ...stream,
  state: "running",
  reasoning: stream.reasoning + (newText(delta, stream.reasoning.length) ?? ""),
  reasonedMs: delta.reasonedMs ?? stream.reasonedMs,
});

/**
 * Adds live text that isn't in the log yet. Text of an earlier attempt, or after the end, is
 * dropped.
 */
function foldText(stream: RunStream, words: LiveText): RunStream {
  if (words.attempt !== stream.attempt || (stream.state && isFinal(stream.state))) return stream;
  return words.type === "text-delta" ? addText(stream, words) : addReasoning(stream, words);
}

function fold(stream: RunStream, event: RunEvent): RunStream {
  const { type, payload } = event as NewRunEvent;
  const state = states[type] ?? stream.state;
  switch (type) {
    case "text-delta":
      return addText(stream, payload);
    case "reasoning-delta":
      return addReasoning(stream, payload);
    case "source":
      return {
        ...stream,
        sources: [...stream.sources, { type: "source", ...payload }],
      };
    case "progress":
      return { ...stream, progress: payload, waitsFor: null };
    case "service-silent":
      return { ...stream, waitsFor: payload };
    case "output-delayed":
      return {
        ...stream,
        waitsFor: {
          reason: t("waits.delayed", { reason: payload.reason }),
          notBefore: null,
        },
      };
    case "output-expiring":
      return stream;
    case "queue-place":
      return { ...stream, queuePlace: payload.place };
    case "preview":
      return { ...stream, previewUrl: toObjectUrl(payload, stream.previewUrl) };
    case "partial":
      return stream;
    case "question":
      return { ...stream, question: payload };
    case "question-answered":
      return { ...stream, question: null };
    case "log":
      return {
        ...stream,
        logs: [...stream.logs, ...payload.lines].slice(-500),
      };
    case "run-started":
      return {
        ...nothing,
        logs: stream.logs,
        state,
        attempt: payload.attempt,
      };
    case "run-requeued":
      return { ...nothing, state: "queued", waitsFor: payload, logs: stream.logs };
    case "run-settled":
      return {
        ...stream,
        question: null,
        state: payload.state,
        error: payload.error ?? null,
      };
    default:
      return { ...stream, state, waitsFor: null };
  }
}

function toObjectUrl(preview: Payload<"preview">, before: string | null): string {
  if (before) URL.revokeObjectURL(before);
  const bytes = Uint8Array.from(atob(preview.base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: preview.mime }));
}

type WatchedRun = {
  stream: RunStream;
  listeners: Set<() => void>;
  unwatch(): void;
  frame: number | null;
  waiting: (RunEvent | LiveText)[];
};
const watched = new Map<string, WatchedRun>();

/** Applies all pending deltas once per frame. */
function apply(entry: WatchedRun): void {
  entry.frame = null;
  const news = entry.waiting;
  entry.waiting = [];
  entry.stream = news.reduce<RunStream>(
    (stream, one) => ("seq" in one ? fold(stream, one) : foldText(stream, one)),
    entry.stream,
  );
  for (const listener of entry.listeners) listener();
}

function watchRun(runId: string): WatchedRun {
  const entry: WatchedRun = {
    stream: nothing,
    listeners: new Set(),
    frame: null,
    waiting: [],
    unwatch: () => undefined,
  };
  const schedule = (): void => {
    // A hidden tab gets no animation frames, and events must not pile up.
    entry.frame ??= document.hidden
      ? window.setTimeout(() => apply(entry), 250)
      : requestAnimationFrame(() => apply(entry));
  };
  entry.unwatch = live().watch(`run:${runId}`, 0, (frame) => {
    if ("snapshot" in frame) {
      const parts = frame.snapshot.parts as MessagePart[];
      const run = frame.snapshot.run as { state: RunState; error: RunError | null };
      const textOf = (type: "text" | "reasoning") =>
        parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
      entry.stream = {
        ...nothing,
        text: textOf("text"),
        reasoning: textOf("reasoning"),
        reasonedMs: parts.find((part) => part.type === "reasoning")?.durationMs ?? null,
        sources: parts.filter((part) => part.type === "source"),
        state: run.state,
        error: run.error,
      };
      for (const listener of entry.listeners) listener();
    } else if ("events" in frame || "words" in frame) {
      entry.waiting.push(...("events" in frame ? frame.events : [frame.words]));
      schedule();
    }
  });
  return entry;
}

function subscribe(runId: string, listener: () => void): () => void {
  const entry = watched.get(runId) ?? watchRun(runId);
  watched.set(runId, entry);
  entry.listeners.add(listener);
  return () => {
    entry.listeners.delete(listener);
    // A remounting screen subscribes again within the same tick, so the stream is kept until the
    // next.
    window.setTimeout(() => {
      if (entry.listeners.size > 0 || watched.get(runId) !== entry) return;
      watched.delete(runId);
      entry.unwatch();
      if (entry.stream.previewUrl) URL.revokeObjectURL(entry.stream.previewUrl);
    }, 1_000);
  };
}

const never = (): (() => void) => () => undefined;

/** A run's live stream. Null watches nothing: an ended run's message or assets are complete. */
export function useRunStream(runId: string | null): RunStream {
  return useSyncExternalStore(
    runId === null ? never : (listener) => subscribe(runId, listener),
    () => (runId === null ? nothing : (watched.get(runId)?.stream ?? nothing)),
  );
}
