import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookAtStep } from "./build-steps.mjs";
import { root } from "./environment.mjs";
import { writeStamp } from "./fingerprint.mjs";

/** The licenses of the bundled code, which must be included in the file. */
const LICENCES = ["LICENSE", "node_modules/eventsource-parser/LICENSE"];

/**
 * Bundles src/commands/client into one script, for people who only have an API key. It needs Node
 * 18 and no packages. The server writes its own address into the copies that it offers.
 * @returns {Promise<string>} the script
 */
export async function bundleClient() {
  // Loaded only if there is something to build, because loading takes half a second.
  const { build } = await import("vite");
  const { output } = await build({
    configFile: false,
    root,
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      ssr: true,
      write: false,
      target: "node18",
      minify: false,
      rolldownOptions: {
        input: join(root, "src", "commands", "client", "main.ts"),
        output: { codeSplitting: false },
      },
    },
  });
  const licences = LICENCES.map((path) => readFileSync(join(root, path), "utf8").trim());
  return `#!/usr/bin/env node\n/*!\n${licences.join("\n\n")}\n*/\n${output[0].code}`;
}

/** Brings dist/cli.mjs up to date. */
export async function buildClient() {
  const { isCurrent, now } = lookAtStep("client");
  if (isCurrent) return;
  const path = join(root, "dist", "cli.mjs");
  rmSync(path, { force: true });
  const script = await bundleClient();
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(path, script);
  writeStamp("client", now);
}
