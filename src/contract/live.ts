import type { Change, RunEvent } from "./entities.ts";
import type { LiveWords } from "./live-words.ts";

/**
 * A topic is `run:<id>` or `project:<id>`; `after` is the last seq the tab has seen. With none (-1) of a feed, `agoMs` says how long ago
 * the tab may have begun to read its lists: what changed since is `missed`.
 */
export type Subscription = { topic: string; after: number; agoMs?: number };

/** The one socket a tab: JSON frames. */
export type ClientFrame =
  | { subscribe: Subscription[] }
  | { unsubscribe: string[] }
  | { ping: number };

export type ServerFrame =
  | { topic: string; events: RunEvent[] }
  /** Not yet in the log: its events say them once more. */
  | { topic: string; words: LiveWords }
  | { topic: string; changes: Change[] }
  /** The cursor is older than the stored events: replace the state with this one and continue from its seq. */
  | { topic: string; snapshot: { seq: number; run: unknown; parts: unknown[] } }
  /** The end of a feed: for a tab with no cursor of its own (-1), or whose cursor is older than what is kept. `missed`: read the lists again. */
  | { topic: string; at: number; missed: boolean }
  | { topic: string; gone: true }
  | { pong: number };

/** How many topics a frame may name, and a socket may watch. */
export const liveTopicsMost = 200;

/** Rights changed or the session ended: sign in again. */
export const socketClosedSignedOut = 4001;
