import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { findFreePort } from "../../support/server/free-port.ts";
import { type Launched, launch, shellEnvironment } from "../../support/server/launched.ts";
import { type NpmRegistry, startNpmRegistry } from "../../support/server/npm-registry.ts";
import { createSmallCheckout, SMALL_PACKAGES } from "../../support/server/small-checkout.ts";

let registry: NpmRegistry;
/** A checkout that has been started once; tests that change it create their own. */
let started: string;
const launchedHere: Launched[] = [];

/** Runs `npm start` in a folder, as from a person's shell with piped output. */
function npmStart(
  cwd: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Launched {
  const run = launch("npm", ["start", "--", ...args], {
    cwd,
    env: { ...shellEnvironment(registry.url), ...env },
  });
  launchedHere.push(run);
  return run;
}

/** The small program's report about itself once it runs. */
async function untilReady(run: Launched) {
  const [, told] = await run.until(/ready (\{.*\})/);
  return JSON.parse(told ?? "") as {
    word: string;
    same: string;
    note: string;
    at: string;
    pid: number;
    args: string[];
    npmNames: string[];
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  registry = await startNpmRegistry(SMALL_PACKAGES);
  started = createSmallCheckout(registry);
  const run = npmStart(started);
  await untilReady(run);
  run.child.kill("SIGTERM");
  await run.ended;
});

afterAll(async () => {
  for (const { child } of launchedHere) if (child.exitCode === null) child.kill("SIGKILL");
  await registry.stop();
});

it("the first start reports progress every few seconds, on a pipe too, and then runs the program", async () => {
  let open = () => {};
  registry.hold(new Promise((resolve) => (open = resolve)));
  const run = npmStart(createSmallCheckout(registry), { args: ["--role", "web"] });
  await run.until(
    /installing packages \.\.\.[\s\S]*still installing packages, 3\.\d s\nstill installing packages, 6\.\d s/,
  );
  open();
  registry.hold(null);
  const ready = await untilReady(run);
  expect(ready).toMatchObject({
    word: "one",
    same: "one",
    note: "carried along",
    args: ["--role", "web"],
  });
  expect(ready.at).toMatch(/\/dist\/main\.js$/);
  expect(run.output()).toMatch(
    /installing packages: done in [\d.]+ s\n[\s\S]*building: done in [\d.]+ s\n/,
  );
  run.child.kill("SIGTERM");
  await run.ended;
});

it("a second start installs nothing, builds nothing and sends the registry nothing", async () => {
  const askedBefore = registry.requests.length;
  const run = npmStart(started);
  await untilReady(run);
  run.child.kill("SIGTERM");
  await run.ended;
  expect(run.output()).not.toMatch(/installing|building/);
  expect(registry.requests.length).toBe(askedBefore);
});

it("a new version with the same packages installs nothing", async () => {
  for (const name of ["package.json", "package-lock.json"]) {
    const path = join(started, name);
    writeFileSync(
      path,
      JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), version: "9" }),
    );
  }
  const run = npmStart(started);
  await untilReady(run);
  run.child.kill("SIGTERM");
  await run.ended;
  expect(run.output()).not.toContain("installing");
});

it("the first start requests each package's file from the registry, and no package's history", async () => {
  const asked = registry.requests.length;
  const run = npmStart(createSmallCheckout(registry));
  await untilReady(run);
  run.child.kill("SIGTERM");
  await run.ended;
  expect(registry.requests.slice(asked).filter((path) => !path.endsWith(".tgz"))).toEqual([]);
});

it("a registry that stores its files elsewhere is asked where", async () => {
  const other = await startNpmRegistry(SMALL_PACKAGES, "files");
  onTestFinished(() => other.stop());
  const run = npmStart(createSmallCheckout(other), { env: { npm_config_registry: other.url } });
  await untilReady(run);
  run.child.kill("SIGTERM");
  await run.ended;
  expect(run.output()).toContain("installing packages: done");
});

it("the program sees nothing of npm in its environment", async () => {
  const run = npmStart(started);
  expect((await untilReady(run)).npmNames).toEqual([]);
  run.child.kill("SIGTERM");
  await run.ended;
});

it("tests and types aren't built, and only changed files are rebuilt", async () => {
  const folder = createSmallCheckout(registry);
  const first = npmStart(folder);
  await untilReady(first);
  first.child.kill("SIGTERM");
  await first.ended;
  expect(existsSync(join(folder, "dist/store/word.test.js"))).toBe(false);
  expect(readFileSync(join(folder, "dist/store/word.js"), "utf8")).toBe(
    'export const word         = "one";\n',
  );
  const mainBefore = statSync(join(folder, "dist/main.js")).mtimeMs;

  writeFileSync(join(folder, "src/store/word.ts"), 'export const word: string = "two";\n');
  rmSync(join(folder, "src/store/word.test.ts"));
  const second = npmStart(folder);
  expect(await untilReady(second)).toMatchObject({ word: "two", same: "two" });
  second.child.kill("SIGTERM");
  await second.ended;
  expect(second.output()).not.toContain("installing");
  expect(statSync(join(folder, "dist/main.js")).mtimeMs).toBe(mainBefore);
});

it("a source that imports a missing file stops the start with a sentence", async () => {
  const folder = createSmallCheckout(registry);
  appendFileSync(join(folder, "src/main.ts"), 'import "./store/gone.ts";\n');
  const run = npmStart(folder);
  expect((await run.ended).code).not.toBe(0);
  expect(run.output()).toContain(
    "src/main.ts imports ./store/gone.ts, and src/store/gone.ts does not exist.",
  );
});

