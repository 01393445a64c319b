import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { openOwnDoor, openPeerDoor } from "../doors.ts";
import {
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { openProbe, type Probe } from "../probes/probe.ts";
import { memoryOf } from "../server.ts";
import { type Ask, askOverSocket } from "../streams.ts";
import { openStudio, type Studio } from "../studio.ts";

const atOnce = 50;
const provider = { tokens: 200, firstTokenMs: 50, betweenMs: 20 };
const answerMs = provider.firstTokenMs + provider.tokens * provider.betweenMs;
const minuteMs = 60_000;
const sampleMs = 1_000;
/** Caches fill until the second minute is over. */
const fromMinute = 2;
const toMinute = 10;
const growthMostPercent = 5;
const peerTimes = 1.3;

/** Half of them over sockets, like browsers, half through `/v1`. */
async function openAskers(studio: Studio): Promise<Ask[]> {
  const ownDoor = await openOwnDoor(studio);
  const half = atOnce / 2;
  return [
    ...Array.from({ length: half }, ownDoor),
    ...(await Promise.all(Array.from({ length: half }, () => askOverSocket(studio)))),
  ];
}

/** Each asks again when its answer has ended, until the work is over. */
async function askUntilOver(
  asks: readonly (() => Promise<unknown>)[],
  isOver: () => boolean,
): Promise<number> {
  let count = 0;
  await Promise.all(
    asks.map(async (ask, i) => {
      await sleep((i / asks.length) * answerMs);
      while (!isOver()) {
        await ask();
        count++;
      }
    }),
  );
  return count;
}

/**
 * `rssMb` is the median of its seconds. The heap and the buffers outside of it are measured after a
 * collection at its end.
 */
type Minute = { rssMb: number; heapMb: number; outsideMb: number };

async function watch(studio: Studio, probe: Probe, minutes: number): Promise<Minute[]> {
  const seen: Minute[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const samples: number[] = [];
    for (let ms = 0; ms < minuteMs; ms += sampleMs) {
      await sleep(sampleMs);
      samples.push(studio.server.memoryMb().now);
    }
    const left = JSON.parse(await probe.ask(studio.server)) as Omit<Minute, "rssMb">;
    seen.push({ rssMb: percentile(samples, 0.5), ...left });
  }
  return seen;
}

async function measure(bench: Bench): Promise<Figure[]> {
  if (!bench.long) return [notMeasured(what, "", "it takes --long")];
  const { minutes, peer } = bench;
  const probe = openProbe(bench, "memory.mjs");
  const studio = await openStudio(bench, {
    provider,
    nodeArgs: [probe.nodeArg],
    conversationsEach: Math.ceil(((minutes + 1) * minuteMs) / answerMs) + 2,
  });
  let isOver = false;
  try {
    const asking = [askUntilOver(await openAskers(studio), () => isOver)];
    if (peer) {
      // A request may fail if a kept-alive connection was closed meanwhile, which doesn't affect
      // memory.
      const asks = Array.from({ length: atOnce }, openPeerDoor(studio, peer)).map(
        (ask) => () => ask().catch(() => sleep(sampleMs)),
      );
      asking.push(askUntilOver(asks, () => isOver));
    }
    const [seen] = await Promise.race([
      Promise.all([watch(studio, probe, minutes)]),
      Promise.all(asking).then(() => Promise.reject(new Error("the load ended by itself"))),
    ]);
    const peerMost = peer?.pid ? memoryOf(peer.pid).most : Number.NaN;
    const most = studio.server.memoryMb().most;
    isOver = true;
    const [answers = 0] = await Promise.all(asking);
    return figuresOf(seen, { most, peerMost, answers });
  } finally {
    isOver = true;
    await studio.stop();
  }
}

function figuresOf(
  minutes: readonly Minute[],
  { most, peerMost, answers }: { most: number; peerMost: number; answers: number },
): Figure[] {
  const last = Math.min(toMinute, minutes.length);
  const growth = (of: "rssMb" | "heapMb"): number =>
    (minutes[last - 1]![of] / minutes[Math.min(fromMinute, last) - 1]![of] - 1) * 100;
  const whatMost = "  most RSS";
  return [
    atMost(
      `${atOnce} streams: RSS more in minute ${last} than in minute ${fromMinute}`,
      growth("rssMb"),
      growthMostPercent,
      "%",
      `heap after a collection ${round(growth("heapMb"))} %; ${answers} answers`,
    ),
    Number.isNaN(peerMost)
      ? beside(
          whatMost,
          `${round(most)} MB`,
          "without --beside-pid there is nothing to compare it with",
        )
      : atMost(
          whatMost,
          most,
          peerTimes * peerMost,
          "MB",
          `${peerTimes} times the peer's ${round(peerMost)} MB`,
        ),
    ...minutes.map(({ rssMb, heapMb, outsideMb }, i) =>
      beside(
        `  minute ${i + 1}: RSS, median of its seconds`,
        `${round(rssMb)} MB`,
        `after a collection: heap ${round(heapMb)}, outside ${round(outsideMb)} MB`,
      ),
    ),
  ];
}

const what = `memory of ${atOnce} streams over minutes`;

export const memory: Row<Bench> = { name: "memory", what: `${what} (--long, --minutes)`, measure };
