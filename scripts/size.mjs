/**
 * Measures the source independently of its formatting: the bytes in each folder of src without
 * tests, message catalogs, comments and the whitespace between tokens. Reads the work tree, a
 * commit, or two of them for comparison:
 *
 *     node scripts/size.mjs                  the work tree
 *     node scripts/size.mjs v0.1.0           a commit
 *     node scripts/size.mjs v0.1.0 HEAD      two commits, and what changed
 *     node scripts/size.mjs v0.1.0 .         a commit and the work tree
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { root } from "./environment.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { say } from "./progress.mjs";

const WORK_TREE = ".";
const isCounted = (path) =>
  /\.(tsx?|js|css)$/.test(path) &&
  !/\.test\.tsx?$/.test(path) &&
  !path.startsWith("src/web/messages/en/");

function git(args, input) {
  try {
    return execFileSync("git", args, { cwd: root, input, maxBuffer: 2 ** 30, stdio: "pipe" });
  } catch (error) {
    throw new SetupProblem(`git ${args[0]} failed: ${String(error.stderr ?? error).trim()}`);
  }
}

/** @returns {[path: string, text: string][]} the counted files of a commit, or of the work tree */
function readSource(commit) {
  const list =
    commit === WORK_TREE
      ? ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "src"]
      : ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "src"];
  const paths = git(list).toString().split("\0").filter(isCounted);
  if (commit === WORK_TREE)
    return paths.map((path) => [path, readFileSync(join(root, path), "utf8")]);
  const names = paths.map((path) => `${commit}:${path}\n`).join("");
  let rest = git(["cat-file", "--batch"], names);
  return paths.map((path) => {
    const head = rest.indexOf("\n") + 1;
    const end = head + Number(rest.toString("utf8", 0, head).split(" ")[2]);
    const text = rest.toString("utf8", head, end);
    rest = rest.subarray(end + 1);
    return [path, text];
  });
}

/** The comments, and the literals whose whitespace is significant, in text order. */
function spansOf(path, text) {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SetupProblem(`${path} can't be parsed: ${errors[0].message}`);
  const literals = [];
  const keep = ({ start, end }) => literals.push({ start, end, isComment: false });
  new Visitor({ Literal: keep, TemplateElement: keep }).visit(program);
  return [...comments.map(({ start, end }) => ({ start, end, isComment: true })), ...literals].sort(
    (a, b) => a.start - b.start,
  );
}

/** CSS has two kinds of spans, which are never nested. */
function spansOfCss(text) {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g)].map(
    (found) => ({
      start: found.index,
      end: found.index + found[0].length,
      isComment: found[0].startsWith("/*"),
    }),
  );
}

function bytesOf(path, text) {
  let bytes = 0;
  let at = 0;
  const count = (part) => {
    bytes += Buffer.byteLength(part);
  };
  for (const { start, end, isComment } of path.endsWith(".css")
    ? spansOfCss(text)
    : spansOf(path, text)) {
    count(text.slice(at, start).replace(/\s+/g, ""));
    if (!isComment) count(text.slice(start, end));
    at = end;
  }
  count(text.slice(at).replace(/\s+/g, ""));
  return bytes;
}

/** @returns {Map<string, number>} the bytes of each folder of src, and the total */
function measure(commit) {
  const sizes = new Map();
  for (const [path, text] of readSource(commit)) {
    const [, folder, ...rest] = path.split("/");
    const bytes = bytesOf(path, text);
    for (const name of [rest.length > 0 ? `src/${folder}` : "src/*", "all"])
      sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  return sizes;
}

await runScript(() => {
  const commits = process.argv.slice(2);
  if (commits.length > 2)
    throw new SetupProblem(
      "Use: node scripts/size.mjs [<commit> [<commit>]], '.' for the work tree",
    );
  const columns = (commits.length > 0 ? commits : [WORK_TREE]).map((commit) => ({
    name: commit === WORK_TREE ? "work tree" : commit.slice(0, 12),
    sizes: measure(commit),
  }));
  const [before, after] = columns;
  const folders = [...new Set(columns.flatMap(({ sizes }) => [...sizes.keys()]))].sort(
    (a, b) => (a === "all") - (b === "all") || a.localeCompare(b),
  );
  const line = (name, cells) =>
    say([name.padEnd(16), ...cells.map((cell) => cell.padStart(13))].join(""));
  line("bytes", [...columns.map(({ name }) => name), ...(after ? ["change", ""] : [])]);
  for (const folder of folders) {
    const counts = columns.map(({ sizes }) => sizes.get(folder) ?? 0);
    const cells = counts.map((bytes) => bytes.toLocaleString("en"));
    if (after) {
      const change = counts[1] - counts[0];
      cells.push((change > 0 ? "+" : "") + change.toLocaleString("en"));
      cells.push(before.sizes.has(folder) ? `${((100 * change) / counts[0]).toFixed(1)}%` : "new");
    }
    line(folder, cells);
  }
});
