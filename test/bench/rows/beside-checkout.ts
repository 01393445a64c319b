import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bench } from "../bench.ts";
import {
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { askForAWhile } from "../load.ts";
import { askOverSocket } from "../streams.ts";
import { openStudio, peopleCount } from "../studio.ts";

const rounds = 3;
const atOnce = 50;
const provider = { tokens: 64, firstTokenMs: 0, betweenMs: 0 };
const forMs = 5_000;
/** More than can be asked in the time, including the warm-up. */
const maxConversations = 12_000;
const maxTimes = 0.5;
const what = "main-thread CPU of an answer of 64 chunks, compared with another checkout";

/**
 * The parts of a bench that this row needs from each checkout, because a server's setup and
 * requests change with it.
 */
type Parts = {
  openStudio: typeof openStudio;
  askOverSocket: (studio: never) => ReturnType<typeof askOverSocket>;
  askForAWhile: typeof askForAWhile;
};

async function partsOf(checkout: string): Promise<Parts> {
  const load = (file: string): Promise<Partial<Parts>> =>
    import(pathToFileURL(join(checkout, "test", "bench", file)).href);
  return Object.assign(
    {},
    ...(await Promise.all(["studio.ts", "streams.ts", "load.ts"].map(load))),
  );
}

/**
 * One round with a fresh server: an idle server next to another costs nothing, but its data would
 * grow.
 */
async function measureOnce(bench: Bench, parts: Parts): Promise<number> {
  const studio = await parts.openStudio(bench, {
    provider,
    conversationsEach: Math.ceil(maxConversations / peopleCount),
    // The option's name from when a studio had one person.
    ...({ conversations: maxConversations } as object),
  });
  try {
    const asks = await Promise.all(
      Array.from({ length: atOnce }, () => parts.askOverSocket(studio as never)),
    );
    const before = studio.server.coreTime().ranMs;
    const { count } = await parts.askForAWhile(asks, bench.long ? 4 * forMs : forMs);
    return (studio.server.coreTime().ranMs - before) / count;
  } finally {
    await studio.stop();
  }
}

async function measure(bench: Bench): Promise<Figure[]> {
  const { other } = bench;
  if (!other) return [notMeasured(what, "", "no other checkout was named with --other")];
  if (!existsSync(join(other, "dist", "main.js")))
    return [notMeasured(what, "", `${other} is not built: run its scripts/build.mjs`)];
  const theirs = await partsOf(other);
  const own: Parts = { openStudio, askOverSocket: (studio) => askOverSocket(studio), askForAWhile };
  const took = { own: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    took.theirs.push(await measureOnce(bench, theirs));
    took.own.push(await measureOnce(bench, own));
  }
  const [ours, before] = [percentile(took.own, 0.5), percentile(took.theirs, 0.5)];
  const all = (samples: readonly number[]): string => samples.map((ms) => ms.toFixed(2)).join(", ");
  return [
    {
      ...atMost(`${what}, ${atOnce} at once`, ours / before, maxTimes, "times"),
      value: `${(ours / before).toFixed(2)} times`,
    },
    beside("  this checkout, median of three", `${round(ours)} ms`, all(took.own)),
    beside("  the other", `${round(before)} ms`, all(took.theirs)),
  ];
}

export const besideCheckout: Row<Bench> = { name: "beside-checkout", what, measure };
