/**
 * Loaded into the measured server (--import): how long each statement takes on its main thread. Chores that come every five minutes
 * come every five seconds. SIGUSR2 writes [SQL, ms of each time it ran] of all of them to the file that this address names, and begins
 * again. A statement is too short for the system's count of CPU time: the median of the clock is what it takes undisturbed.
 */
import { writeFileSync } from "node:fs";
import { StatementSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

const choresEveryMs = 5 * 60_000;
const choresSoonMs = 5_000;

if (isMainThread) {
  const file = new URL(import.meta.url).searchParams.get("out") ?? "";
  /** @type {Map<string, number[]>} */
  const times = new Map();
  for (const method of ["all", "get", "run"]) {
    const original = StatementSync.prototype[method];
    StatementSync.prototype[method] = function (...parameters) {
      const since = performance.now();
      try {
        return original.apply(this, parameters);
      } finally {
        const ofThis = times.get(this.sourceSQL) ?? [];
        times.set(this.sourceSQL, ofThis);
        ofThis.push(performance.now() - since);
      }
    };
  }
  const { setInterval } = globalThis;
  globalThis.setInterval = (work, ms, ...rest) =>
    setInterval(work, ms === choresEveryMs ? choresSoonMs : ms, ...rest);
  process.on("SIGUSR2", () => {
    writeFileSync(file, JSON.stringify([...times]));
    times.clear();
  });
}
