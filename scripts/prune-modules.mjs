/**
 * Removes everything from a folder's node_modules that no running program reads: source maps, type
 * declarations, packages' own TypeScript sources and documents. Licenses and notices stay. Only for
 * the container image: `node scripts/prune-modules.mjs FOLDER`.
 */
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runScript, SetupProblem } from "./problem.mjs";
import { say } from "./progress.mjs";

const USELESS =
  /\.(map|[cm]?ts|tsx|flow|markdown)$|\.md$|^(\.eslintrc.*|\.prettierrc.*|tsconfig.*\.json|\.package-lock\.json)$/i;
const LEGAL = /^(licen[cs]e|notice|copying|copyright|third)/i;

function prune(folder) {
  let freed = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) freed += prune(path);
    else if (entry.isFile() && USELESS.test(entry.name) && !LEGAL.test(entry.name)) {
      freed += lstatSync(path).size;
      rmSync(path);
    }
  }
  return freed;
}

await runScript(async () => {
  const folder = process.argv[2];
  if (!folder)
    throw new SetupProblem(
      "Say which folder's node_modules to prune: node scripts/prune-modules.mjs FOLDER",
    );
  say(
    `pruned ${Math.round(prune(join(folder, "node_modules")) / 1e6)} MB that no running program reads`,
  );
});
