import { tmpdir } from "node:os";
import type { RunEvent } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { LiveWords } from "#contract/live-words.ts";
import type { FeedChange } from "#store/runs/changes.ts";
import type { ClaimedRun } from "#store/runs/run-rows.ts";
import { projectHint, runHint, type Watchers } from "#store/runs/unit.ts";
import { createRecordings, type Recording } from "./recordings.ts";

/** News of a topic: what was just committed here, or nothing: then another server wrote, and the rows are to be read. `missed`: or it may have. */
export type TopicNews = {
  events?: RunEvent[];
  changes?: FeedChange[];
  words?: LiveWords;
  missed?: true;
};
type Listener = (news: TopicNews) => void;
type WordsListener = {
  said(runId: string, words: LiveWords): void;
  asked(runId: string): void;
};

/** The worker of this process, for those who have runs for it. */
export type Claimer = {
  workerId: string;
  /** Whether an admission may claim its own runs for it. */
  takesNew(): boolean;
  /** Runs wait on this connection. */
  queued(connectionId: string): void;
  /** Durably its own, each with its first attempt. */
  claimed(runs: readonly ClaimedRun[]): void;
};

/** Who watches what in this process. It keeps nothing: the event log is the truth, this only says when to look, and what is about to be written. */
export type Hub = Watchers & {
  /** Tells words of an answer that are not written yet. */
  say(runId: string, words: LiveWords): void;
  /** Whose words `unwritten` asks for, until what is returned is called. */
  speaks(runId: string, unwritten: () => LiveWords[]): () => void;
  /**
   * What an answer has said and not yet written: for those who begin to watch. What an answer in other hands has said is asked for, and told
   * as its words are.
   */
  unwritten(runId: string): LiveWords[];
  /** The same of an answer in the hands of this process, undefined of any other. */
  unwrittenHere(runId: string): LiveWords[] | undefined;
  /** Hears all words that are said in this process, and which answers are asked for that are not. */
  onWords(listener: WordsListener): () => void;
  subscribe(topic: string, listener: Listener): () => void;
  /** Begins a recording of a run, whose listeners are told of each piece. It is known until its `end`. */
  record(runId: string, attempt: number, mime: string | undefined): Recording;
  /** The recording of a run that is being read here. */
  soundOf(runId: string): Recording | undefined;
  /** Hears each time that a run's recording goes on. */
  onSound(runId: string, listener: () => void): () => void;
  /** Gives runs to this worker, until what is returned is called. */
  enlist(claimer: Claimer): () => void;
  /** None on a server that only answers people. */
  claimer(): Claimer | undefined;
  /** Hears that something is to be delivered to addresses outside. */
  onHooks(listener: () => void): () => void;
  /** Something happened on another server: what, or nothing, then the rows are to be read. */
  hint(topic: string, news?: TopicNews): void;
  isWatched(topic: string): boolean;
  /** How often something has happened, here or on another server, of which watchers are told: while it stays, no look finds more than the last. */
  happenings(): number;
  /** Some hints may have been missed: everyone looks. */
  gap(): void;
};

/** @param recordings where they are kept that are too large together for memory */
export function createHub({
  recordings: { folder, mostBytes } = { folder: tmpdir(), mostBytes: limits.liveSoundBytes },
}: {
  recordings?: { folder: string; mostBytes: number };
} = {}): Hub {
  const beginRecording = createRecordings({ folder, mostBytes });
  const listeners = new Map<string, Set<Listener>>();
  let enlisted: Claimer | undefined;
  const deliverers = new Set<() => void>();
  const speakers = new Map<string, () => LiveWords[]>();
  const sounds = new Map<string, Recording>();
  const hearers = new Map<string, Set<() => void>>();
  let happenings = 0;
  const wordsListeners = new Set<WordsListener>();
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
      wordsListeners.add(listener);
      return () => wordsListeners.delete(listener);
    },
    say(runId, words) {
      reach(runHint(runId), { words });
      for (const listener of wordsListeners) listener.said(runId, words);
    },
    speaks(runId, unwritten) {
      speakers.set(runId, unwritten);
      return () => {
        if (speakers.get(runId) === unwritten) speakers.delete(runId);
      };
    },
    unwritten(runId) {
      const here = speakers.get(runId)?.();
      if (!here) for (const listener of wordsListeners) listener.asked(runId);
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
