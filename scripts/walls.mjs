/**
 * The walls that Biome can't draw: in src/web no screen imports another and each layer imports only those below it; under src
 * and test a folder holds 2 to 25 files, unless each file is one item of a list.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { root } from "./environment.mjs";

const FILES_MOST = 25;
/** Each file is one item of a list, or the folder is a package of its own. */
const LISTS = ["src/web/messages/en", "src/store/database/migrations", "test/packages"];
/** Lowest first. A file imports from its own layer and from those before it. */
const WEB_LAYERS = [
  "styles",
  "messages",
  "data",
  "ui",
  "frame",
  "components",
  "screens",
  "shell",
  "",
];

const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "src", "test"],
  { cwd: root, encoding: "utf8" },
)
  .trim()
  .split("\n");

function crowdedOrLonely() {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => !LISTS.includes(folder) && (count === 1 || count > FILES_MOST))
    .map(
      ([folder, count]) =>
        `${folder} holds ${count} file${count === 1 ? "" : "s"}: 2 to ${FILES_MOST} belong together.`,
    );
}

/** @returns {string[]} the paths that a module imports, statically or lazily, types included */
function importsOf(file) {
  const source = readFileSync(posix.join(root, file), "utf8");
  return [
    ...source.matchAll(/^(?:import|export)\s[^;"]*?"([^"]+)"|\bimport\("([^"]+)"\)/gm),
  ].flatMap(([, named, lazy]) => {
    const specifier = named ?? lazy ?? "";
    if (specifier.startsWith("#web/")) return [`src/${specifier.slice(1)}`];
    return specifier.startsWith(".") ? [posix.join(dirname(file), specifier)] : [];
  });
}

function brokenLayers() {
  const layerOf = (file) => {
    const [, , first = "", second] = file.split("/");
    const layer = WEB_LAYERS.indexOf(second === undefined ? "" : first);
    return layer < 0 ? WEB_LAYERS.length : layer;
  };
  const screenOf = (file) => /^src\/web\/screens\/([^/]+)\//.exec(file)?.[1];
  return files
    .filter((file) => /^src\/web\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith("src/web/"))
        .flatMap((target) => {
          const [from, to] = [screenOf(file), screenOf(target)];
          if (from && to && from !== to)
            return [
              `${file} imports ${target}: a screen imports no screen. What both need belongs into components/ or data/.`,
            ];
          return layerOf(target) > layerOf(file)
            ? [`${file} imports ${target}, which lies above it.`]
            : [];
        }),
    );
}

const broken = [...crowdedOrLonely(), ...brokenLayers()];
for (const line of broken) console.log(line);
process.exitCode = broken.length === 0 ? 0 : 1;
