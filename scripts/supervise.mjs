import { spawn } from "node:child_process";
import { constants } from "node:os";
import { watchParent } from "./parent.mjs";

/**
 * Runs a program in place of this one and ends like it. It receives SIGINT, SIGTERM and SIGHUP
 * once, as a request to stop; a second one ends it immediately. It is also told to stop when npm,
 * the parent, is gone (a SIGTERM to npm ends only npm), and notices itself when this process is
 * gone (stop-with-launcher.mjs, over the channel opened here).
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, sameSignalMs?: number }} options signals within
 *   `sameSignalMs` count as one: one Ctrl-C arrives from the terminal and from npm, microseconds
 *   apart
 * @returns {Promise<number>} the exit code for a shell: the program's own, or 128 plus the signal's
 *   number
 */
export function supervise(command, args, { cwd, env, sameSignalMs = 250 }) {
  return new Promise((resolve, reject) => {
    // A separate process group: otherwise a terminal's Ctrl-C would reach it directly and count
    // twice.
    const child = spawn(command, args, {
      cwd,
      env,
      detached: process.platform !== "win32",
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    });
    let askedAtMs = 0;
    const ask = (signal) => {
      const nowMs = performance.now();
      if (askedAtMs === 0) {
        askedAtMs = nowMs;
        child.kill(signal);
      } else if (nowMs - askedAtMs > sameSignalMs) child.kill("SIGKILL");
    };
    process.on("SIGINT", ask).on("SIGTERM", ask);
    process.on("SIGHUP", () => ask("SIGTERM"));
    const endWatch = watchParent(() => {
      if (askedAtMs === 0) ask("SIGTERM");
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      endWatch();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
