import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { request } from "undici";
import { serverArgs } from "../../../scripts/server-args.mjs";
import type { Bench } from "../bench.ts";
import { atMost, type Figure, type Row, round } from "../figures.ts";
import { seedFiles } from "../seed-files.ts";
import { seedHistory } from "../seed-history.ts";
import { openStudio, type Studio } from "../studio.ts";

const assetCount = 10_000;
const maxShare = 10;
const exportMostUs = 300;
/**
 * Prints the CPU time of all of a process's threads at its end, because it can't be read
 * afterwards.
 */
const tellCpu = `data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("cpu "+(user+system)/1000)})`;

/** @returns the CPU time of `bottega backup`, in ms */
async function backUp({ dataFolder }: Studio, folder: string, ...flags: string[]): Promise<number> {
  const main = join(import.meta.dirname, "../../../dist/main.js");
  const child = spawn(
    process.execPath,
    [...serverArgs, `--import=${tellCpu}`, main, "backup", folder, ...flags],
    { env: { ...process.env, BOTTEGA_DATA: dataFolder }, stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The backup ended with ${code}; it said:\n${output}`);
  return Number(/^cpu (.+)$/m.exec(output)?.[1]);
}

/** @returns the main thread's time per exported asset, in µs, and the archive's size in bytes */
async function measureExport({ server, session, projectId }: Studio) {
  const since = server.coreTime().ranMs;
  const answer = await request(`${server.url}/api/v1/projects/${projectId}/export`, {
    dispatcher: session.agent,
    headers: { cookie: session.cookie },
  });
  let bytes = 0;
  for await (const chunk of answer.body) bytes += (chunk as Buffer).byteLength;
  if (answer.statusCode !== 200) throw new Error(`The export answered ${answer.statusCode}`);
  return { us: ((server.coreTime().ranMs - since) * 1_000) / assetCount, bytes };
}

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    async seed(store, { projectId, userId, connectionId, dataFolder }) {
      const now = Date.now();
      const projectIds = [projectId];
      await seedHistory(store, { count: assetCount, projectIds, userId, connectionId, now });
      await seedFiles(store, dataFolder, assetCount);
    },
  });
  try {
    const folder = bench.createFolder("backup");
    const exported = await measureExport(studio);
    const first = await backUp(studio, folder);
    const second = await backUp(studio, folder);
    return [
      atMost(
        "a second backup with nothing new, of the first's CPU time",
        (100 * second) / first,
        maxShare,
        "%",
        `${round(first / 1000)} s, then ${round(second / 1000)} s, of ${assetCount} files`,
      ),
      atMost(
        "an export of 10,000 assets: main thread per asset",
        exported.us,
        exportMostUs,
        "µs",
        `${round(exported.bytes / 1e6)} MB`,
      ),
    ];
  } finally {
    await studio.stop();
  }
}

export const copies: Row<Bench> = {
  name: "copies",
  what: "a backup with nothing new compared with the first, and an export, of 10,000 files",
  measure,
};
