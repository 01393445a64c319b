import { spawn } from "node:child_process";

/**
 * Runs a command to its end and keeps what it prints. Being told to stop, it stops the command first, so that no installer
 * goes on behind our back.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, shell?: boolean, onOutput?: (chunk: Buffer) => void }} options
 * @returns {Promise<{ code: number, output: string }>} output: stdout and stderr as they came
 */
export function capture(command, args, { cwd, env, shell = false, onOutput }) {
  return new Promise((resolve) => {
    const chunks = [];
    const child = spawn(command, args, { cwd, env, shell, stdio: ["ignore", "pipe", "pipe"] });
    const stop = (signal) => {
      child.kill(signal);
      process.exit(signal === "SIGINT" ? 130 : 143);
    };
    const finish = (code, text = "") => {
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

/** The last `count` lines of a command's output that say something. */
export function lastLines(output, count) {
  return output.trimEnd().split("\n").slice(-count).join("\n");
}
