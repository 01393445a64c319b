import { spawn } from "node:child_process";
import { constants } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { watchParent } from "./parent.mjs";

/**
 * Runs a command to its end and captures its output. If this process is told to stop, the command
 * is stopped first, so that no installer continues in the background; a second signal ends both
 * immediately.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, shell?: boolean, stopSignal?: NodeJS.Signals,
 *   onOutput?: (chunk: Buffer) => void }} options stopSignal: the signal that stops the command, by
 *   default the received one
 * @returns {Promise<{ code: number, output: string }>} output: stdout and stderr, interleaved
 */
export function capture(command, args, { cwd, env, shell = false, stopSignal, onOutput }) {
  return new Promise((resolve) => {
    const chunks = [];
    // In CI, tools use colors even for a pipe.
    const plain = process.stdout.isTTY ? env : { ...env, NO_COLOR: "1", FORCE_COLOR: undefined };
    const child = spawn(command, args, {
      cwd,
      env: plain,
      shell,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stoppedBy = null;
    const stop = (signal) => {
      child.kill(stoppedBy ? "SIGKILL" : (stopSignal ?? signal));
      stoppedBy = signal;
    };
    const endWatch = watchParent(() => stop("SIGTERM"));
    const finish = (code, text = "") => {
      if (stoppedBy) process.exit(128 + constants.signals[stoppedBy]);
      endWatch();
      process.off("SIGINT", stop).off("SIGTERM", stop);
      resolve({ code, output: Buffer.concat(chunks).toString("utf8") + text });
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        chunks.push(chunk);
        onOutput?.(chunk);
      });
    }
    child.on("error", (error) => finish(127, String(error)));
    child.on("close", (code) => finish(code ?? 1));
  });
}

/** The first `count` lines of a command's output, without colors. */
export function firstLines(output, count) {
  return stripVTControlCharacters(output).trim().split("\n").slice(0, count).join("\n");
}

/** The last `count` lines of a command's output. */
export function lastLines(output, count) {
  return output.trimEnd().split("\n").slice(-count).join("\n");
}
