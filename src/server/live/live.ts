import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { z } from "zod";
import type { Change, RunEvent } from "#contract/entities.ts";
import { limits, socketClosedSlowReader } from "#contract/limits.ts";
import {
  liveTopicsMost,
  type ServerFrame,
  type Subscription,
  socketClosedSignedOut,
} from "#contract/live.ts";
import type { LiveText } from "#contract/live-text.ts";
import { decide, hasNeededScope } from "#domain/people/policy.ts";
import type { LivePiece, TopicNews } from "#engine/hub.ts";
import { findScope } from "#store/people/scopes.ts";
import { feedEnds, listChanges } from "#store/runs/changes.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import { actorOf, credentialsOf, identify, type SignedIn } from "../auth/identify.ts";
import { readClientConnection } from "../client-connection.ts";
import type { ServerDeps } from "../deps.ts";
import { watchRights } from "../still-allowed.ts";
import { eventsPage, isEnd, shownEvent, snapshotAfter } from "./run-events.ts";
import { gatherTurnWrites } from "./turn-writes.ts";

export const livePath = "/api/v1/live";
export const liveFrameBytes = 64 * 1024;
/**
 * The most frames queued behind the current one: tabs send few, even when they reconnect with all
 * their topics.
 */
const maxFrames = 500;
const keepAliveMs = 30_000;
/**
 * The most text sent before the socket has flushed its buffer, well below its bound, so that only
 * readers that stop reading reach that.
 */
const pieceCharacters = 256 * 1024;
/** How long a closed reader may take to read the close frame. */
const closingMs = 10_000;
/** How long the socket may take to flush a piece of a replay: 256 KB at 70 kbit/s. */
const slowReaderMs = 30_000;

const clientFrame = z.union([
  z.strictObject({
    subscribe: z
      .array(
        z.strictObject({
          topic: z.string().regex(/^(run|project):[0-9a-f-]{36}$/),
          after: z.int().min(-1),
          agoMs: z.int().min(0).optional(),
        }),
      )
      .max(liveTopicsMost),
  }),
  z.strictObject({ unsubscribe: z.array(z.string().max(60)).max(liveTopicsMost) }),
  z.strictObject({ ping: z.number() }),
]);

type Topic = {
  kind: "run" | "project";
  id: string;
  cursor: number;
  /** When a reader without a cursor may have started to read the lists. */
  readSince: number;
  reading: boolean;
  again: boolean;
  /** As of the events read so far. */
  hasEnded: boolean;
  unsubscribe(): void;
};

const texts = new WeakMap<object, string>();
/** Serializes a frame for many sockets once. */
function writtenOnce(message: object, write: () => string): string {
  const text = texts.get(message) ?? write();
  texts.set(message, text);
  return text;
}

