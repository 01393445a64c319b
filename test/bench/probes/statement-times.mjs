/**
 * Loaded into the measured server (--import): measures each statement on the main thread. Chores
 * due every five minutes run every five seconds. SIGUSR2 writes [SQL, ms of each execution] for all
 * statements to the file named in this module's address, and starts over. Statements are too short
 * for the system's CPU clock: the median of the wall clock is the undisturbed time.
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
