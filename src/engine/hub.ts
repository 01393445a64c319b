import { tmpdir } from "node:os";
import type { RunEvent } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { LiveArguments, LiveText } from "#contract/live-text.ts";
import type { FeedChange } from "#store/runs/changes.ts";
import type { ClaimedRun } from "#store/runs/run-rows.ts";
import { projectHint, runHint, type Watchers } from "#store/runs/unit.ts";
import { createRecordings, type Recording } from "./recordings.ts";

/**
 * News of a topic: the committed events of this process, or nothing if another server wrote and the
 * rows have to be read. `missed` means that another server may have written.
 */
export type TopicNews = {
  events?: RunEvent[];
  changes?: FeedChange[];
  words?: LivePiece;
  missed?: true;
};
/** A part of an answer that is published before it is written. */
export type LivePiece = LiveText | LiveArguments;
type Listener = (news: TopicNews) => void;
type TextListener = {
  onText(runId: string, words: LivePiece): void;
  onTextRequest(runId: string): void;
};

/** The worker of this process, as admissions use it. */
export type Claimer = {
  workerId: string;
  /** Whether an admission may claim its own runs for this worker. */
  takesNew(): boolean;
  /** Reports queued runs on this connection. */
  queued(connectionId: string): void;
  /** Hands over runs that durably belong to this worker, each with its first attempt. */
  claimed(runs: readonly ClaimedRun[]): void;
};

/**
 * Connects watchers and events in this process. The hub stores nothing: the event log is the truth,
 * and the hub only tells when to read it, and which text is about to be written.
 */
export type Hub = Watchers & {
  /** Publishes an answer's text before it is written. */
  say(runId: string, words: LivePiece): void;
  /** Registers the source of an answer's unwritten text. Returns a function that removes it. */
  speaks(runId: string, unwritten: () => LivePiece[]): () => void;
  /**
   * The unwritten text of an answer, for new watchers. The text of another server's answer is
   * requested, and published when it arrives.
   */
  unwritten(runId: string): LivePiece[];
  /** The unwritten text of an answer of this process; undefined for any other. */
  unwrittenHere(runId: string): LivePiece[] | undefined;
  /**
   * Listens to all text published in this process, and to requests for answers of other servers.
   */
  onWords(listener: TextListener): () => void;
  subscribe(topic: string, listener: Listener): () => void;
  /**
   * Begins a recording of a run, whose listeners are notified of each piece. The recording is
   * listed until its `end`.
   */
  record(runId: string, attempt: number, mime: string | undefined): Recording;
  /** The recording of a run that is being read here. */
  soundOf(runId: string): Recording | undefined;
  /** Notifies the listener whenever a run's recording grows. */
  onSound(runId: string, listener: () => void): () => void;
  /** Registers the worker that admissions claim runs for. Returns a function that removes it. */
  enlist(claimer: Claimer): () => void;
  /** Undefined on a web server. */
  claimer(): Claimer | undefined;
  /** Notifies the listener when a webhook delivery is due. */
  onHooks(listener: () => void): () => void;
  /** Reports an event of another server, with its news, or without if the rows have to be read. */
  hint(topic: string, news?: TopicNews): void;
  isWatched(topic: string): boolean;
  /**
   * How many events, here or on other servers, watchers have been notified of. While the count
   * stays the same, another scan finds nothing new.
   */
  happenings(): number;
  /** Reports that notifications may have been missed, so that everyone reads again. */
  gap(): void;
};

/** @param recordings the folder for recordings that together exceed the memory limit */
export function createHub({
  recordings: { folder, mostBytes } = { folder: tmpdir(), mostBytes: limits.liveSoundBytes },
}: {
  recordings?: { folder: string; mostBytes: number };
} = {}): Hub {
  const beginRecording = createRecordings({ folder, mostBytes });
  const listeners = new Map<string, Set<Listener>>();
  let enlisted: Claimer | undefined;
  const deliverers = new Set<() => void>();
  const speakers = new Map<string, () => LivePiece[]>();
  const sounds = new Map<string, Recording>();
  const hearers = new Map<string, Set<() => void>>();
  let happenings = 0;
  const textListeners = new Set<TextListener>();
  const reach = (topic: string, news: TopicNews): void => {
    for (const listener of listeners.get(topic) ?? []) listener(news);
  };
  return {
    enlist(claimer) {
      enlisted = claimer;
      return () => {
        enlisted = undefined;
      };
    },
    claimer: () => enlisted,
    onHooks(listener) {
      deliverers.add(listener);
      return () => deliverers.delete(listener);
    },
    hooks() {
      for (const deliver of deliverers) deliver();
    },
    queued: (connectionId) => enlisted?.queued(connectionId),
    claimed: (runs) => enlisted?.claimed(runs),
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    tell(news) {
      happenings++;
      for (const [runId, events] of Map.groupBy(news.events, (event) => event.runId))
        reach(runHint(runId), { events });
      for (const [projectId, changes] of Map.groupBy(news.changes, (change) => change.projectId))
        reach(projectHint(projectId), { changes });
    },
    onWords(listener) {
      textListeners.add(listener);
      return () => textListeners.delete(listener);
    },
    say(runId, words) {
      reach(runHint(runId), { words });
      for (const listener of textListeners) listener.onText(runId, words);
    },
    speaks(runId, unwritten) {
      speakers.set(runId, unwritten);
      return () => {
        if (speakers.get(runId) === unwritten) speakers.delete(runId);
      };
    },
    unwritten(runId) {
      const here = speakers.get(runId)?.();
      if (!here) for (const listener of textListeners) listener.onTextRequest(runId);
      return here ?? [];
    },
    record(runId, attempt, mime) {
      const recording = beginRecording(attempt, mime);
      const heard: Recording = {
        ...recording,
        async add(bytes) {
          await recording.add(bytes);
          for (const hear of hearers.get(runId) ?? []) hear();
        },
        async end() {
          if (sounds.get(runId) === heard) sounds.delete(runId);
          await recording.end();
        },
      };
      sounds.set(runId, heard);
      return heard;
    },
    soundOf: (runId) => sounds.get(runId),
    onSound(runId, listener) {
      const set = hearers.get(runId) ?? new Set();
      hearers.set(runId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && hearers.get(runId) === set) hearers.delete(runId);
      };
    },
    unwrittenHere: (runId) => speakers.get(runId)?.(),
    hint(topic, news = {}) {
      happenings++;
      reach(topic, news);
    },
    happenings: () => happenings,
    isWatched: (topic) => listeners.has(topic),
    gap() {
      happenings++;
      for (const topic of [...listeners.keys()]) reach(topic, { missed: true });
    },
  };
}
