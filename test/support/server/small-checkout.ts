import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTempFolder } from "../temp.ts";
import type { NpmRegistry, RegistryPackage } from "./npm-registry.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/**
 * A small checkout's packages. The launcher itself uses two of them, sharp and Vite, which are
 * reduced here to what it calls; the third is in the command line that a server offers. The real
 * ones take a minute to install and are tested at each start of the whole test run.
 */
export const SMALL_PACKAGES: RegistryPackage[] = [
  {
    name: "sharp",
    version: "1.0.0",
    files: {
      "package.json": '{"exports":"./index.js"}',
      "index.js":
        "export default () => ({ png: () => ({ toBuffer: async () => Buffer.alloc(1) }) });\n",
    },
  },
  {
    name: "eventsource-parser",
    version: "1.0.0",
    files: { "package.json": "{}", LICENSE: "Free.\n" },
  },
  {
    name: "vite",
    version: "1.0.0",
    files: {
      "package.json": '{"type":"module","exports":"./index.js","bin":{"vite":"bin/vite.js"}}',
      "index.js": 'export const build = async () => ({ output: [{ code: "" }] });\n',
      "bin/vite.js": [
        "#!/usr/bin/env node",
        'import { mkdirSync, readFileSync, writeFileSync } from "node:fs";',
        'mkdirSync("dist/web", { recursive: true });',
        'writeFileSync("dist/web/index.html", readFileSync("src/web/index.html"));',
      ].join("\n"),
    },
  },
];

const SOURCES: Record<string, string> = {
  LICENSE: "Free.\n",
  "src/web/index.html": "<!doctype html><title>Small</title>\n",
  "src/store/word.ts": 'export const word: string = "one";\n',
  "src/store/word.test.ts": "throw new Error('a test was built');\n",
  "src/store/note.txt": "carried along\n",
  "src/main.ts": `
import { readFileSync } from "node:fs";
import { word } from "#store/word.ts";
import { word as same } from "./store/word.ts";

type Signals = ("SIGTERM" | "SIGINT")[];
const note = readFileSync(new URL("./store/note.txt", import.meta.url), "utf8").trim();
const stay = setInterval(() => {}, 1000);
for (const signal of ["SIGTERM", "SIGINT"] as Signals) {
  process.on(signal, () => {
    console.log("told", signal);
    if (!process.argv.includes("--stubborn")) clearInterval(stay);
  });
}
console.log("ready", JSON.stringify({ word, same, note, at: import.meta.url, pid: process.pid, args: process.argv.slice(2),
  npmNames: Object.keys(process.env).filter((name) => /^npm_/i.test(name)) }));
`,
};

/**
 * A checkout with the project's own scripts, a program of a few lines, and packages from the given
 * registry.
 */
export function createSmallCheckout(registry: NpmRegistry): string {
  const folder = createTempFolder("checkout");
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const dependencies = Object.fromEntries(
    SMALL_PACKAGES.map(({ name, version }) => [name, version]),
  );
  const manifest = {
    name: "small",
    version: "1.0.0",
    private: true,
    type: "module",
    scripts: { start: "node scripts/start.mjs" },
    imports: {
      "#store/*.ts": { "bottega-dist": "./dist/store/*.js", default: "./src/store/*.ts" },
    },
    dependencies,
  };
  const locked = SMALL_PACKAGES.map(({ name, version, files }) => [
    `node_modules/${name}`,
    {
      version,
      integrity: registry.integrity(name),
      bin: JSON.parse(files["package.json"] ?? "{}").bin,
    },
  ]);
  const lock = { name: "small", version: "1.0.0", lockfileVersion: 3, requires: true };
  const packages = {
    "": { name: "small", version: "1.0.0", dependencies },
    ...Object.fromEntries(locked),
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
  return folder;
}
