import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createTempFolder } from "../../support/temp.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");

/** The architecture's table: what each folder may import besides itself. */
const MAY_IMPORT: Record<string, string[]> = {
  contract: [],
  domain: ["contract"],
  store: ["contract", "domain"],
  blobs: ["contract", "domain"],
  providers: ["contract", "domain"],
  engine: ["contract", "domain", "store", "blobs", "providers"],
  server: ["contract", "domain", "store", "blobs", "engine"],
  commands: ["contract", "domain", "store", "blobs", "engine", "server"],
  web: ["contract", "domain"],
};
const folders = Object.keys(MAY_IMPORT);

/**
 * The complaints of the project's Biome settings about the imports in a file at `path` with this
 * text.
 */
function complaints(path: string, text: string): string {
  // Biome reports nothing for stdin, so the file is in a folder with the same settings.
  const folder = createTempFolder("arrows");
  for (const name of ["biome.json", ".gitignore"])
    copyFileSync(join(root, name), join(folder, name));
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const args = [
    biome,
    "lint",
    "--only=style/noRestrictedImports",
    "--max-diagnostics=none",
    "--colors=off",
    path,
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

/**
 * The specifiers that a file in `folder` may not import. Each has to be refused as an import, a
 * re-export and a dynamic import.
 */
function refused(folder: string, specifiers: string[]): string[] {
  const lines = specifiers.flatMap((specifier) => [
    `import * as a from "${specifier}";`,
    `export * from "${specifier}";`,
    `await import("${specifier}");`,
  ]);
  const said = complaints(`src/${folder}/deep/wrong.ts`, `${lines.join("\n")}\n`);
  const wrongLines = new Set(
    [...said.matchAll(/wrong\.ts:(\d+):\d+ lint\/style\/noRestrictedImports/g)].map(([, line]) =>
      Number(line),
    ),
  );
  return specifiers.filter((_specifier, index) =>
    [1, 2, 3].every((way) => wrongLines.has(index * 3 + way)),
  );
}

for (const folder of folders) {
  const forbidden = folders.filter(
    (other) => other !== folder && !MAY_IMPORT[folder]?.includes(other),
  );

  if (forbidden.length > 0) {
    it(`${folder} may not import ${forbidden.join(", ")}, however the path is written`, () => {
      const specifiers = forbidden.flatMap((other) => [
        `#${other}/a.ts`,
        `../../${other}/a.ts`,
        `../../../src/${other}/deep/a.ts`,
      ]);
      expect(refused(folder, specifiers)).toEqual(specifiers);
    });
  }

  it(`${folder} may import itself${MAY_IMPORT[folder]?.map((other) => `, ${other}`).join("")}`, () => {
    const specifiers = [
      "./a.ts",
      "../a.ts",
      ...(MAY_IMPORT[folder] ?? []).map((other) => `#${other}/deep/a.ts`),
    ];
    const text = specifiers.map((specifier) => `import * as a from "${specifier}";`).join("\n");
    expect(complaints(`src/${folder}/deep/right.ts`, text)).not.toContain("noRestrictedImports");
  });

  it(`${folder} may not import main.ts, which knows every part`, () => {
    expect(refused(folder, ["../../main.ts"])).toEqual(["../../main.ts"]);
  });
}

it("contract and domain do no I/O, and the browser's code has no modules of Node", () => {
  for (const folder of ["contract", "domain", "web"])
    expect(refused(folder, ["node:fs", "node:fs/promises"])).toEqual([
      "node:fs",
      "node:fs/promises",
    ]);
});

it("a refused import is reported with the right path", () => {
  expect(
    complaints("src/server/wrong.ts", 'import * as a from "#providers/index.ts";\n'),
  ).toContain("reach a provider through the engine");
});

it("every folder of src has its row in the table", () => {
  const present = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(present.map(({ name }) => name).filter((name) => !folders.includes(name))).toEqual([]);
});

it("no file turns the walls off for itself", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path),
  );
  const offenders = files.filter((path) =>
    readFileSync(join(root, "src", path), "utf8").includes("noRestrictedImports"),
  );
  expect(offenders).toEqual([]);
});
