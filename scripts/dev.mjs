/** `npm run dev`: the server from src/, restarted when a file changes, and Vite's server, which passes API and socket on to it. Ctrl-C stops both. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { programEnvironment, root } from "./environment.mjs";
import { runScript } from "./problem.mjs";
import { say } from "./progress.mjs";
import { setUp } from "./set-up.mjs";
import { findTool } from "./tools.mjs";

function startPart(name, node, args) {
  const child = spawn(node, args, {
    cwd: root,
    env: { ...programEnvironment(node), FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", (line) => say(`${name}  ${line}`));
  return child;
}

await runScript(async () => {
  const node = await setUp({ withBuild: false });
  const parts = [
    // --watch alone follows files by inode and goes deaf when an editor saves by renaming.
    startPart("server", node, ["--watch-path=src", "--watch-preserve-output", "src/main.ts", ...process.argv.slice(2)]),
    startPart("web   ", node, [findTool("vite")]),
  ];
  const stop = () => {
    for (const part of parts) part.kill("SIGTERM");
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
  await Promise.all(
    parts.map(
      (part) =>
        new Promise((resolve) => {
          part.on("exit", (code) => {
            process.exitCode ||= code ?? 0;
            stop();
            resolve();
          });
        }),
    ),
  );
});
