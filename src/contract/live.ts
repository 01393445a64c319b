import type { Change, RunEvent } from "./entities.ts";
import type { LiveText } from "./live-text.ts";

/**
 * A topic is `run:<id>` or `project:<id>`. `after` is the last seq that the tab has seen. With -1
 * for a feed, `agoMs` is how long ago the tab may have begun to read its lists: later changes count
 * as `missed`.
 */
export type Subscription = { topic: string; after: number; agoMs?: number };

/** Frames of a tab's only socket, as JSON. */
export type ClientFrame =
  | { subscribe: Subscription[] }
  | { unsubscribe: string[] }
  | { ping: number };

export type ServerFrame =
  | { topic: string; events: RunEvent[] }
  /** Text that isn't in the log yet; the log's events repeat it. */
  | { topic: string; words: LiveText }
  | { topic: string; changes: Change[] }
  /**
   * The cursor is older than the stored events: replace the state with this one and continue from
   * its seq.
   */
  | { topic: string; snapshot: { seq: number; run: unknown; parts: unknown[] } }
  /**
   * The end of a feed, for a tab without a cursor (-1) or with one older than the stored changes.
   * `missed`: read the lists again.
   */
  | { topic: string; at: number; missed: boolean }
  | { topic: string; gone: true }
  | { pong: number };

/** The most topics in a frame, and of a socket. */
export const liveTopicsMost = 200;

/** Rights changed or the session ended: sign in again. */
export const socketClosedSignedOut = 4001;
