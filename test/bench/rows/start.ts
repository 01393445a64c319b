import { setTimeout as sleep } from "node:timers/promises";
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
import { startBuiltServer } from "../server.ts";

const idleMs = 10_000;

async function measure(bench: Bench): Promise<Figure[]> {
  const dataFolder = bench.createFolder("start");
  // The first start creates the database and the keys; later ones are warm.
  const first = await startBuiltServer(bench.cores, { dataFolder });
  await first.stop();
  const starts: number[] = [];
  for (let i = 0; i < 4; i++) {
    const server = await startBuiltServer(bench.cores, { dataFolder });
    starts.push(server.startMs);
    await server.stop();
  }
  const server = await startBuiltServer(bench.cores, { dataFolder, nodeArgs: bench.serverArgs });
  starts.push(server.startMs);
  await sleep(idleMs);
  const memory = server.memoryMb().now;
  await server.stop();
  return [
    atMost(
      "warm start to the first 200",
      percentile(starts, 0.5),
      1_000,
      "ms",
      `median of 5, slowest ${round(Math.max(...starts))} ms`,
    ),
    beside("the first start, with an empty folder", `${round(first.startMs)} ms`),
    Number.isNaN(memory)
      ? notMeasured("memory idle", "≤ 150 MB", "this system doesn't report a process's memory")
      : atMost("memory idle (RSS after 10 s)", memory, 150, "MB"),
  ];
}

export const start: Row<Bench> = { name: "start", what: "warm start and idle memory", measure };
