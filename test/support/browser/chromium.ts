import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { closeForGood } from "./profiles.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
/** Where Chromium and its kin are usually installed. */
const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

// Headless Chromium asks its maker's servers for updates and components; a test's browser talks to our server alone.
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
];

/** Unpacks the browser in a process of its own, for its package writes to os.tmpdir() and two at once would see each other's half. */
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

/** Fonts of the machine where there are some, and always the package's: a bare machine has none, and text would be invisible. `folder` is where `at` will be. */
async function writeFontSettings(at: string, folder: string): Promise<void> {
  await writeFile(
    join(at, "fonts.conf"),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "font-cache")}</cachedir></fontconfig>`,
  );
}

/** The folder with an unpacked Chromium, made once per version, visible only when whole; null when the package has none for this machine. */
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
  // Where another process was faster, the name is taken by a folder just like ours.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  return folder;
}

/** The browser of a test worker: its files run one after the other, and starting one takes most of a second of a core. */
let shared: Promise<Browser> | undefined;

async function closeProfiles(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map(closeForGood));
}

async function launchShared(): Promise<Browser> {
  const browser = await launch([]);
  return Object.assign(browser, { close: () => closeProfiles(browser) });
}

/**
 * A real Chromium: the one from npm, else an installed one. Test files of one worker share it: there, closing it closes the profiles.
 * It ends with the worker, whose pipe it reads.
 * @param more further flags, such as a microphone that is none: a browser with flags is not shared
 * @throws Error of playwright-core when neither starts
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (more.length > 0 || !process.env.VITEST_WORKER_ID) return launch(more);
  if (!(await shared?.catch(() => null))?.isConnected()) shared = launchShared();
  return shared!;
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
      return await chromium.launch({
        executablePath,
        args: [...FLAGS, ...more],
        env,
        headless: true,
      });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
