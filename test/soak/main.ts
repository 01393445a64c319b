import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Soaked, soak, toIntroduction, toReport } from "./soak.ts";
import type { DatabaseName } from "./studio.ts";

const help = `npm run soak -- [--minutes <n>] [--seed <n>] [--database sqlite|postgres]... [--faults <share>] [--report <file>]

Runs mixed work against simulators with random faults and kill -9, then compares what they billed with what is saved.

  --minutes   minutes of work on each database (default 10)
  --seed      one seed always makes the same choices, but timing varies (default: from the clock, printed)
  --database  use only this database; may be given twice (default: both)
  --faults    the share of requests that meet a fault (default 0.25)
  --report    write the summary to this file as Markdown
  --keep      don't delete the data folders, and print where they are`;

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string" },
      database: { type: "string", multiple: true },
      faults: { type: "string", default: "0.25" },
      report: { type: "string" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const databases = (values.database ?? ["sqlite", "postgres"]) as DatabaseName[];
  const minutes = Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const faultShare = Number(values.faults);
  const isRight =
    minutes > 0 &&
    Number.isInteger(seed) &&
    faultShare >= 0 &&
    faultShare <= 1 &&
    databases.every((one) => ["sqlite", "postgres"].includes(one));
  if (values.help || !isRight) {
    console.log(help);
    return values.help ? 0 : 1;
  }
  const folder = mkdtempSync(join(tmpdir(), "bottega-soak-"));
  const soaked: Soaked[] = [];
  try {
    for (const database of databases) {
      console.log(`${database}: ${minutes} minutes with seed ${seed}`);
      const one = await soak({
        database,
        minutes,
        seed,
        faultShare,
        folder: join(folder, database),
      });
      soaked.push(one);
      console.log(toReport([one]));
    }
  } finally {
    if (values.keep) console.log(`The data is in ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  if (values.report)
    await writeFile(
      resolve(values.report),
      `${toIntroduction(minutes, faultShare)}\n${toReport(soaked)}`,
    );
  return soaked.some(({ tally }) => tally.findings.length > 0) ? 1 : 0;
}

process.exit(await run());