/** Serves a tab's single socket. It stores only cursors, and reads the event log from them. */
export function serveLive(
  ws: WebSocket,
  deps: ServerDeps,
  me: SignedIn,
  incoming: IncomingMessage,
  slowMs = slowReaderMs,
): void {
  const topics = new Map<string, Topic>();
  const actor = actorOf(me);
  const writes = gatherTurnWrites(incoming.socket);

  function closeSlow(): void {
    deps.log.info(
      { userId: actor.userId, bytes: ws.bufferedAmount },
      "a socket is closed, for its reader does not read",
    );
    ws.close(socketClosedSlowReader, "not reading");
    // A reader that has stopped reading doesn't answer a close frame either.
    setTimeout(() => ws.terminate(), closingMs).unref();
  }

  /**
   * Sends a frame. One that exceeds the bound, such as the snapshot of a very long answer, is sent
   * only when nothing else is queued.
   * @returns false when the reader was closed for not reading; it reconnects with its cursors
   */
  function sendText(text: string): boolean {
    if (ws.readyState !== ws.OPEN) return false;
    // Frames held back until the end of the turn don't show that the reader is slow.
    if (ws.bufferedAmount > pieceCharacters) writes.handOn();
    if (
      ws.bufferedAmount > 0 &&
      ws.bufferedAmount + Buffer.byteLength(text) > limits.socketBufferBytes
    ) {
      closeSlow();
      return false;
    }
    writes.gather();
    ws.send(text);
    return true;
  }
  const send = (frame: ServerFrame): boolean => sendText(JSON.stringify(frame));

  /**
   * Skips unstored words for a reader that is catching up or slow, because the log repeats them.
   */
  function sendLiveText(topic: Topic, name: string, chunks: readonly LivePiece[]): void {
    for (const words of chunks)
      if (isText(words) && !topic.reading && ws.bufferedAmount < pieceCharacters)
        sendText(
          writtenOnce(words, () => JSON.stringify({ topic: name, words } satisfies ServerFrame)),
        );
  }

  function onNews(topic: Topic, name: string, news: TopicNews): void {
    if (news.words) return void sendLiveText(topic, name, [news.words]);
    if (isOld(topic, news)) return;
    if (topic.reading) {
      topic.again = true;
      return;
    }
    const fresh = nextInLine(topic, news);
    if (!fresh) return void read(topic, name);
    const seen = fresh.filter(
      (entry) => !("userId" in entry) || entry.userId === null || entry.userId === actor.userId,
    );
    if (seen.length > 0) {
      const write = () =>
        JSON.stringify({
          topic: name,
          ...(topic.kind === "run"
            ? { events: (seen as RunEvent[]).map(shownEvent) }
            : { changes: (seen as FeedEntry[]).map(toChange) }),
        } satisfies ServerFrame);
      // Readers who may see all of it share one serialized frame.
      const text = seen.length === fresh.length ? writtenOnce(news, write) : write();
      // A large update is read from the rows, in pieces and at the reader's pace.
      if (text.length > pieceCharacters) return void read(topic, name);
      if (!sendText(text)) return;
    }
    topic.cursor = fresh.at(-1)!.seq;
  }

  /**
   * A new subscription of the same name, or lost rights, stop a read, because its events would
   * arrive twice or too late.
   */
  const isOpen = (topic: Topic, name: string): boolean =>
    ws.readyState === ws.OPEN && topics.get(name) === topic;

  async function read(topic: Topic, name: string): Promise<void> {
    topic.reading = true;
    try {
      do {
        topic.again = false;
        for (let more = true; more && isOpen(topic, name); )
          more = topic.kind === "run" ? await readRun(topic, name) : await readFeed(topic, name);
      } while (topic.again && isOpen(topic, name));
    } catch (error) {
      deps.log.warn({ error: String(error) }, "a socket could not be served; it will come again");
      ws.close(1011, "try again");
    } finally {
      topic.reading = false;
    }
    if (topic.kind !== "run" || topic.hasEnded || !isOpen(topic, name)) return;
    sendLiveText(topic, name, deps.hub.unwritten(topic.id));
  }

  async function readRun(topic: Topic, name: string): Promise<boolean> {
    const events = await listRunEvents(deps.store.read, topic.id, topic.cursor, eventsPage);
    // Consecutive events are complete. Pruned events leave gaps.
    const isWhole = events.length > 0 && events.at(-1)!.seq === topic.cursor + events.length;
    const snapshot = isWhole
      ? undefined
      : await snapshotAfter(deps.store.read, topic.id, topic.cursor);
    if (!isOpen(topic, name)) return false;
    if (snapshot) {
      if (send({ topic: name, snapshot })) topic.cursor = snapshot.seq;
      topic.hasEnded = true;
      return false;
    }
    topic.hasEnded = events.some(isEnd);
    for (const piece of inPieces(events.map(shownEvent))) {
      if (!isOpen(topic, name) || !send({ topic: name, events: piece })) return false;
      topic.cursor = piece.at(-1)!.seq;
      await drained(ws, slowMs, closeSlow);
    }
    return events.length === eventsPage;
  }

  async function readFeed(topic: Topic, name: string): Promise<boolean> {
    const ends = await feedEnds(deps.store.read, topic.id);
    if (!isOpen(topic, name)) return false;
    if (topic.cursor < 0 || topic.cursor < ends.oldest - 1) {
      const missed = topic.cursor >= 0 || ends.changedAt >= topic.readSince;
      if (send({ topic: name, at: ends.seq, missed })) topic.cursor = ends.seq;
      return false;
    }
    const changes = await listChanges(
      deps.store.read,
      topic.id,
      actor.userId,
      topic.cursor,
      eventsPage,
    );
    if (changes.length === 0) {
      topic.cursor = Math.max(topic.cursor, ends.seq);
      return false;
    }
    if (!isOpen(topic, name) || !send({ topic: name, changes: changes.map(toChange) }))
      return false;
    topic.cursor = changes.at(-1)!.seq;
    await drained(ws, slowMs, closeSlow);
    return changes.length === eventsPage;
  }

  async function subscribe({ topic: name, after, agoMs }: Subscription): Promise<void> {
    const readSince = agoMs === undefined ? Infinity : deps.clock.now() - agoMs;
    drop(name);
    const [kind, id] = name.split(":") as ["run" | "project", string];
    const verdict = decide(actor, "view", await findScope(deps.store.read, kind, id, actor.userId));
    if (verdict !== "allowed") return void send({ topic: name, gone: true });
    if (ws.readyState !== ws.OPEN) return;
    if (topics.size >= liveTopicsMost) return void send({ topic: name, gone: true });
    const topic: Topic = {
      kind,
      id,
      cursor: after,
      readSince,
      reading: false,
      again: false,
      hasEnded: false,
      unsubscribe: () => undefined,
    };
    topic.unsubscribe = deps.hub.subscribe(name, (news) => onNews(topic, name, news));
    topics.set(name, topic);
    void read(topic, name);
  }

  function drop(name: string): void {
    topics.get(name)?.unsubscribe();
    topics.delete(name);
  }

  async function recheck(): Promise<void> {
    const line = readClientConnection(incoming, deps.settings);
    const still = await identify(deps, {
      headers: credentialsOf(incoming),
      encrypted: line.encrypted,
    });
    if (!still || still.user.id !== actor.userId || !hasNeededScope(actorOf(still), ["runs:read"]))
      return ws.close(socketClosedSignedOut, "signed out");
    for (const [name, topic] of topics) {
      const verdict = decide(
        actorOf(still),
        "view",
        await findScope(deps.store.read, topic.kind, topic.id, actor.userId),
      );
      if (verdict === "allowed") continue;
      drop(name);
      send({ topic: name, gone: true });
    }
  }

  const recheckSafely = (): void =>
    void recheck().catch((error) =>
      deps.log.warn({ error: String(error) }, "could not check a socket's rights"),
    );
  const endWatch = watchRights(deps, actor, recheckSafely);
  /**
   * Frames are handled in sequence: an `unsubscribe` that overtook its `subscribe` would leave a
   * subscription forever.
   */
  let frames = Promise.resolve();
  let waiting = 0;
  async function answer(
    frame: { subscribe: Subscription[] } | { unsubscribe: string[] },
  ): Promise<void> {
    if ("unsubscribe" in frame) return frame.unsubscribe.forEach(drop);
    // A topic named twice in one frame counts once, with its last cursor.
    const wanted = new Map(frame.subscribe.map((one) => [one.topic, one]));
    await Promise.all([...wanted.values()].map(subscribe)).catch((error) => {
      deps.log.warn({ error: String(error) }, "could not subscribe; the tab comes again");
      ws.close(1011, "try again");
    });
  }
  let alive = true;
  const pinging = setInterval(() => {
    if (!alive) return ws.terminate();
    alive = false;
    ws.ping();
  }, keepAliveMs);
  ws.on("pong", () => {
    alive = true;
  });
  ws.on("message", (data) => {
    const frame = parseFrame(String(data));
    if (!frame) return ws.close(1008, "not understood");
    if ("ping" in frame) return void send({ pong: frame.ping });
    waiting += 1;
    if (waiting > maxFrames) return ws.close(1008, "too many at once");
    frames = frames
      .then(() => answer(frame))
      .finally(() => {
        waiting -= 1;
      });
  });
  ws.on("error", () => ws.terminate());
  ws.on("close", () => {
    clearInterval(pinging);
    endWatch();
    for (const name of [...topics.keys()]) drop(name);
  });
}

