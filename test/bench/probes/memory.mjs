/**
 * Loaded into the measured server (--import): SIGUSR2 collects all garbage and writes the remaining
 * memory to the file named in this module's address, as {"heapMb", "outsideMb"}: the heap, and
 * buffers outside it.
 */
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const file = new URL(import.meta.url).searchParams.get("out") ?? "";
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const mb = (bytes) => bytes / 1024 ** 2;
    writeFileSync(file, JSON.stringify({ heapMb: mb(heapUsed), outsideMb: mb(external) }));
  });
}
