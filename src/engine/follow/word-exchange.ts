import { limits } from "#contract/limits.ts";
import { cutWords, type LiveWords } from "#contract/live-words.ts";
import type { Hint } from "#store/database/store.ts";
import { runHint } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";

/** What goes from server to server: words of a run, that someone watches it, that no one does any more. */
const topics = { words: "words:", ask: "ask:", leave: "leave:" } as const;

/** A hint with so many characters fits into a notice, even where each is six bytes of JSON. */
const pieceCharacters = 1_000;
/** More than this for one server in one notice is left to the log. */
const charactersMost = 128 * 1024;
/** Who asked for a run that no one has begun to answer is remembered for so long; they ask again when its words reach the log. */
const askedMs = 60_000;
/** Words that are written while none were heard for so long: nobody tells them to this server. */
const unheardMs = limits.wordsCheckpointMs;

export type WordExchange = {
  /** @returns false for a hint that is to be passed on */
  hear(hint: Hint, serverId: string): boolean;
  stop(): void;
};

type Saying = LiveWords & { runId: string };

/**
 * Words between the servers of a database, before they are written. Who watches a run that is answered elsewhere makes their server ask
 * for it; the server that answers it sends what is unwritten, then its words as they come: one notice a server each 100 ms. Nothing
 * here is kept: lost words are a gap, which the reader sees by the offsets and the log fills.
 */
export function createWordExchange({
  hub,
  store,
  clock,
  log,
}: Pick<EngineDeps, "hub" | "store" | "clock" | "log">): WordExchange {
  /** Servers that watch a run, and since when they were last added to. */
  const askers = new Map<string, { servers: Set<string>; at: number }>();
  /** When words of a run were last heard from elsewhere. */
  const heardAt = new Map<string, number>();
  const asking = new Set<string>();
  const saying = new Map<string, { words: Saying[]; characters: number }>();
  /** To servers whose words no one watches here any more; sent before `asking`, for someone may have come again. */
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
      ...[...saying].flatMap(([serverId, { words }]) =>
        words.flatMap((said) => toHints(said, serverId)),
      ),
    ];
    asking.clear();
    saying.clear();
    await store
      .notify(store.db, hints)
      .catch((error) =>
        log.warn({ error: String(error) }, "could not tell the other servers of words"),
      );
    sending = false;
    if (asking.size + saying.size + leaving.length > 0) sendSoon();
  }

  function sayTo(serverId: string, runId: string, words: LiveWords): void {
    const waiting = saying.get(serverId) ?? { words: [], characters: 0 };
    waiting.characters += words.text.length;
    if (waiting.characters > charactersMost) return;
    const last = waiting.words.findLast((said) => said.runId === runId && said.type === words.type);
    if (last?.attempt === words.attempt && last.offset + last.text.length === words.offset) {
      last.text += words.text;
      if (words.reasonedMs !== undefined) last.reasonedMs = words.reasonedMs;
    } else waiting.words.push({ runId, ...words });
    saying.set(serverId, waiting);
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
    for (const words of hub.unwrittenHere(runId) ?? []) sayTo(serverId, runId, words);
  }

  function hearWords(runId: string, words: LiveWords, serverId: string): void {
    if (!hub.isWatched(runHint(runId))) {
      heardAt.delete(runId);
      leaving.push({ topic: `${topics.leave}${runId}`, serverId });
      sendSoon();
      return;
    }
    heardAt.set(runId, clock.monotonic());
    hub.hint(runHint(runId), { words });
  }

  /** Words came to the log of a run that is watched here, and nobody tells them: its server has not heard that it is asked for. */
  function askIfUnheard(runId: string): void {
    const since = clock.monotonic() - unheardMs;
    for (const [known, at] of heardAt) if (at < since) heardAt.delete(known);
    if (hub.isWatched(runHint(runId)) && !heardAt.has(runId)) ask(runId);
  }

  const endWatch = hub.onWords({
    said(runId, words) {
      for (const serverId of askers.get(runId)?.servers ?? []) sayTo(serverId, runId, words);
    },
    asked: ask,
  });
  return {
    hear({ topic, detail = "" }, serverId) {
      const runId = topic.slice(topic.indexOf(":") + 1);
      if (topic.startsWith(topics.words))
        hearWords(runId, JSON.parse(detail) as LiveWords, serverId);
      else if (topic.startsWith(topics.ask)) addAsker(runId, serverId);
      else if (topic.startsWith(topics.leave)) askers.get(runId)?.servers.delete(serverId);
      else {
        if (topic === runHint(runId) && /"type":"(text|reasoning)-delta"/.test(detail))
          askIfUnheard(runId);
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

const toHints = ({ runId, ...words }: Saying, serverId: string): Hint[] =>
  cutWords(words, pieceCharacters).map((piece) => ({
    serverId,
    topic: `${topics.words}${runId}`,
    detail: JSON.stringify({ ...words, ...piece }),
  }));
