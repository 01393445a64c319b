/**
 * Loaded into the measured server (--import): measures the longest turn of the main thread's event
 * loop, in ms of CPU time, which other programs on the machine don't lengthen. SIGUSR2 writes it to
 * the file named in this module's address, and starts over.
 */
import { writeFileSync } from "node:fs";

const file = new URL(import.meta.url).searchParams.get("out");
const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longestMs = 0;
let before = used();
setInterval(() => {
  const now = used();
  longestMs = Math.max(longestMs, now - before);
  before = now;
}, 1).unref();
process.on("SIGUSR2", () => {
  writeFileSync(file, String(longestMs));
  longestMs = 0;
});
