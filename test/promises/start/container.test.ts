import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serverArgs } from "../../../scripts/server-args.mjs";

/**
 * The Dockerfile's contents, as far as they can be checked without an engine; `node
 * scripts/container-size.mjs` runs its steps.
 */
const root = join(import.meta.dirname, "..", "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const lines = read("Dockerfile")
  .replace(/\\\n\s*/g, "")
  .split("\n");
const stages = lines
  .join("\n")
  .split(/^FROM /m)
  .slice(1);
const last = stages.at(-1)!.split("\n");
const wordsOf = (stage: string[], instruction: string): string[][] =>
  stage
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1).split(" "));

it("the image serves as node and not as root, with one volume that node owns", () => {
  expect(wordsOf(last, "USER")).toEqual([["node"]]);
  expect(wordsOf(last, "VOLUME")).toEqual([["/data"]]);
  expect(last).toContain("RUN mkdir /data && chown node:node /data");
  expect(last.findIndex((line) => line.startsWith("USER"))).toBeGreaterThan(
    last.findIndex((line) => line.includes("chown")),
  );
});

it("every image is named by version and digest, and all stages start from the same", () => {
  const pinned = /^[\w./-]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}$/;
  const bases = stages.map((stage) => stage.split(/\s/, 1)[0]!);
  expect(new Set(bases).size).toBe(1);
  const services = [...read("compose.yaml").matchAll(/^ +image: (\S+)$/gm)].map(
    ([, name]) => name!,
  );
  expect(services.length).toBeGreaterThan(2);
  for (const name of [...bases, ...services]) expect(name).toMatch(pinned);
});

it("it starts the build like npm start does, without a shell in between", () => {
  const [entry] = last.filter((line) => line.startsWith("ENTRYPOINT "));
  const words = JSON.parse(entry!.slice("ENTRYPOINT ".length)) as string[];
  // Warnings about experiments are Node's, and harmless in a log.
  const args = serverArgs.filter((arg) => !arg.startsWith("--disable-warning"));
  expect(words).toEqual(["node", ...args, "dist/main.js"]);
  expect(existsSync(join(root, "src", "main.ts"))).toBe(true);
});

it("files copied from the checkout exist, and the engine gets them", () => {
  const given = read(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  const copied = stages
    .flatMap((stage) => wordsOf(stage.split("\n"), "COPY"))
    .filter(([first]) => !first!.startsWith("--"))
    .flatMap((words) => words.slice(0, -1))
    .filter((path) => path !== ".");
  for (const path of new Set(copied)) {
    expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(given.some((one) => path === one || path.startsWith(`${one}/`))).toBe(true);
  }
  // The files that the last stage copies from the build: built or given.
  const made = wordsOf(last, "COPY")
    .filter(([from]) => from === "--from=build")
    .map((words) => words[1]!.slice("/app/".length));
  for (const path of made.filter((one) => one !== "dist")) expect(given).toContain(path);
});

it("every package in the image is imported by the server, and none is only for the browser", () => {
  const { dependencies } = JSON.parse(read("package.json")) as {
    dependencies: Record<string, string>;
  };
  const source = globSync("src/**/*.ts", { cwd: root })
    .filter((path) => !path.startsWith("src/web/") && !path.endsWith(".test.ts"))
    .map(read)
    .join("\n");
  const isImported = (name: string): boolean =>
    [`"${name}"`, `"${name}/`].some((words) => source.includes(words));
  expect(Object.keys(dependencies).filter((name) => !isImported(name))).toEqual([]);
});
