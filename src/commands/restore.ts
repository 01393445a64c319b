import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyBlob, copyVariants } from "#blobs/copy.ts";
import { openDiskStore } from "#blobs/disk.ts";
import { openBlobStore } from "#blobs/open-storage.ts";
import { checkOf } from "#engine/connections/key-ring.ts";
import type { Settings } from "#server/settings.ts";
import { openDataFolder } from "../data-folder.ts";
import { clock, databaseFile } from "../open.ts";
import { atOnce } from "./at-once.ts";
import {
  blobFolder,
  CommandError,
  hashFile,
  keyFile,
  listBackups,
  type Manifest,
  type Part,
  readListed,
  readManifest,
} from "./backup-format.ts";
import { isEmptyTarget, restoreDatabase } from "./restore-tables.ts";
import { formatSize } from "./words.ts";

const copiesAtOnce = 4;
export type RestoreOptions = {
  replace: boolean;
  withoutKey: boolean;
  skipDamaged: boolean;
  /**
   * The time of an earlier backup in the folder, or a unique prefix of it; by default the newest is
   * restored.
   */
  at?: string | undefined;
};

/**
 * Restores a backup into an empty place. Everything is checked against its hash; files are copied
 * first and the database last, so that a place with a database is complete. The database is marked
 * as served from nowhere, so the first start begins a new epoch.
 * @throws CommandError with the next step, before anything existing is changed
 */
export async function restore(
  settings: Settings,
  folder: string,
  options: RestoreOptions,
  say: (line: string) => void,
): Promise<number> {
  const manifest = await chooseBackup(folder, options.at);
  const data = await openDataFolder(settings.dataFolder, clock, {
    shared: settings.databaseUrl !== undefined,
  });
  try {
    if (!options.replace && !(await isEmptyTarget(settings)))
      throw new CommandError(
        `There is a database in ${settings.databaseUrl ? "the place that DATABASE_URL names" : databaseFile(settings.dataFolder)}. Name an empty place, or say --replace: then it is replaced, and what is in it is lost.`,
      );
    await checkParts(folder, manifest);
    const key = await chooseKey(settings, folder, manifest, options);
    const files = await copyFiles(settings, folder, manifest, options, say);
    if (key) await writeKey(settings.dataFolder, key);
    await restoreDatabase(settings, folder, manifest, options);
    report(say, manifest, options, files);
    return files.damaged.length > 0 ? 1 : 0;
  } finally {
    data.release();
  }
}

async function chooseBackup(folder: string, at: string | undefined): Promise<Manifest> {
  const newest = await readManifest(folder);
  if (!newest)
    throw new CommandError(
      `${folder} holds no finished backup: there is no manifest.json in it. Was it cut off?`,
    );
  if (at === undefined) return newest;
  const backups = await listBackups(folder);
  const [found, ...more] = backups.filter((one) => one.at.startsWith(at));
  if (found && more.length === 0) return found;
  throw new CommandError(
    `${folder} holds ${found ? "several backups" : "no backup"} of ${at}. It has: ${backups.map((one) => one.at).join(", ")}.`,
  );
}

const partsOf = ({ database, files }: Manifest): Part[] => [
  ...(database.engine === "sqlite" ? [database.file] : database.tables),
  files,
];

async function checkParts(folder: string, manifest: Manifest): Promise<void> {
  for (const part of partsOf(manifest)) {
    const found = await hashFile(join(folder, part.path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (found?.sha256 !== part.sha256)
      throw new CommandError(
        `This backup is damaged: ${part.path} ${found ? "is not what was written" : "is missing"}. Nothing was restored.`,
      );
  }
}

/**
 * Chooses the key that opens the backup's secrets.
 * @returns its text if it has to be written into the data folder; null if it is already there, or
 *   is given up
 */
async function chooseKey(
  settings: Settings,
  folder: string,
  manifest: Manifest,
  options: RestoreOptions,
): Promise<string | null> {
  if (options.withoutKey) return null;
  const isRight = (text: string): boolean =>
    text
      .split(/[\s,]+/)
      .some(
        (key) =>
          checkOf(Buffer.from(key.replace(/^\d+:/, ""), "hex")) ===
          manifest.instance.masterKeyCheck,
      );
  const present = settings.masterKey ?? (await readText(keyFile(settings.dataFolder)));
  if (present !== undefined) {
    if (isRight(present)) return null;
    throw new CommandError(
      `The master key of this place (${settings.masterKey ? "BOTTEGA_MASTER_KEY" : keyFile(settings.dataFolder)}) is not the one of the backup. Put the right one there, or say --without-key: then the keys of connections have to be entered again.`,
    );
  }
  const kept = manifest.masterKey ? await readText(keyFile(folder)) : undefined;
  if (kept !== undefined && isRight(kept)) return kept;
  throw new CommandError(
    kept === undefined
      ? `This backup was made without its master key. Put master.key into ${settings.dataFolder} or set BOTTEGA_MASTER_KEY. Or use --without-key and enter the keys of connections again.`
      : "The master.key in this backup does not match its data. Nothing was restored.",
  );
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

async function writeKey(dataFolder: string, key: string): Promise<void> {
  await writeFile(`${keyFile(dataFolder)}.draft`, key, { mode: 0o600 });
  await rename(`${keyFile(dataFolder)}.draft`, keyFile(dataFolder));
}

type Restored = { copied: number; present: number; damaged: string[]; lacking: string[] };

/**
 * @throws CommandError that names every damaged file of the backup, unless --skip-damaged is set
 */
async function copyFiles(
  settings: Settings,
  folder: string,
  manifest: Manifest,
  options: RestoreOptions,
  say: (line: string) => void,
): Promise<Restored> {
  // A disk store would create a missing folder, in a backup that may be read-only.
  const from = openDiskStore({ folder: blobFolder(folder), sweep: false });
  const to = openBlobStore(settings.blobUrl, settings.dataFolder, process.env);
  const restored: Restored = { copied: 0, present: 0, damaged: [], lacking: [] };
  await atOnce(
    copiesAtOnce,
    readListed(folder, manifest),
    async ({ sha256, bytes, lack, variants = {} }) => {
      if (lack) return void restored.lacking.push(sha256);
      const how = await copyBlob(from, to, sha256, bytes);
      if (how === "copied" || how === "present") restored[how]++;
      else return void restored.damaged.push(`${sha256} (${how})`);
      const derived = await copyVariants(from, to, sha256, Object.keys(variants));
      for (const [name, hash] of Object.entries(variants))
        if (derived[name] !== hash) restored.damaged.push(`${sha256}, its ${name}`);
    },
  );
  if (restored.damaged.length === 0) return restored;
  for (const name of restored.damaged) say(`DAMAGED in the backup: ${name}`);
  if (!options.skipDamaged)
    throw new CommandError(
      "This backup is damaged: the files listed above differ from the originals. Nothing was restored to the database. Use another backup, or restore the rest with --skip-damaged.",
    );
  return restored;
}

function report(
  say: (line: string) => void,
  manifest: Manifest,
  options: RestoreOptions,
  files: Restored,
): void {
  say(
    `Restored: the database as of ${manifest.at}, and ${files.copied + files.present} files (${formatSize(manifest.files.totalBytes)}), each with its hash.`,
  );
  for (const sha256 of files.lacking)
    say(`Not in the backup, for the storage did not have it: ${sha256}`);
  if (options.withoutKey) say("The stored keys of connections were removed. Enter them again.");
  say(
    "Everyone must sign in again. Nothing is sent automatically: queued runs need approval, and active runs are unconfirmed.",
  );
}
