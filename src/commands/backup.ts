import { chmod, copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BlobStore } from "#blobs/blob-store.ts";
import { copyBlob, copyVariants } from "#blobs/copy.ts";
import { openDiskStore } from "#blobs/disk.ts";
import type { Settings } from "#server/settings.ts";
import { appliedMigrations, migrationNames } from "#store/database/migrate.ts";
import type { TableReader } from "#store/database/table-lines.ts";
import { getBackupPlan } from "#store/runs/backup-plan.ts";
import { lockFile, readMasterKeys } from "../data-folder.ts";
import { clock, openReader, programVersion } from "../open.ts";
import { atOnce } from "./at-once.ts";
import {
  blobFolder,
  CommandError,
  databaseFolder,
  hashFile,
  isOfBackup,
  isOwnName,
  keyFile,
  type ListedFile,
  listBackups,
  type Manifest,
  manifestFile,
  nameOf,
  readListed,
  readManifest,
  writeManifest,
} from "./backup-format.ts";
import { copyDatabase, filesOf, instanceOf, type NeededFile, openTables } from "./backup-tables.ts";
import { writeLines } from "./file-lines.ts";
import { openFiles } from "./open-files.ts";
import { formatSize } from "./words.ts";

const copiesAtOnce = 4;
/** How long a server's backup waits for that of a server killed just now, which ends with it. */
const deadServerMs = 10_000;

/**
 * Copies the database and files into `folder` while the server works. The database is copied first,
 * as of one moment; then every file that it names. Files are removed only after their rows, so a
 * file missing by then shows that the copied database is too old, and it is copied again. In the
 * opposite order, a new row's file could be missing unnoticed. Complete files of an earlier backup
 * aren't copied again, and that backup stays valid until this one is finished.
 * @param options.keep the number of backups in the folder at the end: they share their files, and
 *   each has its own database. Without it, as many as the folder has, or as daily backups keep there
 * @param options.deep reads every existing file; otherwise only those changed since the earlier
 *   backup was finished
 */
export async function backup(
  settings: Settings,
  folder: string,
  options: { withKey: boolean; deep: boolean; keep: number | undefined },
  say: (line: string) => void,
): Promise<number> {
  await prepareFolder(folder);
  // Two at once would remove each other's databases.
  const release = lockFile(
    join(folder, "backup.lock"),
    `Another backup into ${folder} is running. Wait until it ends.`,
    process.connected ? deadServerMs : 0,
  );
  try {
    return await backupInto(settings, folder, options, say);
  } finally {
    release();
  }
}

async function backupInto(
  settings: Settings,
  folder: string,
  options: { withKey: boolean; deep: boolean; keep: number | undefined },
  say: (line: string) => void,
): Promise<number> {
  const earlier = await readManifest(folder);
  const before = await listBackups(folder);
  await checkSchema(settings);
  if (options.withKey) refuseKeyOfSettings(settings);
  const reader = await openReader(settings);
  const { files, plan } = await readSource(settings, reader).finally(() => reader.close());
  const planned = plan.folder !== null && resolve(plan.folder) === resolve(folder) ? plan.keep : 1;
  const kept = before.slice(0, (options.keep ?? Math.max(planned, before.length)) - 1);
  const unchanged = options.deep
    ? new Map<string, ListedFile>()
    : await readFinished(folder, earlier);
  const copier = createCopier(files, folder, unchanged);
  let copied = await copyMoment(settings, folder, copier, before);
  // A file that is still missing when the database is copied again wasn't deleted meanwhile, so it
  // is lost.
  for (let lacking = "[]"; JSON.stringify(copied.lacking) !== lacking; ) {
    lacking = JSON.stringify(copied.lacking);
    copied = await copyMoment(settings, folder, copier, before);
  }
  const manifest: Manifest = {
    ...copied.facts,
    format: 1,
    program: programVersion,
    migration: migrationNames.at(-1)!,
    masterKey: options.withKey,
  };
  if (options.withKey) await copyKey(settings, folder);
  // The previous backup keeps its manifest in its database folder before another replaces it.
  if (earlier && kept.length > 0) await writeManifest(join(folder, nameOf(earlier)), earlier);
  await writeManifest(folder, manifest);
  // An earlier backup that is kept can't be restored without its key.
  if (!options.withKey && !kept.some(({ masterKey }) => masterKey))
    await rm(keyFile(folder), { force: true });
  await removeOtherDatabases(folder, [manifest, ...kept]);
  const needed = new Set(copied.needed.keys());
  for (const one of kept)
    for await (const { sha256 } of readListed(folder, one)) needed.add(sha256);
  for (const sha256 of copier.to.names()) if (!needed.has(sha256)) await copier.to.delete(sha256);
  report(say, folder, manifest, copier.counts, copied.lacking);
  return copied.lacking.length > 0 ? 1 : 0;
}