/** A tab shows a tool call when it is whole. */
const isText = (piece: LivePiece): piece is LiveText => piece.type !== "arguments-delta";

type FeedEntry = Change & { userId: string | null };
const toChange = ({ seq, kind, id, messageIds, at }: FeedEntry): Change => ({
  seq,
  kind,
  id,
  ...(messageIds && { messageIds }),
  at,
});

/**
 * Returns the committed events if they follow the cursor without a gap; otherwise the rows must be
 * read.
 */
function nextInLine(topic: Topic, news: TopicNews): (RunEvent | FeedEntry)[] | undefined {
  const entries = topic.kind === "run" ? news.events : news.changes;
  return entries?.[0]?.seq === topic.cursor + 1 ? entries : undefined;
}

/** Whether the rows were read already: another server's notice arrives later than they do. */
function isOld(topic: Topic, news: TopicNews): boolean {
  const last = (topic.kind === "run" ? news.events : news.changes)?.at(-1);
  return last !== undefined && last.seq <= topic.cursor;
}

function parseFrame(text: string): z.infer<typeof clientFrame> | undefined {
  try {
    return clientFrame.parse(JSON.parse(text));
  } catch {
    // Our client never sends such a frame: the caller closes the socket.
    return undefined;
  }
}

/** Splits events into groups of a bounded size, with at least one in each. */
function inPieces(events: readonly RunEvent[]): RunEvent[][] {
  const pieces: RunEvent[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const event of events) {
    const size = JSON.stringify(event.payload).length;
    if (characters + size > pieceCharacters) {
      pieces.push([]);
      characters = 0;
    }
    pieces.at(-1)!.push(event);
    characters += size;
  }
  return pieces;
}

/** Resolves when the socket has flushed its buffer, or is gone. */
function drained(ws: WebSocket, slowMs: number, onSlow: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (ws.bufferedAmount === 0 || ws.readyState !== ws.OPEN) return resolve();
    const slow = setTimeout(onSlow, slowMs);
    const done = (): void => {
      clearTimeout(slow);
      ws.off("close", done);
      resolve();
    };
    ws.once("close", done);
    ws.ping(undefined, undefined, done);
  });
}