/** A port with a broken server, by kind. */
async function startBrokenRegistry(
  kind: "refuses" | "hangs up" | "stays silent",
): Promise<{ url: string; stop(): void }> {
  if (kind === "refuses")
    return { url: `http://127.0.0.1:${await findFreePort()}/`, stop: () => {} };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (kind === "hangs up") socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => server.close(),
  };
}

for (const kind of ["refuses", "hangs up", "stays silent"] as const) {
  it(`without a network at the first start (the registry ${kind}) one sentence gives the next step, and the exit code is not 0`, async () => {
    const broken = await startBrokenRegistry(kind);
    const env = {
      npm_config_registry: broken.url,
      npm_config_fetch_timeout: "1000",
      npm_config_fetch_retries: "0",
    };
    const run = npmStart(createSmallCheckout(registry), { env });
    const { code } = await run.ended;
    broken.stop();
    expect(code).not.toBe(0);
    const said = run
      .output()
      .split("\n")
      .filter((line) => line !== "" && !/^> |^npm warn|^(still )?installing packages/.test(line));
    expect(said).toEqual([
      "Bottega needs the network once, to fetch its packages, and npm's registry did not answer: connect this machine (or set npm's registry or proxy) and run this again.",
    ]);
  });
}

it("an interrupted installation is repeated", async () => {
  const folder = createSmallCheckout(registry);
  registry.hold(new Promise(() => {}));
  const run = npmStart(folder);
  await run.until(/installing packages \.\.\./);
  run.child.kill("SIGTERM");
  await run.ended;
  registry.hold(null);
  const again = npmStart(folder);
  await untilReady(again);
  expect(again.output()).toContain("installing packages: done");
  again.child.kill("SIGTERM");
  await again.ended;
});

it("SIGTERM to npm reaches the program exactly once", async () => {
  const run = npmStart(started);
  await untilReady(run);
  run.child.kill("SIGTERM");
  await run.ended;
  expect(run.output().match(/told SIG/g)).toHaveLength(1);
});

it("a second signal ends a program that doesn't stop", async () => {
  // Without the time in which signals count as one.
  const start =
    'import { supervise } from "./scripts/supervise.mjs"; process.exitCode = await supervise(process.execPath, ["dist/main.js", "--stubborn"], { cwd: ".", env: process.env, sameSignalMs: 0 });';
  const run = launch(process.execPath, ["--input-type=module", "-e", start], {
    cwd: started,
    env: shellEnvironment(registry.url),
  });
  launchedHere.push(run);
  const { pid } = await untilReady(run);
  run.child.kill("SIGINT");
  await run.until(/told SIGINT/);
  expect(isAlive(pid)).toBe(true);
  run.child.kill("SIGINT");
  const { code } = await run.ended;
  expect(code).toBe(137);
  expect(isAlive(pid)).toBe(false);
  expect(run.output().match(/told SIG/g)).toHaveLength(1);
});

it("the program stops when its launcher is killed", async () => {
  const run = launch(process.execPath, ["scripts/start.mjs"], {
    cwd: started,
    env: shellEnvironment(registry.url),
  });
  launchedHere.push(run);
  await untilReady(run);
  run.child.kill("SIGKILL");
  await run.until(/told SIGTERM/);
  // The pipe closes when the last process that holds it, the program, has ended.
  await run.ended;
});

it("the program's exit code is the launcher's", async () => {
  const folder = createSmallCheckout(registry);
  writeFileSync(join(folder, "src/main.ts"), "process.exit(7);\n");
  const run = launch(process.execPath, ["scripts/start.mjs"], {
    cwd: folder,
    env: shellEnvironment(registry.url),
  });
  expect((await run.ended).code).toBe(7);
});

/** Runs the project's own script that installs Node, as if on an older one. */
function bringNode(cwd: string, env: Record<string, string | undefined>): Launched {
  const script =
    'import { bringNode } from "./scripts/runtime.mjs"; console.log("path", await bringNode("20.1.0"));';
  return launch(process.execPath, ["--input-type=module", "-e", script], { cwd, env });
}

it("with an older Node, a newer one is installed from npm into .runtime, once", async () => {
  const folder = createSmallCheckout(registry);
  const lookUp =
    'import { RUNTIME_PACKAGES as all } from "./scripts/runtime.mjs"; console.log(JSON.stringify(all[process.argv[1]]));';
  const platform = `${process.platform}-${process.arch}`;
  const named = launch(process.execPath, ["--input-type=module", "-e", lookUp, platform], {
    cwd: folder,
    env: process.env,
  });
  await named.ended;
  const [name, version] = JSON.parse(named.output()) as [string, string];
  const packages = [{ name, version, files: { "bin/node": `#!/bin/sh\necho ${version}\n` } }];
  const runtimes = await startNpmRegistry(packages);
  const env = shellEnvironment(runtimes.url);

  const first = bringNode(folder, env);
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(first.output()).toContain(
    `path ${join(folder, ".runtime/node_modules", name, "bin/node")}`,
  );
  const askedOnce = runtimes.requests.length;
  expect(askedOnce).toBeGreaterThan(0);
  const second = bringNode(folder, env);
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(second.output()).not.toContain("installing");
  expect(runtimes.requests.length).toBe(askedOnce);
  await runtimes.stop();
});
