import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SetupProblem } from "./problem.mjs";

const LOOK_EVERY_MS = 200;
const TICKS_PER_SECOND = 100;
const FILES_SHOWN = 30;

/**
 * This machine's processes as Linux reports them, in seconds of a core. `reaped` is the time of
 * children that ended and were waited for; Chromium's never are.
 * @returns {Map<string, { id: string, parent: string, name: string, own: number, reaped: number }>}
 *   by process id
 */
function listProcesses() {
  const found = new Map();
  for (const id of readdirSync("/proc")) {
    if (!/^\d/.test(id)) continue;
    let stat;
    try {
      stat = readFileSync(`/proc/${id}/stat`, "latin1");
    } catch {
      continue;
    }
    const afterName = stat.lastIndexOf(")");
    const name = stat.slice(stat.indexOf("(") + 1, afterName);
    const fields = stat.slice(afterName + 2).split(" ");
    const seconds = (field) =>
      (Number(fields[field]) + Number(fields[field + 1])) / TICKS_PER_SECOND;
    found.set(id, { id, parent: fields[1], name, own: seconds(11), reaped: seconds(13) });
  }
  return found;
}

const projectOf = (path) => (path.startsWith("src/") ? "unit" : path.split("/")[1]);

/**
 * Sums the time of this process's descendants by their purpose: a test file, according to the line
 * that test/support/say-file.ts writes in its worker, or otherwise a program shared by all files.
 * @param {string} saidPath where the workers write which file they run
 */
export function watchCosts(saidPath) {
  if (process.platform !== "linux") throw new SetupProblem("--costs works on Linux only.");
  const secondsOf = new Map();
  const fileOf = new Map();
  let known = new Map();
  /** By the waiting process: the time of children that were gone before it reported their end. */
  const early = new Map();

  function readSaid() {
    if (!existsSync(saidPath)) return;
    for (const line of readFileSync(saidPath, "utf8").trim().split("\n")) {
      const [id, file] = line.split("\t");
      fileOf.set(id, file);
    }
  }

  /** @returns {string | undefined} the process's purpose; undefined if it isn't part of this run */
  function purposeOf(one, all) {
    let shared = "Vitest";
    for (let at = one; at; at = all.get(at.parent)) {
      if (fileOf.has(at.id)) return fileOf.get(at.id);
      if (at.name === "postgres") shared = "PostgreSQL";
      if (at.id === String(process.pid)) return shared;
    }
    // Its parent ended first.
    return known.get(one.id)?.purpose;
  }

  function look() {
    const all = listProcesses();
    // By the waiting process: the time of ended children that was already added while they ran.
    const addedOf = new Map();
    for (const one of known.values()) {
      if (all.has(one.id)) continue;
      let { parent } = one;
      while (!all.has(parent) && known.has(parent)) parent = known.get(parent).parent;
      addedOf.set(parent, (addedOf.get(parent) ?? 0) + one.own + one.reaped);
    }
    const now = new Map();
    for (const one of all.values()) {
      const purpose = purposeOf(one, all);
      if (!purpose) continue;
      const before = known.get(one.id) ?? { own: 0, reaped: 0 };
      const added = (addedOf.get(one.id) ?? 0) + (early.get(one.id) ?? 0);
      const reaped = one.reaped - before.reaped - added;
      early.set(one.id, Math.max(0, -reaped));
      const seconds = one.own - before.own + Math.max(0, reaped);
      secondsOf.set(purpose, (secondsOf.get(purpose) ?? 0) + seconds);
      now.set(one.id, { ...one, purpose });
    }
    known = now;
    // Only now, because the time until here belongs to the previous file.
    readSaid();
  }

  // From here on: the earlier time of this process isn't a test's.
  look();
  secondsOf.clear();
  const looking = setInterval(look, LOOK_EVERY_MS);

  return {
    /** @returns {string[]} the lines of the report */
    end() {
      clearInterval(looking);
      look();
      return describe(secondsOf);
    },
  };
}

function describe(secondsOf) {
  const files = [...secondsOf].filter(([purpose]) => purpose.includes("/"));
  const groups = new Map();
  for (const [purpose, seconds] of secondsOf) {
    const group = purpose.includes("/") ? projectOf(purpose) : purpose;
    groups.set(group, (groups.get(group) ?? 0) + seconds);
  }
  const all = [...secondsOf.values()].reduce((sum, seconds) => sum + seconds, 0);
  const line = ([name, seconds]) => `${seconds.toFixed(1).padStart(8)}  ${name}`;
  const most = (costs) => [...costs].sort((a, b) => b[1] - a[1]).map(line);
  return [
    "seconds of a core, user and system:",
    ...most(groups),
    line(["in all", all]),
    "the most costly files:",
    ...most(files).slice(0, FILES_SHOWN),
  ];
}