async function readSource(settings: Settings, { read }: Awaited<ReturnType<typeof openReader>>) {
  const { files } = await openFiles(settings, read);
  return { files, plan: await getBackupPlan(read) };
}

type Copier = ReturnType<typeof createCopier>;

/**
 * The files of the finished backup in the folder, by hash, without those of an interrupted backup.
 * The list counts only if it is complete, because it decides which files aren't read.
 */
async function readFinished(
  folder: string,
  earlier: Manifest | undefined,
): Promise<Map<string, ListedFile>> {
  const finished = new Map<string, ListedFile>();
  if (!earlier) return finished;
  const path = join(folder, earlier.files.path);
  const found = await hashFile(path).catch(() => undefined);
  if (found?.sha256 !== earlier.files.sha256) return finished;
  for await (const file of readListed(folder, earlier)) finished.set(file.sha256, file);
  return finished;
}

/**
 * Copies each file once, however often the database is copied.
 * @param finished files that aren't read while they are unchanged since the earlier backup
 */
function createCopier(from: BlobStore, folder: string, finished: ReadonlyMap<string, ListedFile>) {
  const to = openDiskStore({ folder: blobFolder(folder) });
  const listed = new Map<string, ListedFile>();
  const counts = { copied: 0, present: 0, unread: 0 };
  const isUnchanged = (file: ListedFile, needed: NeededFile): boolean => {
    const names = Object.keys(file.variants ?? {});
    return (
      file.stamp !== undefined &&
      file.bytes === needed.bytes &&
      names.length === needed.variants.size &&
      names.every((name) => needed.variants.has(name)) &&
      to.stamp(file.sha256, names) === file.stamp
    );
  };
  return {
    to,
    counts,
    async copy(sha256: string, needed: NeededFile): Promise<ListedFile> {
      const known = listed.get(sha256);
      if (known) return known;
      const before = finished.get(sha256);
      if (before && isUnchanged(before, needed)) {
        counts.present++;
        counts.unread++;
        listed.set(sha256, before);
        return before;
      }
      const { bytes } = needed;
      const how = await copyBlob(from, to, sha256, bytes);
      if (how === "missing" || how === "damaged") return { sha256, bytes, lack: how };
      counts[how]++;
      const variants = await copyVariants(from, to, sha256, [...needed.variants]);
      const stamp = to.stamp(sha256, Object.keys(variants));
      const file = { sha256, bytes, variants, ...(stamp !== undefined && { stamp }) };
      listed.set(sha256, file);
      return file;
    },
  };
}

/**
 * The current database and all its files. `lacking` are the files missing or damaged in the
 * storage.
 */
