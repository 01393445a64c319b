import { limits } from "#contract/limits.ts";
import { cutPiece } from "#contract/live-text.ts";
import type { Hint } from "#store/database/store.ts";
import { runHint } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import type { LivePiece } from "../hub.ts";

/**
 * Messages between servers: text of a run, the start of watching it, and the end of watching it.
 */
const topics = { words: "words:", ask: "ask:", leave: "leave:" } as const;

/**
 * The length of text that fits into a notification even if each character takes six bytes of JSON.
 */
const pieceCharacters = 1_000;
/** The most text for one server in one notification; the rest arrives through the log. */
const maxCharacters = 128 * 1024;
/**
 * How long a request for a run that isn't being answered yet is remembered. Servers repeat it when
 * the run's text reaches the log.
 */
const askedMs = 60_000;
/**
 * How long a watched run may write text without publishing it here before this server asks for it
 * again.
 */
const unheardMs = limits.wordsCheckpointMs;

export type LiveTextRelay = {
  /** @returns false for a notification to pass on */
  receive(hint: Hint, serverId: string): boolean;
  stop(): void;
};

type RunText = LivePiece & { runId: string };

/**
 * Publishes unwritten text between the servers of a database. A server where someone watches a run
 * of another server asks for the run's text; the other server sends the unwritten text, then new
 * text, in one notification per server every 100 ms. Nothing is stored: lost text is a gap that the
 * reader sees by the offsets and fills from the log.
 */
export function createLiveTextRelay({
  hub,
  store,
  clock,
  log,
}: Pick<EngineDeps, "hub" | "store" | "clock" | "log">): LiveTextRelay {
  /** The servers that watch each run, and when one last joined. */
  const askers = new Map<string, { servers: Set<string>; at: number }>();
  /** When text of each run last arrived from another server. */
  const heardAt = new Map<string, number>();
  const asking = new Set<string>();
  const outgoing = new Map<string, { words: RunText[]; characters: number }>();
  /**
   * Notifications to servers whose text isn't watched here anymore. They are sent before `asking`,
   * because someone may have come back.
   */
  const leaving: Hint[] = [];
  let sentAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let sending = false;

  function sendSoon(): void {
    if (timer || sending) return;
    const waitMs = sentAt + limits.eventPauseMs - clock.monotonic();
    timer = setTimeout(() => void send(), Math.max(0, waitMs));
  }

  async function send(): Promise<void> {
    timer = undefined;
    sending = true;
    sentAt = clock.monotonic();
    const hints = [
      ...leaving.splice(0),
      ...[...asking].map((runId) => ({ topic: `${topics.ask}${runId}` })),
      ...[...outgoing].flatMap(([serverId, { words }]) =>
        words.flatMap((chunk) => toHints(chunk, serverId)),
      ),
    ];
    asking.clear();
    outgoing.clear();
    await store
      .notify(store.db, hints)
      .catch((error) =>
        log.warn({ error: String(error) }, "could not tell the other servers of words"),
      );
    sending = false;
    if (asking.size + outgoing.size + leaving.length > 0) sendSoon();
  }

  function queueText(serverId: string, runId: string, words: LivePiece): void {
    const waiting = outgoing.get(serverId) ?? { words: [], characters: 0 };
    waiting.characters += words.text.length;
    if (waiting.characters > maxCharacters) return;
    const last = waiting.words.findLast((chunk) => chunk.runId === runId && isSame(chunk, words));
    if (last?.attempt === words.attempt && last.offset + last.text.length === words.offset) {
      const { text } = last;
      Object.assign(last, words, { offset: last.offset, text: text + words.text });
    } else waiting.words.push({ runId, ...words });
    outgoing.set(serverId, waiting);
    sendSoon();
  }

  function ask(runId: string): void {
    asking.add(runId);
    sendSoon();
  }

  function addAsker(runId: string, serverId: string): void {
    const now = clock.monotonic();
    for (const [known, { at }] of askers)
      if (now - at > askedMs && !hub.unwrittenHere(known)) askers.delete(known);
    const { servers } = askers.get(runId) ?? { servers: new Set<string>() };
    askers.set(runId, { servers: servers.add(serverId), at: now });
    for (const words of hub.unwrittenHere(runId) ?? []) queueText(serverId, runId, words);
  }

  function receiveText(runId: string, words: LivePiece, serverId: string): void {
    if (!hub.isWatched(runHint(runId))) {
      heardAt.delete(runId);
      leaving.push({ topic: `${topics.leave}${runId}`, serverId });
      sendSoon();
      return;
    }
    heardAt.set(runId, clock.monotonic());
    hub.hint(runHint(runId), { words });
  }

  /**
   * Asks again for a watched run whose text reaches the log without being published, because its
   * server missed the request.
   */
  function askIfSilent(runId: string): void {
    const since = clock.monotonic() - unheardMs;
    for (const [known, at] of heardAt) if (at < since) heardAt.delete(known);
    if (hub.isWatched(runHint(runId)) && !heardAt.has(runId)) ask(runId);
  }

  const endWatch = hub.onWords({
    onText(runId, words) {
      for (const serverId of askers.get(runId)?.servers ?? []) queueText(serverId, runId, words);
    },
    onTextRequest: ask,
  });
  return {
    receive({ topic, detail = "" }, serverId) {
      const runId = topic.slice(topic.indexOf(":") + 1);
      if (topic.startsWith(topics.words))
        receiveText(runId, JSON.parse(detail) as LivePiece, serverId);
      else if (topic.startsWith(topics.ask)) addAsker(runId, serverId);
      else if (topic.startsWith(topics.leave)) askers.get(runId)?.servers.delete(serverId);
      else {
        if (topic === runHint(runId) && /"type":"(text|reasoning)-delta"/.test(detail))
          askIfSilent(runId);
        return false;
      }
      return true;
    },
    stop() {
      endWatch();
      clearTimeout(timer);
    },
  };
}

/** Whether one piece may follow the other: of the same call, or text of the same place. */
const isSame = (said: LivePiece, words: LivePiece): boolean =>
  said.type === "arguments-delta"
    ? words.type === said.type && words.call === said.call
    : words.type === said.type && words.afterCall === said.afterCall;

const toHints = ({ runId, ...words }: RunText, serverId: string): Hint[] =>
  cutPiece(words, pieceCharacters).map((piece) => ({
    serverId,
    topic: `${topics.words}${runId}`,
    detail: JSON.stringify(piece),
  }));
