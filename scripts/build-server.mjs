import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, posix } from "node:path";
import { lookAtStep } from "./build-steps.mjs";
import { root } from "./environment.mjs";
import { writeStamp } from "./fingerprint.mjs";
import { SetupProblem } from "./problem.mjs";

// Relative specifiers only: `#room/x.ts` is mapped by package.json under the condition bottega-dist.
const RELATIVE_SPECIFIER =
  /(\bfrom\s*|\bimport\s*\(?\s*|\bnew\s+URL\(\s*)(["'])(\.{1,2}\/[^"'\n]+)\.ts\2/g;

/** The path in dist/ for a file of src/. */
const target = (source) => join(root, source.replace(/^src\//, "dist/").replace(/\.ts$/, ".js"));

/**
 * Replaces a module's types by blanks, so that lines and columns stay the same, and points its
 * relative specifiers at the stripped files. A specifier of a missing file is an error here instead
 * of at the first visit.
 * @param {string} source path from the checkout, for example "src/store/runs/runs.ts"
 * @param {string} text
 * @param {Record<string, unknown>} known the step's files by path
 */
function strip(source, text, known) {
  const script = stripTypeScriptTypes(text, { mode: "strip" });
  return script.replace(RELATIVE_SPECIFIER, (_all, before, quote, path) => {
    const meant = posix.join(posix.dirname(source), `${path}.ts`);
    if (!known[meant])
      throw new SetupProblem(`${source} imports ${path}.ts, and ${meant} does not exist.`);
    return `${before}${quote}${path}.js${quote}`;
  });
}

/**
 * Updates dist/ from src/ without src/web: changed modules are stripped, other files copied,
 * deleted ones removed.
 */
export function buildServer() {
  const { isCurrent, isWhole, now, changed, gone } = lookAtStep("server");
  if (isCurrent) return;
  for (const source of gone) rmSync(target(source), { force: true });
  // An unchanged module may still import a deleted one, which is an error of this build.
  const isAll = isWhole || gone.length > 0;
  const sources = (isAll ? Object.keys(now) : changed).filter((path) => path.startsWith("src/"));
  for (const source of sources) {
    const from = join(root, source);
    const to = target(source);
    mkdirSync(dirname(to), { recursive: true });
    if (source.endsWith(".ts")) writeFileSync(to, strip(source, readFileSync(from, "utf8"), now));
    else copyFileSync(from, to);
  }
  writeStamp("server", now);
}