async function copyMoment(
  settings: Settings,
  folder: string,
  copier: Copier,
  before: readonly Manifest[],
) {
  const at = new Date(clock.now()).toISOString();
  const name = databaseFolder(at);
  await removeOtherDatabases(folder, before);
  const database = await copyDatabase(settings, folder, name);
  const tables = openTables(folder, database);
  const [instance, needed] = await readFacts(tables).finally(() => tables.close());
  if (before.some((one) => one.instance.createdAt !== instance.createdAt))
    throw new CommandError(`${folder} contains a backup of another Bottega. Use another folder.`);
  const listed: ListedFile[] = [];
  await atOnce(
    copiesAtOnce,
    needed,
    async ([sha256, file]) => void listed.push(await copier.copy(sha256, file)),
  );
  listed.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const path = join(name, "files.ndjson");
  const { rows, ...part } = await writeLines(
    join(folder, path),
    listed.map((file) => JSON.stringify(file)),
  );
  const whole = listed.filter(({ lack }) => !lack);
  const totalBytes = whole.reduce((sum, { bytes }) => sum + bytes, 0);
  const lacking = listed.filter(({ lack }) => lack);
  return {
    facts: {
      at,
      instance,
      database,
      files: { path, ...part, count: rows - lacking.length, totalBytes },
    },
    needed,
    lacking,
  };
}

const readFacts = async (tables: TableReader) =>
  [await instanceOf(tables), await filesOf(tables)] as const;

/** @throws CommandError if it contains anything else */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  // A server's data folder with PostgreSQL has such names too; a backup there would delete its key
  // and its newest files.
  const foreign = names.find((name) => !isOwnName(name) || !names.some(isOfBackup));
  if (foreign !== undefined)
    throw new CommandError(
      `${folder} holds something else ("${foreign}"). Name an empty folder, or one with an earlier backup.`,
    );
}

/**
 * @throws CommandError if the database's schema isn't this program's, because the files to copy
 *   aren't known then
 */
async function checkSchema(settings: Settings): Promise<void> {
  const store = await openReader(settings);
  const applied = await appliedMigrations(store).finally(() => store.close());
  if (applied.join() !== migrationNames.join())
    throw new CommandError(
      `This database has the schema "${applied.at(-1) ?? "none"}", and this program "${migrationNames.at(-1)}". Use the program that serves it, or start the server once.`,
    );
}

/**
 * Removes databases that none of these manifests names: of an interrupted backup, or of an older
 * one.
 */
async function removeOtherDatabases(folder: string, kept: readonly Manifest[]): Promise<void> {
  const named = new Set(kept.map(nameOf));
  for (const name of await readdir(folder))
    if (name.startsWith("database-") && !named.has(name))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** @throws CommandError if the key isn't in a file */
function refuseKeyOfSettings(settings: Settings): void {
  if (settings.masterKey)
    throw new CommandError(
      "The master key is in BOTTEGA_MASTER_KEY, not in a file. Store it with that setting and leave out --with-key.",
    );
}

/**
 * Late and in one step: an earlier backup's key is the only one that fits it, until this backup is
 * known to be of the same Bottega and finished.
 */
async function copyKey(settings: Settings, folder: string): Promise<void> {
  await readMasterKeys(settings.dataFolder, undefined);
  const draft = `${keyFile(folder)}.draft`;
  await copyFile(keyFile(settings.dataFolder), draft);
  await chmod(draft, 0o600);
  await rename(draft, keyFile(folder));
}

function report(
  say: (line: string) => void,
  folder: string,
  manifest: Manifest,
  counts: { copied: number; present: number; unread: number },
  lacking: readonly ListedFile[],
): void {
  say(`The backup in ${folder} is complete (${manifestFile(folder)}).`);
  say(`Database: as of ${manifest.at}.`);
  say(
    `Files: ${manifest.files.count} (${formatSize(manifest.files.totalBytes)}), ${counts.copied} copied, ${counts.present} already there. ${counts.unread === 0 ? "Each was read and has its hash." : `${counts.unread} are unchanged since the last backup by size and time, and were not read: --deep reads them too.`}`,
  );
  say(
    manifest.masterKey
      ? "The master key is IN this backup. Anyone with the folder can decrypt the stored keys of your providers. Store it safely."
      : "The master key is not in this backup. The stored keys of your providers can't be decrypted without it. Store master.key (or BOTTEGA_MASTER_KEY) elsewhere.",
  );
  for (const { sha256, lack } of lacking)
    say(
      `${lack === "missing" ? "MISSING" : "DAMAGED"} in the storage, and so not in the backup: ${sha256}. "bottega doctor" says what needs it.`,
    );
}
