import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";

/**
 * The script behind a package's command, to be run by a chosen Node: the shims in node_modules/.bin
 * use the first one on the path.
 * @param {string} packageName for example "@biomejs/biome"
 * @param {string} command the name of the command, by default the package's last part
 */
export function findTool(packageName, command = packageName.split("/").pop()) {
  const folder = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}
