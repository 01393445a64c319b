/**
 * `npm run dev`: Vite's server at PORT (4620 by default, 0 for any free one), which serves the
 * browser app and passes everything else to the server from src/, which restarts on changes. Ctrl-C
 * stops both.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { programEnvironment, root } from "./environment.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { say } from "./progress.mjs";
import { setUp } from "./set-up.mjs";
import { findTool } from "./tools.mjs";

const DEFAULT_PORT = 4620;

/** @returns {Promise<number>} `wanted` if it is free, any free port for 0 */
async function freePort(wanted) {
  const probe = createServer().listen({ port: wanted, host: "127.0.0.1" });
  try {
    await once(probe, "listening");
  } catch (error) {
    throw new SetupProblem(
      `Port ${wanted} can't be used (${error.code}): set PORT to another one.`,
    );
  }
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

function startPart(name, node, args, env) {
  const child = spawn(node, args, {
    cwd: root,
    env: { ...programEnvironment(node), ...env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => say(`${name}  ${line}`));
  return child;
}

await runScript(async () => {
  const node = await setUp({ withBuild: false });
  const wanted = Number(process.env.PORT ?? DEFAULT_PORT);
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535)
    throw new SetupProblem("PORT is a whole number from 0 to 65535.");
  const port = await freePort(wanted);
  const serverPort = await freePort(0);
  // People open Vite's address, so the server prints it, and accepts requests from its pages.
  const PUBLIC_URL = process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`;
  const parts = [
    // --watch alone follows files by inode and misses changes if an editor saves by renaming.
    startPart(
      "server",
      node,
      ["--watch-path=src", "--watch-preserve-output", "src/main.ts", ...process.argv.slice(2)],
      {
        PORT: String(serverPort),
        PUBLIC_URL,
      },
    ),
    startPart("web   ", node, [findTool("vite"), "--port", String(port), "--strictPort"], {
      SERVER_URL: `http://127.0.0.1:${serverPort}`,
    }),
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
