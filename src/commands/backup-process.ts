import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import { sentences } from "#contract/sentences/index.ts";
import type { Backups } from "#engine/deps.ts";
import type { Settings } from "#server/settings.ts";
import { prepareFolder } from "./backup.ts";
import { listBackups } from "./backup-format.ts";

/** Whether a line of the command names a file that the storage has lost. */
const isLost = (line: string): boolean => /^(MISSING|DAMAGED) /.test(line);

/**
 * Backups by `bottega backup` in a separate process, because hashing a library would delay the
 * server's answers.
 */
export function createBackups(settings: Settings): Backups {
  return {
    async make({ folder, keep }, signal) {
      const { code, lost, lastLine } = await runCommand(
        ["backup", folder, "--keep", String(keep)],
        settings,
        signal,
      );
      if (code === 0) return null;
      if (lost > 0) return sentences.backups.filesLost({ count: lost });
      throw new Error(lastLine || sentences.backups.ended({ code: String(code) }));
    },
    async list(folder) {
      return (await listBackups(folder)).map(({ at, files }) => ({
        at: Date.parse(at),
        files: files.count,
        bytes: files.totalBytes,
      }));
    },
    prepare: prepareFolder,
  };
}

type Ended = { code: number | string; lost: number; lastLine: string };

function runCommand(args: string[], settings: Settings, signal: AbortSignal): Promise<Ended> {
  // With the server's own arguments, which locate its modules, and set so that it stops with its
  // parent.
  const flags = process.execArgv.filter((flag) => !flag.startsWith("--inspect"));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, process.argv[1]!, ...args], {
      env: { ...process.env, BOTTEGA_DATA: settings.dataFolder },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      signal,
      killSignal: "SIGTERM",
    });
    const ended: Ended = { code: "", lost: 0, lastLine: "" };
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (isLost(line)) ended.lost++;
    });
    createInterface({ input: child.stderr! }).on("line", (line) => {
      if (line.trim() !== "") ended.lastLine = line.trim();
    });
    try {
      // Backups have a lower priority than people's requests.
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // The process has already ended, or the system has no priorities.
    }
    child.once("error", (error) => (signal.aborted ? resolve(ended) : reject(error)));
    child.once("close", (code, killedBy) => resolve({ ...ended, code: code ?? killedBy ?? "" }));
  });
}
