import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Soaked, soak, toReport } from "./soak.ts";
import type { DatabaseName } from "./studio.ts";

const help = `npm run soak -- [--minutes <n>] [--seed <n>] [--database sqlite|postgres]... [--faults <share>] [--report <file>]

Drives mixed work through simulators with random faults and kill -9, then compares what they billed with what is kept.

  --minutes   how long people are at work on each database (default 10)
  --seed      the same seed makes the same choices; the machine's timing stays its own (default: of the clock, printed)
  --database  only this one; may be given twice (default: both)
  --faults    the share of requests that meet a fault (default 0.25)
  --report    write the summary there as Markdown
  --keep      leave the data folders behind, and say where`;

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
    if (values.keep) console.log(`The data are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  if (values.report)
    await writeFile(
      resolve(values.report),
      `# Soak\n\nThe last run of \`npm run soak\` that was kept.\n\n${toReport(soaked)}`,
    );
  return soaked.some(({ tally }) => tally.findings.length > 0) ? 1 : 0;
}

process.exit(await run());
