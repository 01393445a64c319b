import { join } from "node:path";
import { capture } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { findTool } from "./tools.mjs";

const CHECKS = [
  { name: "types (tsc)", packageName: "typescript", command: "tsc", args: ["--noEmit"] },
  {
    name: "form, lint and arrows between folders (biome)",
    packageName: "@biomejs/biome",
    command: "biome",
    args: ["check", "--error-on-warnings", "--max-diagnostics=10"],
  },
  { name: "walls between folders", script: "walls.mjs", args: [] },
  {
    name: "nothing unused (knip)",
    packageName: "knip",
    command: "knip",
    args: ["--no-progress", "--no-config-hints"],
  },
  { name: "words of the screens, the server and the manual", script: "words.mjs", args: [] },
];

/**
 * Runs all checks in parallel.
 * @param {string} node
 * @returns {Promise<{ name: string, passed: boolean, output: string }[]>} output: the tool's output
 */
export function runChecks(node) {
  return Promise.all(
    CHECKS.map(async ({ name, script, packageName, command, args }) => {
      const tool = script ? join(root, "scripts", script) : findTool(packageName, command);
      const { code, output } = await capture(node, [tool, ...args], {
        cwd: root,
        env: programEnvironment(node),
      });
      return { name, passed: code === 0, output };
    }),
  );
}
