import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, createBench } from "./bench.ts";
import { type Figure, notMeasured, type Row } from "./figures.ts";
import { figureLine, machineLines, summaryLine } from "./print.ts";
import { admission } from "./rows/admission.ts";
import { besideCheckout } from "./rows/beside-checkout.ts";
import { besidePeer } from "./rows/beside-peer.ts";
import { conversation, sixAnswers } from "./rows/conversation.ts";
import { copies } from "./rows/copies.ts";
import { disk } from "./rows/disk.ts";
import { draw } from "./rows/draw.ts";
import { firstToken } from "./rows/first-token.ts";
import { growth, palette } from "./rows/growth.ts";
import { hostile } from "./rows/hostile.ts";
import { gallery } from "./rows/library/gallery.ts";
import { library } from "./rows/library/library.ts";
import { opening } from "./rows/library/opening.ts";
import { lists } from "./rows/lists.ts";
import { longAnswer } from "./rows/long-answer.ts";
import { looks } from "./rows/looks.ts";
import { memory } from "./rows/memory.ts";
import { models } from "./rows/models.ts";
import { pageStart } from "./rows/page-start.ts";
import { recovery } from "./rows/recovery.ts";
import { idleSockets } from "./rows/sockets.ts";
import { start } from "./rows/start.ts";
import { throughput } from "./rows/throughput.ts";
import { twoServers } from "./rows/two-servers.ts";
import { usage } from "./rows/usage.ts";
import { wordToPaint } from "./rows/word-to-paint.ts";

const rows: readonly Row<Bench>[] = [
  start,
  ...firstToken,
  throughput,
  besidePeer,
  besideCheckout,
  draw,
  idleSockets,
  library,
  models,
  usage,
  growth,
  palette,
  lists,
  looks,
  copies,
  disk,
  memory,
  pageStart,
  longAnswer,
  wordToPaint,
  conversation,
  sixAnswers,
  gallery,
  opening,
  admission,
  hostile,
  recovery,
  twoServers,
];

const help = `npm run bench -- [--only <name>]... [--long] [--data <folder>] [--cpu-prof <folder>]

  --only      measure only this row; may be given several times
  --long      more samples for steadier figures, about ten minutes
  --data      the folder for the data, whose disk counts (default: the system's temporary folder)
  --cpu-prof  write CPU profiles of the measured server to this folder
  --beside    the address of another gateway's /v1, for the row beside-peer
  --beside-header  a header of each request to that gateway, "name: value"; {provider} is the fake provider's address
  --beside-pid     that gateway's process, to measure its memory and give it the server's core
  --other     the folder of another built checkout, for the row beside-checkout
  --minutes   minutes that the row memory takes (default: 12)

Rows:
${rows.map((row) => `  ${row.name.padEnd(18)}${row.what}`).join("\n")}`;

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      long: { type: "boolean", default: false },
      data: { type: "string" },
      "cpu-prof": { type: "string" },
      beside: { type: "string" },
      "beside-header": { type: "string", multiple: true, default: [] },
      "beside-pid": { type: "string" },
      other: { type: "string" },
      minutes: { type: "string", default: "12" },
      help: { type: "boolean", default: false },
    },
  });
  const unknown = values.only?.find((name) => !rows.some((row) => row.name === name));
  if (unknown) console.log(`There is no row "${unknown}".\n`);
  if (values.help || unknown) {
    console.log(help);
    return unknown ? 1 : 0;
  }
  const profile = values["cpu-prof"];
  const bench = createBench({
    ...(values.data && { folder: resolve(values.data) }),
    serverArgs: profile ? ["--cpu-prof", `--cpu-prof-dir=${resolve(profile)}`] : [],
    long: values.long,
    minutes: Number(values.minutes),
    other: values.other ? resolve(values.other) : null,
    peer: values.beside
      ? {
          url: values.beside.replace(/\/$/, ""),
          headers: Object.fromEntries(
            values["beside-header"].map((line) => line.split(/:\s*(.*)/s).slice(0, 2)),
          ),
          pid: values["beside-pid"] ? Number(values["beside-pid"]) : null,
        }
      : null,
  });
  const figures: Figure[] = [];
  let broken = false;
  let interrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      interrupted = true;
      void bench.end().then(() => process.exit(130));
    });
  for (const line of machineLines(bench)) console.log(line);
  try {
    for (const row of rows.filter(({ name }) => values.only?.includes(name) ?? true)) {
      bench.cores.takeLoadCore();
      const measured = await row.measure(bench).catch((error: unknown) => {
        broken = true;
        return [
          notMeasured(
            row.what,
            "",
            error instanceof Error ? (error.stack ?? error.message) : String(error),
          ),
        ];
      });
      if (interrupted) return 130;
      for (const figure of measured) console.log(figureLine(figure));
      figures.push(...measured);
    }
  } finally {
    await bench.end();
  }
  console.log(`\n${summaryLine(figures)}`);
  return broken ? 1 : 0;
}

process.exit(await run());
