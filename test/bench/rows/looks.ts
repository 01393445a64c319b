import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { atMost, type Figure, notMeasured, percentile, type Row } from "../figures.ts";
import { openProbe } from "../probes/probe.ts";
import { seedHistory } from "../seed-history.ts";
import { openStudio } from "../studio.ts";

const rowCount = 1_000_000;
const maxLookMs = 1;
const maxSliceMs = 20;
/** Long enough for several rounds of chores, and a dozen of the worker's checks. */
const windowMs = 30_000;
/**
 * Ten minutes for the work due after a million rows are inserted: notices and webhooks older than a
 * week.
 */
const maxWindows = 20;
/** A round that deletes sends many statements in sequence; an idle one sends each query once. */
const isWork = (sql: string, times: number): boolean => /^delete/i.test(sql) && times > 50;

type Statement = { sql: string; ms: number[] };

async function measure(bench: Bench): Promise<Figure[]> {
  if (!bench.long)
    return [notMeasured("looks and chores at 1,000,000 rows", "", "it takes --long")];
  const probe = openProbe(bench, "statement-times.mjs");
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    nodeArgs: [probe.nodeArg],
    seed: (store, { projectId, userId, connectionId }) =>
      seedHistory(store, {
        count: rowCount,
        projectIds: [projectId],
        userId,
        connectionId,
        now: Date.now(),
      }),
  });
  try {
    const window = async (): Promise<Statement[]> => {
      await sleep(windowMs);
      const seen = JSON.parse(await probe.ask(studio.server)) as [string, number[]][];
      return seen.map(([sql, ms]) => ({ sql, ms }));
    };
    const slices: Statement[] = [];
    let looks = await window();
    for (let i = 0; looks.some(({ sql, ms }) => isWork(sql, ms.length)); i++) {
      if (i === maxWindows) throw new Error("the chores did not come to their end");
      slices.push(...looks.filter(({ sql, ms }) => isWork(sql, ms.length)));
      looks = await window();
    }
    // A window in which nothing ends, because the previous one was still half busy.
    looks = await window();
    return [
      slowest("a look or chore with nothing to do, at 1,000,000 rows", looks, maxLookMs),
      slowest("a slice of a chore, at 1,000,000 rows", slices, maxSliceMs),
    ];
  } finally {
    await studio.stop();
  }
}

/** The statement with the longest median. */
function slowest(what: string, statements: readonly Statement[], most: number): Figure {
  const [first] = statements
    .map(({ sql, ms }) => ({ sql, ms: percentile(ms, 0.5), times: ms.length }))
    .sort((a, b) => b.ms - a.ms);
  if (!first) return notMeasured(what, "", "nothing was requested");
  return atMost(what, first.ms, most, "ms", `${first.times} times: ${first.sql.slice(0, 120)}`);
}

export const looks: Row<Bench> = {
  name: "looks",
  what: "time of each query that an idle server runs, at 1,000,000 rows (--long)",
  measure,
};
