/**
 * `npm run agents`: installs the newest coding agents, and libraries for agents, into a temporary
 * folder, then drives each through a two-step task with a real Bottega (test/agents). Not part of
 * `npm test`, because the installed versions change every day. An argument selects one agent.
 *
 * After the installation, nothing has a network but this machine's own. That needs Linux with user
 * namespaces. Elsewhere the agents keep their network, and the first line says so.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programEnvironment, root } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { runScript } from "./problem.mjs";
import { say } from "./progress.mjs";
import { setUp } from "./set-up.mjs";
import { supervise } from "./supervise.mjs";
import { findTool } from "./tools.mjs";

/** The packages named in the table of agents. */
const packages = [
  ...readFileSync(join(root, "test", "agents", "programs.ts"), "utf8").matchAll(
    /^ {4}package: "([^"]+)"/gm,
  ),
].map(([, name]) => name);

/**
 * The sets of packages named in the table of libraries. Each has a separate folder named after its
 * first package, because some need different versions of zod.
 */
const sets = [
  ...new Set(
    [
      ...readFileSync(join(root, "test", "support", "services", "libraries.ts"), "utf8").matchAll(
        /^ {4}packages: \[([^\]]+)\]/gm,
      ),
    ].map(([, names]) => names),
  ),
].map((names) => [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name));

/** Prints the versions that the manual's tables name. */
function sayVersions(folder, wanted) {
  for (const one of wanted) {
    const name = one.replace(/(?<=.)@.*$/, "");
    const { version } = JSON.parse(
      readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"),
    );
    say(`installed ${name} ${version}`);
  }
}

/** Starts the rest of a command line in a network that has only a loopback interface. */
const alone = [
  ...["unshare", "--map-root-user", "--net"],
  ...["sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
];
/** Whether this machine has such networks. */
const canBeAlone = () => {
  const [command, ...args] = alone;
  return spawnSync(command, [...args, "true"]).status === 0;
};

await runScript(async () => {
  const node = await setUp({ withBuild: false, withTests: true });
  const folder = mkdtempSync(join(tmpdir(), "bottega-agents-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  say(`installing ${packages.join(", ")} ...`);
  await runNpm(node, ["install", ...packages], { folder, what: "install coding agents" });
  sayVersions(folder, packages);
  for (const set of sets) {
    const own = join(folder, set[0].replaceAll("/", "-"));
    mkdirSync(own);
    writeFileSync(join(own, "package.json"), JSON.stringify({ private: true }));
    say(`installing ${set.join(", ")} ...`);
    await runNpm(node, ["install", ...set], { folder: own, what: "install libraries" });
    sayVersions(own, set);
  }
  const [name] = process.argv.slice(2);
  const vitest = ["run", "--project=agents", ...(name ? ["-t", name] : [])];
  const isAlone = canBeAlone();
  say(
    isAlone
      ? "the agents reach only this machine"
      : "not isolated: this machine has no user namespaces, so the agents can reach the internet",
  );
  const [command, ...args] = [...(isAlone ? alone : []), node, findTool("vitest"), ...vitest];
  process.exitCode = await supervise(command, args, {
    cwd: root,
    env: {
      ...programEnvironment(node),
      AGENTS_FOLDER: folder,
      ...(isAlone && { AGENTS_ALONE: "true" }),
    },
  });
});
