import type { Bench } from "../bench.ts";
import {
  atLeast,
  atMost,
  beside,
  contention,
  type Figure,
  notMeasured,
  type Row,
  round,
} from "../figures.ts";
import { askForAWhile } from "../load.ts";
import { askDirectly, askOverSocket } from "../streams.ts";
import { openStudio, peopleCount } from "../studio.ts";

const atOnce = 200;
/** An answer's chunks, sent without delay. */
const provider = { tokens: 64, firstTokenMs: 0, betweenMs: 0 };
/** More than can be asked in the time: twice the bound. */
const conversationsASecond = 1_600;

async function measure(bench: Bench): Promise<Figure[]> {
  const forMs = bench.long ? 20_000 : 5_000;
  const studio = await openStudio(bench, {
    provider,
    conversationsEach: Math.ceil((conversationsASecond * (forMs + 4_000)) / 1_000 / peopleCount),
  });
  try {
    const direct = await askForAWhile(
      Array.from({ length: atOnce }, () => askDirectly(studio)),
      forMs,
    );
    const sockets = await Promise.all(Array.from({ length: atOnce }, () => askOverSocket(studio)));
    const before = studio.server.coreTime();
    const served = await askForAWhile(sockets, forMs);
    const after = studio.server.coreTime();
    const memory = studio.server.memoryMb().most;
    const whole = new Set([...direct.characters, ...served.characters]);
    if (whole.size !== 1)
      throw new Error(`answers differ in length: ${[...whole].slice(0, 5).join(", ")} characters`);
    return [
      atLeast("streams of 64 chunks finished a second, 200 at once", served.perSecond, 800, "/s"),
      beside(
        "  of a core for each",
        `${((after.ranMs - before.ranMs) / served.count).toFixed(2)} ms`,
        "the server's main thread, warming up included",
      ),
      contention(before, after),
      beside(
        "  the same directly",
        `${round(direct.perSecond)} /s`,
        "one core for load and provider together",
      ),
      Number.isNaN(memory)
        ? notMeasured(
            "memory at 200 streams without delay",
            "≤ 330 MB",
            "this system doesn't report a process's memory",
          )
        : atMost("memory at 200 streams without delay (most RSS)", memory, 330, "MB"),
    ];
  } finally {
    await studio.stop();
  }
}

export const throughput: Row<Bench> = {
  name: "throughput",
  what: "streams without delay finished a second",
  measure,
};
