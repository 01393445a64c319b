import type { Bench, Peer } from "../bench.ts";
import { openOwnDoor, openPeerDoor } from "../doors.ts";
import {
  atLeast,
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { askForAWhile, askSteadily } from "../load.ts";
import { startRelay } from "../provider.ts";
import { memoryOf } from "../server.ts";
import { type Ask, askDirectly, askOpenAi } from "../streams.ts";
import { openStudio, type Studio } from "../studio.ts";

const rounds = 3;
/** 50 ms to the first word, 20 ms between words, 50 words. */
const paced = { tokens: 50, firstTokenMs: 50, betweenMs: 20, stamped: true };
const pacedMs = paced.firstTokenMs + paced.tokens * paced.betweenMs;
/** The counted answers of each asker in one round. */
const answersEach = new Map([
  [1, 6],
  [50, 2],
  [200, 2],
]);
const unpaced = { tokens: 64, firstTokenMs: 0, betweenMs: 0 };
const forMs = 5_000;

/** The paths to an answer, measured one at a time; each creates an asker. */
type Ways = { direct(): Ask; relay(): Ask; bottega(): Ask; peer(): Ask };
const names = ["direct", "relay", "bottega", "peer"] as const;
type Name = (typeof names)[number];

async function openWays(bench: Bench, studio: Studio, peer: Peer): Promise<Ways> {
  const relay = await startRelay(bench.cores, studio.providerUrl);
  bench.onEnd(relay.stop);
  const bottega = await openOwnDoor(studio);
  const plain = { agent: studio.session.agent, model: studio.model.modelId };
  return {
    direct: () => askDirectly(studio),
    relay: () => askOpenAi({ ...plain, url: relay.url }),
    bottega,
    peer: openPeerDoor(studio, peer),
  };
}

const median = (samples: readonly number[]): number => percentile(samples, 0.5);

async function measurePaced(ways: Ways): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [atOnce, each] of answersEach) {
    const first = lists();
    const delay = lists();
    for (let turn = 0; turn < rounds; turn++)
      for (const name of names) {
        const asks = Array.from({ length: atOnce }, ways[name]);
        const timings = await askSteadily(asks, { rounds: each, streamMs: pacedMs });
        first[name].push(median(timings.map(({ firstMs }) => firstMs)));
        delay[name].push(median(timings.flatMap(({ delaysMs }) => delaysMs)));
      }
    const addedBy = (name: Name): number => median(first[name]) - median(first.direct);
    const delayOf = (name: Name): number => median(delay[name]);
    const at = `${atOnce} stream${atOnce === 1 ? "" : "s"} at once`;
    const late = `a word's delay above the bare relay's, p50, ${at}`;
    const delays = `direct, relay, this, the peer: ${names.map((name) => delayOf(name).toFixed(1)).join(", ")} ms`;
    figures.push(
      atMost(
        `added to the first word, p50, ${at}`,
        addedBy("bottega"),
        addedBy("peer") / 2,
        "ms",
        `half of the peer's; the relay adds ${round(addedBy("relay"))} ms`,
      ),
      atMost(
        late,
        delayOf("bottega") - delayOf("relay"),
        atOnce === 200 ? delayOf("peer") - delayOf("relay") : 2,
        "ms",
        delays,
      ),
    );
  }
  return figures;
}

async function measureUnpaced(studio: Studio, ways: Ways, peer: Peer): Promise<Figure[]> {
  const figures: Figure[] = [];
  const most = { bottega: 0, peer: 0 };
  for (const atOnce of [50, 200]) {
    const perSecond = lists();
    let cpuMs: number[] = [];
    for (let turn = 0; turn < rounds; turn++)
      for (const name of names) {
        const before = studio.server.coreTime();
        const asks = Array.from({ length: atOnce }, ways[name]);
        const finished = await askForAWhile(asks, forMs);
        perSecond[name].push(finished.perSecond);
        if (name === "bottega")
          cpuMs = [...cpuMs, (studio.server.coreTime().ranMs - before.ranMs) / finished.count];
        if (name === "bottega") most.bottega = Math.max(most.bottega, studio.server.memoryMb().now);
        if (name === "peer" && peer.pid) most.peer = Math.max(most.peer, memoryOf(peer.pid).now);
      }
    figures.push(
      atLeast(
        `streams of 64 chunks finished a second, ${atOnce} at once`,
        median(perSecond.bottega),
        median(perSecond.peer),
        "/s",
        `the peer's; the relay ${round(median(perSecond.relay))}, directly ${round(median(perSecond.direct))}`,
      ),
      beside(
        "  of a core for each",
        `${median(cpuMs).toFixed(2)} ms`,
        "the server's main thread, warming up included",
      ),
    );
  }
  const what = "memory after such a load (RSS)";
  figures.push(
    most.peer > 0
      ? atMost(what, most.bottega, 1.3 * most.peer, "MB", "1.3 times the peer's")
      : notMeasured(what, "1.3 times the peer's", "without --beside-pid"),
  );
  return figures;
}

const lists = (): Record<Name, number[]> => ({ direct: [], relay: [], bottega: [], peer: [] });

async function measure(bench: Bench): Promise<Figure[]> {
  const { peer } = bench;
  if (!peer) return [notMeasured(what, "", "no other gateway was named with --beside")];
  if (peer.pid) bench.cores.putOnServerCore(peer.pid);
  const figures: Figure[] = [];
  for (const provider of [paced, unpaced]) {
    const studio = await openStudio(bench, { provider });
    try {
      const ways = await openWays(bench, studio, peer);
      figures.push(
        ...(provider === paced
          ? await measurePaced(ways)
          : await measureUnpaced(studio, ways, peer)),
      );
    } finally {
      await studio.stop();
    }
  }
  return figures;
}

const what = "answers through /v1 compared with another gateway, alternating";

export const besidePeer: Row<Bench> = { name: "beside-peer", what, measure };
