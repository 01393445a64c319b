/**
 * The import rules that Biome can't check: each layer of src, and of the folders in LAYERS, imports
 * only those below it; no screen imports another; under src and test a folder holds 2 to 25 files,
 * unless each file is one item of a list.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { root } from "./environment.mjs";

const FILES_MOST = 25;
/** Folders in which each file is one item of a list, or which are packages of their own. */
const LISTS = [
  "src/store/database/migrations",
  "src/store/database/migrations/from-0.1",
  "test/packages",
];
/**
 * The layers of each folder, highest first, as described in CONTRIBUTING.md: a file imports from
 * its own layer and those after it.
 */
const LAYERS = {
  src: [
    ["main.ts"],
    ["commands", "web"],
    ["master-keys.ts"],
    ["open.ts", "place.ts"],
    ["data-folder.ts"],
    ["server"],
    ["engine"],
    ["providers", "blobs", "store"],
    ["domain"],
    ["contract"],
  ],
  "src/engine": [
    ["engine.ts"],
    ["sessions", "rounds", "imports", "bills"],
    ["admit"],
    ["claim"],
    ["recover"],
    ["send"],
    ["follow"],
    ["ingest"],
    ["settle"],
    ["plan"],
    ["tools", "webhooks"],
    ["in-hand.ts"],
    ["connections"],
    ["persist.ts", "room.ts"],
    ["deps.ts"],
    ["threads", "hub.ts", "failpoints.ts"],
    ["recordings.ts"],
  ],
  "src/providers": [
    ["index.ts"],
    ["presets", "builtin"],
    ["services"],
    ["ai-sdk", "aws"],
    ["wire"],
    ["outbound"],
    ["adapter.ts"],
    ["adapter"],
  ],
  "src/store": [
    ["checks", "content"],
    ["runs", "money"],
    ["webhooks", "models", "people"],
    ["database"],
  ],
  "src/server": [
    ["app.ts"],
    ["routes", "pages.ts", "command-line.ts"],
    ["gate.ts", "openapi.ts"],
    ["doors", "body.ts"],
    ["live", "files"],
    ["still-allowed.ts", "audit.ts"],
    ["deps.ts"],
    ["auth", "origin.ts", "waiting-calls.ts", "http-options.ts"],
    ["client-connection.ts", "env.ts"],
    ["settings.ts"],
  ],
  "src/web": [
    ["main.tsx"],
    ["app.tsx"],
    ["router.tsx"],
    [
      "screen-modules.ts",
      "bare-routes.ts",
      "browsers.ts",
      "inline-classes.ts",
      "inline-icons.ts",
      "inline-limits.ts",
    ],
    ["shell"],
    ["screens"],
    ["components"],
    ["frame"],
    ["ui"],
    ["data"],
    ["messages"],
    ["styles", "public"],
  ],
};

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
    if (specifier.startsWith("#")) return [`src/${specifier.slice(1)}`];
    return specifier.startsWith(".") ? [posix.join(dirname(file), specifier)] : [];
  });
}

const modules = files
  .filter((file) => /^src\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, imported: importsOf(file) }));

/**
 * @returns the entry directly in the folder that is or contains the file; undefined outside of it
 */
const partOf = (folder, file) =>
  file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/")[0] : undefined;

function brokenLayers() {
  return Object.entries(LAYERS).flatMap(([folder, layers]) => {
    const placeOf = (part) => layers.findIndex((layer) => layer.includes(part));
    return modules.flatMap(({ file, imported }) => {
      const from = partOf(folder, file);
      if (from === undefined) return [];
      if (placeOf(from) < 0)
        return [`${folder}/${from} has no layer: give it one in scripts/walls.mjs.`];
      return imported.flatMap((target) => {
        const to = partOf(folder, target);
        if (to === undefined || to === from || placeOf(to) < 0 || placeOf(to) > placeOf(from))
          return [];
        return [
          `${file} imports ${target}, which lies ${placeOf(to) === placeOf(from) ? "beside" : "above"} it.`,
        ];
      });
    });
  });
}

function screensInScreens() {
  const screenOf = (file) => /^src\/web\/screens\/([^/]+)\//.exec(file)?.[1];
  return modules.flatMap(({ file, imported }) =>
    imported
      .filter((target) => screenOf(file) && screenOf(target) && screenOf(file) !== screenOf(target))
      .map(
        (target) =>
          `${file} imports ${target}: a screen imports no screen. What both need belongs into components/ or data/.`,
      ),
  );
}

const broken = [...crowdedOrLonely(), ...new Set(brokenLayers()), ...screensInScreens()];
for (const line of broken) console.log(line);
process.exitCode = broken.length === 0 ? 0 : 1;
