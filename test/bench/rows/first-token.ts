import type { Bench } from "../bench.ts";
import { atMost, beside, contention, type Figure, p50p99, type Row, round } from "../figures.ts";
import { added, askSteadily, firstTokenOf, type Percentiles } from "../load.ts";
import { askDirectly, askOverEventStream, askOverSocket } from "../streams.ts";
import { openStudio, peopleCount, type Studio } from "../studio.ts";

/** The table's fake provider: 50 ms to the first token, 20 ms between tokens, 50 tokens. */
const timing = { tokens: 50, firstTokenMs: 50, betweenMs: 20 };
const streamMs = timing.firstTokenMs + timing.tokens * timing.betweenMs;
/** Up to this time the bound includes an fsync; a slower disk gets three of them. */
const fastFsyncMs = 0.5;
const memoryBoundMb = 330;

/** Uncounted answers, because a server that has just started still compiles its code. */
const warmUp = { atOnce: 50, rounds: 4 };
async function warm(studio: Studio): Promise<void> {
  const asks = await Promise.all(
    Array.from({ length: warmUp.atOnce }, () => askOverSocket(studio)),
  );
  for (let round = 0; round < warmUp.rounds; round++) await Promise.all(asks.map((ask) => ask()));
}

const words = ({ p50, p99 }: Percentiles): string => `${round(p50)} / ${round(p99)} ms`;

async function measureAt(
  bench: Bench,
  atOnce: number,
  bound: Percentiles,
  samples: number,
): Promise<Figure[]> {
  const rounds = Math.max(2, Math.ceil((bench.long ? 4 : 1) * (samples / atOnce)));
  const studio = await openStudio(bench, {
    provider: timing,
    conversationsEach:
      Math.ceil(atOnce / peopleCount) * (rounds + 1) * 2 +
      Math.ceil(warmUp.atOnce / peopleCount) * warmUp.rounds,
  });
  try {
    return await compare(studio, bench, { atOnce, rounds, bound });
  } finally {
    await studio.stop();
  }
}

async function compare(
  studio: Studio,
  bench: Bench,
  { atOnce, rounds, bound }: { atOnce: number; rounds: number; bound: Percentiles },
): Promise<Figure[]> {
  await warm(studio);
  const each = <T>(make: () => T): T[] => Array.from({ length: atOnce }, make);
  const direct = firstTokenOf(
    await askSteadily(
      each(() => askDirectly(studio)),
      { rounds, streamMs },
    ),
  );
  const sockets = await Promise.all(each(() => askOverSocket(studio)));
  const before = studio.server.coreTime();
  const overSocket = firstTokenOf(await askSteadily(sockets, { rounds, streamMs }));
  const memory = studio.server.memoryMb().most;
  const overStream = firstTokenOf(
    await askSteadily(
      each(() => askOverEventStream(studio)),
      { rounds, streamMs },
    ),
  );
  const more = bench.machine.fsyncMs > fastFsyncMs ? 3 * bench.machine.fsyncMs : 0;
  const allowed = { p50: bound.p50 + more, p99: bound.p99 + more };
  const name = `${atOnce} stream${atOnce === 1 ? "" : "s"} at once`;
  const count = `${atOnce * rounds} answers`;
  return [
    p50p99(
      `added to first token, ${name}, by the socket`,
      added(overSocket, direct),
      allowed,
      "ms",
      count,
    ),
    p50p99(
      `added to first token, ${name}, by the event stream`,
      added(overStream, direct),
      allowed,
      "ms",
      count,
    ),
    beside(
      "  direct, socket, event stream",
      [direct, overSocket, overStream].map(words).join(", "),
    ),
    contention(before, studio.server.coreTime()),
    ...(atOnce === 200 && !Number.isNaN(memory)
      ? [atMost("memory at 200 streams (most RSS)", memory, memoryBoundMb, "MB")]
      : []),
  ];
}

const row = (name: string, atOnce: number, bound: Percentiles, samples: number): Row<Bench> => ({
  name,
  what: `added time to first token, ${atOnce} at once`,
  measure: (bench) => measureAt(bench, atOnce, bound, samples),
});

/** The table's p50 and p99 on a fast disk. */
export const firstToken: readonly Row<Bench>[] = [
  row("first-token-1", 1, { p50: 3, p99: 10 }, 10),
  row("first-token-50", 50, { p50: 3, p99: 10 }, 150),
  row("first-token-200", 200, { p50: 10, p99: 40 }, 600),
];
