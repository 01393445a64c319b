/**
 * Runs the Dockerfile's steps in a clean folder, for machines without a container engine, and
 * prints the size of the image with its base: `node scripts/container-size.mjs`. Uses only
 * committed files, like a fresh clone.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { capture, lastLines } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { NPM_CI } from "./packages.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { say, withProgress } from "./progress.mjs";
import { serverArgs } from "./server-args.mjs";
import { setUp } from "./set-up.mjs";

const LIMIT_MB = 500;
// The official image's stated contents, unpacked: Debian bookworm-slim (75 MB), Node with npm, and
// yarn. Not measured here.
const BASE = { name: "node:24.21.0-bookworm-slim", sizeMb: 240 };

function sizeOf(path) {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

async function step(what, command, args, folder) {
  await withProgress(what, async () => {
    const { code, output } = await capture(command, args, {
      cwd: folder,
      env: programEnvironment(command),
    });
    if (code !== 0)
      throw new SetupProblem(`${what} failed (code ${code}):\n${lastLines(output, 20)}`);
  });
}

/**
 * Starts the program like the image would, on an empty data folder, until it answers, which reveals
 * missing packages.
 */
async function startOnce(node, image, dataFolder) {
  const args = [...serverArgs, "dist/main.js"];
  const env = {
    ...programEnvironment(node),
    HOST: "127.0.0.1",
    PORT: "0",
    BOTTEGA_DATA: dataFolder,
  };
  const child = spawn(node, args, { cwd: image, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let said = "";
  const url = await new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        said += chunk;
        const listening = /listens on (http:\/\/\S+)/.exec(said);
        if (listening) resolve(listening[1]);
      });
    }
    ended.then(() => resolve(null));
  });
  const status = url ? (await fetch(new URL("/readyz", url))).status : 0;
  child.kill("SIGTERM");
  await ended;
  if (status !== 200)
    throw new SetupProblem(
      `What would go into the image does not start (/readyz: ${status}); it said:\n${said}`,
    );
}

await runScript(async () => {
  const node = await setUp({ withBuild: false });
  const work = mkdtempSync(join(tmpdir(), "bottega-image-"));
  try {
    const source = join(work, "source");
    const image = join(work, "image");
    execFileSync("git", ["clone", "--quiet", root, source]);
    await withProgress("installing all packages", () =>
      runNpm(node, NPM_CI.program, { folder: source, what: "fetch its packages" }),
    );
    await step("building", node, [join(source, "scripts", "build.mjs")], source);
    mkdirSync(image);
    for (const name of ["package.json", "package-lock.json", ".npmrc"])
      cpSync(join(source, name), join(image, name));
    await withProgress("installing production packages", () =>
      runNpm(node, ["ci", "--omit=dev", "--omit=peer", "--workspaces=false"], {
        folder: image,
        what: "fetch its production packages",
      }),
    );
    await step("pruning", node, [join(source, "scripts", "prune-modules.mjs"), image], image);
    for (const name of ["dist", "docs/manual", "LICENSE"])
      cpSync(join(source, name), join(image, name), { recursive: true });
    await withProgress("starting it once", () => startOnce(node, image, join(work, "data")));

    const parts = readdirSync(image).map((name) => [name, sizeOf(join(image, name)) / 1e6]);
    for (const [name, sizeMb] of parts) say(`${sizeMb.toFixed(1).padStart(8)} MB  ${name}`);
    say(`${BASE.sizeMb.toFixed(1).padStart(8)} MB  ${BASE.name} (declared, not measured)`);
    const totalMb = parts.reduce((sum, [, sizeMb]) => sum + sizeMb, BASE.sizeMb);
    say(`${totalMb.toFixed(1).padStart(8)} MB  of at most ${LIMIT_MB}`);
    if (totalMb > LIMIT_MB)
      throw new SetupProblem(`The image would be larger than ${LIMIT_MB} MB.`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
