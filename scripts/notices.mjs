import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";

const LEGAL_FILE = /^(licen[cs]e|copying|notice|copyright|ofl)([.\-_].*)?$/i;
const BARE_IMPORT =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|@import\s+)["']((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"']*)?["']/g;

/**
 * Where Node, starting from `owner`, finds `name` among the installed packages; null if it isn't
 * installed.
 */
function locate(owner, name) {
  for (
    let folder = owner;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (existsSync(join(root, path, "package.json"))) return path;
    if (folder === "") return null;
  }
}

const readManifest = (path) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));

/**
 * Packages named in the browser app's own files. Vite bundles them into dist/web without their
 * license files.
 */
function bundledNames() {
  const files = readdirSync(join(root, "src", "web"), {
    recursive: true,
    withFileTypes: true,
  }).filter(
    (entry) =>
      entry.isFile() && /\.(tsx?|css)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name),
  );
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(BARE_IMPORT)].map(([, name]) => name)));
}

/** The folders of the named packages and of all their dependencies. */
function closure(names) {
  const found = new Set();
  const visit = (owner, name) => {
    const path = locate(owner, name);
    if (!path || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = readManifest(path);
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(path, next);
  };
  for (const name of names) visit("", name);
  return [...found].sort();
}

function noticeOf(path) {
  const { name, version, license, author, homepage } = readManifest(path);
  const texts = readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isFile() && LEGAL_FILE.test(entry.name))
    .map((entry) => readFileSync(join(root, path, entry.name), "utf8").trim());
  const by = typeof author === "string" ? author : author?.name;
  const facts = [
    `${name} ${version}`,
    `Licence: ${typeof license === "string" ? license : (license?.type ?? "see below")}`,
  ];
  if (by) facts.push(`By: ${by}`);
  if (homepage) facts.push(homepage);
  return [
    ...facts,
    "",
    ...(texts.length > 0 ? texts : ["(The package carries no licence text of its own.)"]),
  ].join("\n");
}

/**
 * Writes dist/NOTICES.txt: the name, version and license text of each package that runs on the
 * server or is part of the browser app.
 */
export function writeNotices() {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = closure([...Object.keys(dependencies ?? {}), ...bundledNames()]);
  const head =
    "Bottega is under the MIT licence (LICENSE). It is shipped with the packages below, each under its own.";
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(
    join(root, "dist", "NOTICES.txt"),
    `${[head, ...packages.map(noticeOf)].join(`\n\n${"-".repeat(80)}\n\n`)}\n`,
  );
}
