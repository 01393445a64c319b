import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { patienceMs } from "../patience.ts";
import { closeForGood } from "./profiles.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
/** Where Chromium and its variants are usually installed. */
const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

// Headless Chromium requests updates and components from its maker's servers; a test's browser must
// only reach our server.
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
  // A profile's pages share one process, which its parked page keeps (profiles.ts).
  "--process-per-site",
];

/**
 * Unpacks the browser in a separate process, because its package writes to os.tmpdir(), where two
 * at once would see each other's partial files.
 */
async function unpack(into: string): Promise<void> {
  const script =
    'import("@sparticuz/chromium").then((chromium) => chromium.default.executablePath())';
  const child = spawn(process.execPath, ["-e", script], {
    cwd: root,
    env: { ...process.env, TMPDIR: into, TMP: into },
    stdio: "inherit",
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new Error(`@sparticuz/chromium could not be unpacked (${code}).`);
}

/**
 * Uses the machine's fonts, if any, and always the package's: a bare machine has none, and text
 * would be invisible. `folder` is the final location of `at`.
 */
async function writeFontSettings(at: string, folder: string): Promise<void> {
  await writeFile(
    join(at, "fonts.conf"),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "font-cache")}</cachedir></fontconfig>`,
  );
}

/**
 * The folder of an unpacked Chromium, created once per version and visible only when complete; null
 * if the package has none for this machine.
 */
async function prepareFolder(): Promise<string | null> {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const packageFolder = dirname(
    dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")),
  );
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as {
    version: string;
  };
  const cache = join(root, "node_modules", ".cache", "bottega");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, "unpacking-"));
  await unpack(unfinished);
  await writeFontSettings(unfinished, folder);
  // If another process was faster, the name is taken by an equal folder.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  return folder;
}

/**
 * A test worker's browser. The worker's files run in sequence, and starting a browser takes most of
 * a second of a core.
 */
let shared: Promise<Browser> | undefined;

async function closeProfiles(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map(closeForGood));
}

async function launchShared(): Promise<Browser> {
  const browser = await launch([]);
  return Object.assign(browser, { close: () => closeProfiles(browser) });
}

/**
 * Starts a real Chromium: the one from npm, otherwise an installed one. The test files of a worker
 * share it, so closing it only closes the profiles. It ends with the worker, whose pipe it reads.
 * @param more further flags, such as for a fake microphone; a browser with flags isn't shared
 * @throws Error of playwright-core if neither starts
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (more.length > 0 || !process.env.VITEST_WORKER_ID) return launch(more);
  if (!(await shared?.catch(() => null))?.isConnected()) shared = launchShared();
  return shared!;
}

function makePatient(browser: Browser): Browser {
  const open = browser.newContext.bind(browser);
  const newContext: Browser["newContext"] = async (options) => {
    const context = await open(options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  return Object.assign(browser, { newContext });
}

async function launch(more: readonly string[]): Promise<Browser> {
  const folder = await prepareFolder();
  const env = {
    ...process.env,
    ...(folder ? { FONTCONFIG_FILE: join(folder, "fonts.conf") } : {}),
  } as Record<string, string>;
  const candidates = [...(folder ? [join(folder, "chromium")] : []), ...INSTALLED].filter((path) =>
    existsSync(path),
  );
  let failure: unknown = new Error(
    `No Chromium here: neither from npm (@sparticuz/chromium) nor at ${INSTALLED.join(", ")}.`,
  );
  for (const executablePath of candidates) {
    try {
      const browser = await chromium.launch({
        executablePath,
        args: [...FLAGS, ...more],
        env,
        headless: true,
      });
      return makePatient(browser);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
