import { basename, dirname } from "node:path";
import { capture, firstLines } from "./child.mjs";
import { npmEnvironment } from "./environment.mjs";
import { SetupProblem } from "./problem.mjs";

/** The registry can't be reached, so another way to ask it would fail too. */
export class NetworkProblem extends SetupProblem {}

const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT|FETCH_ERROR|EIDLETIMEOUT)\b|network (timeout|request)/;

/** The npm command: the one that started this process, otherwise the one on the path. */
function npmCommand(node, args) {
  const outer = process.env.npm_execpath;
  if (outer && /^npm(-cli)?\.c?js$/.test(basename(outer)))
    return { command: node, args: [outer, ...args], shell: false };
  // Since 2024 Node starts .cmd files only through a shell.
  const isWindows = process.platform === "win32";
  return { command: isWindows ? "npm.cmd" : "npm", args, shell: isWindows };
}

/**
 * Runs npm in `folder` under `node`, silently if it succeeds. `what` completes the sentence
 * "Bottega needs the network once, to ...".
 * @returns {Promise<string>} npm's output
 * @throws {NetworkProblem} if the registry can't be reached
 * @throws {SetupProblem} with the beginning of npm's output, which ends with its usage text
 */
export async function runNpm(node, args, { folder, what }) {
  const {
    command,
    args: all,
    shell,
  } = npmCommand(node, [
    ...args,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
  // While it waits for a registry, npm 11 survives SIGTERM (seen November 2026). Killed, it leaves
  // no installation that looks complete.
  const { code, output } = await capture(command, all, {
    cwd: folder,
    env: npmEnvironment(node),
    shell,
    stopSignal: "SIGKILL",
  });
  if (code === 0) return output;
  if (code === 127)
    throw new SetupProblem(
      "npm was not found: install it beside Node (it comes with Node from nodejs.org) and run this again.",
    );
  if (NO_NETWORK.test(output)) {
    throw new NetworkProblem(
      `Bottega needs the network once, to ${what}, and npm's registry did not answer: connect this machine (or set npm's registry or proxy) and run this again.`,
    );
  }
  if (/\bENOSPC\b/.test(output))
    throw new SetupProblem(
      `The disk that holds ${dirname(folder)} is full: free about 2 GB and run this again.`,
    );
  throw new SetupProblem(
    `npm could not ${what} (it ended with code ${code}); it said:\n${firstLines(output, 15)}`,
  );
}
