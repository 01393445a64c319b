import {
  type ClientFrame,
  liveTopicsMost,
  type ServerFrame,
  type Subscription,
  socketClosedSignedOut,
} from "#contract/live.ts";
import { leaveIfSignedOut } from "../client.ts";

type Frame = Extract<ServerFrame, { topic: string }>;
export type TopicListener = (frame: Frame) => void;
type Watch = { cursor: number; since: number; listeners: Set<TopicListener> };

/**
 * Allows for a query that is sent before its watch starts, for changes dated at their unit's start,
 * and for clock differences.
 */
const slackMs = 2_000;
const subscriptionOf = (topic: string, { cursor, since }: Watch): Subscription => ({
  topic,
  after: cursor,
  ...(cursor < 0 && { agoMs: Math.round(performance.now() - since) + slackMs }),
});

const waitMs = { first: 300, longest: 10_000 };
const path = "/api/v1/live";

/**
 * This tab's only socket. Every watched topic has a cursor. After sleep, a lost connection or a
 * server restart, the socket reconnects and resumes from the cursors, so that nothing is shown
 * twice or missed.
 */
export function createLive() {
  const watches = new Map<string, Watch>();
  const statusListeners = new Set<() => void>();
  let socket: WebSocket | undefined;
  let timer: number | undefined;
  let tries = 0;
  let isDown = false;
  let ended = false;

  function setDown(down: boolean): void {
    if (isDown === down) return;
    isDown = down;
    for (const listener of statusListeners) listener();
  }

  function send(frame: ClientFrame): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  }

  function open(): void {
    if (ended || socket) return;
    const fresh = new WebSocket(
      `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}${path}`,
    );
    socket = fresh;
    fresh.onopen = () => {
      tries = 0;
      setDown(false);
      const topics = [...watches].map(([topic, watch]) => subscriptionOf(topic, watch));
      // The server refuses a frame with more topics.
      for (let at = 0; at < topics.length; at += liveTopicsMost)
        send({ subscribe: topics.slice(at, at + liveTopicsMost) });
    };
    fresh.onmessage = (message) => take(JSON.parse(String(message.data)) as ServerFrame);
    fresh.onclose = (close) => {
      // Another socket has replaced this one.
      if (socket !== fresh) return;
      socket = undefined;
      if (close.code === socketClosedSignedOut) {
        timer = window.setTimeout(
          () => void leaveIfSignedOut().then((isLeaving) => isLeaving || comeBack()),
          waitMs.first,
        );
        return;
      }
      // A connection that recovers immediately, as after a restart or sleep, isn't reported.
      if (tries >= 1 || !navigator.onLine) setDown(true);
      const delayMs = Math.min(waitMs.first * 2 ** tries++, waitMs.longest);
      if (!ended && watches.size > 0) timer = window.setTimeout(open, delayMs);
    };
  }

  function take(frame: ServerFrame): void {
    if (!("topic" in frame)) return;
    const watch = watches.get(frame.topic);
    if (!watch) return;
    const fresh = trim(frame, watch.cursor);
    if (!fresh) return;
    watch.cursor = endOf(fresh, watch.cursor);
    for (const listener of watch.listeners) listener(fresh);
  }

  const comeBack = (): void => {
    if (socket || ended || watches.size === 0) return;
    window.clearTimeout(timer);
    open();
  };
  /**
   * Reconnects when the network appears or disappears. A socket can look open for minutes without a
   * network, and a server on this machine needs no network; a new socket shows immediately which is
   * true.
   */
  const openAnew = (): void => {
    const old = socket;
    socket = undefined;
    old?.close();
    comeBack();
  };
  window.addEventListener("offline", openAnew);
  window.addEventListener("online", openAnew);
  document.addEventListener("visibilitychange", comeBack);

  return {
    /**
     * Watches a topic from a cursor; -1 means from now on, and a feed then reports whether anything
     * changed since this call. A second watcher of a topic must read the earlier part itself.
     */
    watch(topic: string, after: number, listener: TopicListener): () => void {
      const known = watches.get(topic);
      const watch = known ?? { cursor: after, since: performance.now(), listeners: new Set() };
      watch.listeners.add(listener);
      if (!known) {
        watches.set(topic, watch);
        send({ subscribe: [subscriptionOf(topic, watch)] });
        open();
      }
      return () => {
        watch.listeners.delete(listener);
        if (watch.listeners.size > 0 || watches.get(topic) !== watch) return;
        watches.delete(topic);
        send({ unsubscribe: [topic] });
      };
    },
    status: {
      subscribe(listener: () => void): () => void {
        statusListeners.add(listener);
        return () => void statusListeners.delete(listener);
      },
      isDown: () => isDown,
    },
    /** Ends the connection for good after a sign-out. */
    end(): void {
      ended = true;
      window.clearTimeout(timer);
      socket?.close();
    },
  };
}
export type Live = ReturnType<typeof createLive>;

/** Removes the part of a frame that the cursor has passed; undefined if nothing remains. */
function trim(frame: Frame, cursor: number): Frame | undefined {
  if ("events" in frame) {
    const events = frame.events.filter((event) => event.seq > cursor);
    return events.length > 0 ? { ...frame, events } : undefined;
  }
  if ("changes" in frame) {
    const changes = frame.changes.filter((change) => change.seq > cursor);
    return changes.length > 0 ? { ...frame, changes } : undefined;
  }
  return frame;
}

function endOf(frame: Frame, cursor: number): number {
  if ("events" in frame) return frame.events.at(-1)?.seq ?? cursor;
  if ("changes" in frame) return frame.changes.at(-1)?.seq ?? cursor;
  if ("snapshot" in frame) return frame.snapshot.seq;
  return "at" in frame ? frame.at : cursor;
}

let shared: Live | undefined;
/** The tab's socket, opened at the first watch. */
export const live = (): Live => {
  shared ??= createLive();
  return shared;
};
