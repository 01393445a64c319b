import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type KeptTable, keptTables } from "#store/database/table-list.ts";
import { readLines } from "./file-lines.ts";

/**
 * A backup is a folder. `manifest.json`, written last, names a folder with the database of one
 * moment and a list of that database's files; `blobs/` contains the files, like a data folder;
 * `master.key` is there if it was requested. An earlier backup that is kept has its manifest in its
 * own database folder, and shares the files.
 */
const formatVersion = 1;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const part = z.object({ path: z.string(), bytes: z.int(), sha256: hash });
const manifestSchema = z.object({
  format: z.literal(formatVersion),
  program: z.string(),
  migration: z.string(),
  /** When the database was copied, in ISO 8601. */
  at: z.iso.datetime(),
  instance: z.object({
    createdAt: z.int(),
    epoch: z.string(),
    masterKeyCheck: z.string().nullable(),
  }),
  masterKey: z.boolean(),
  database: z.discriminatedUnion("engine", [
    z.object({ engine: z.literal("sqlite"), file: part }),
    z.object({
      engine: z.literal("postgres"),
      tables: z.array(part.extend({ table: z.enum(keptTables as [KeptTable]), rows: z.int() })),
    }),
  ]),
  /** The list of files, one JSON line each. */
  files: part.extend({ count: z.int(), totalBytes: z.int() }),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type Part = z.infer<typeof part>;

/**
 * A stored file with its derived files. `lack` is the reason that it isn't in the backup: missing
 * or damaged in the storage.
 */
const listedFile = z.object({
  sha256: hash,
  bytes: z.int(),
  lack: z.enum(["missing", "damaged"]).optional(),
  variants: z.record(z.string(), hash).optional(),
  /**
   * The stamp of the backup's copy and its derived files when the backup was made
   * (DiskStore.stamp).
   */
  stamp: z.string().optional(),
});
export type ListedFile = z.infer<typeof listedFile>;

/** A sentence for the person who ran the command; its exit code is 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

export const manifestFile = (folder: string): string => join(folder, "manifest.json");
export const blobFolder = (folder: string): string => join(folder, "blobs");
export const keyFile = (folder: string): string => join(folder, "master.key");
/** Whether a name in a backup's folder belongs to the backup. */
export const isOwnName = (name: string): boolean =>
  /^((manifest\.json|master\.key)(\.draft)?|backup\.lock(-journal)?|blobs|database-[0-9TZ-]+)$/.test(
    name,
  );
/** Whether a name exists from a backup's start, and in no data folder. */
export const isOfBackup = (name: string): boolean =>
  /^(manifest\.json|backup\.lock|database-[0-9TZ-]+)$/.test(name);
/** The folder of a manifest's database. */
export const nameOf = ({ files }: Manifest): string => files.path.split(/[/\\]/)[0]!;
export const databaseFolder = (at: string): string => `database-${at.replaceAll(/[:.]/g, "-")}`;

export async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const sum = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    sum.update(chunk as Buffer);
    bytes += (chunk as Buffer).byteLength;
  }
  return { bytes, sha256: sum.digest("hex") };
}

/** @returns undefined without one: the backup was never finished */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(manifestFile(folder), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      throw error;
    },
  );
  if (text === undefined) return undefined;
  const read = manifestSchema.safeParse(parse(text));
  if (read.success) return read.data;
  throw new CommandError(
    `${manifestFile(folder)} is damaged, or of a newer Bottega. Nothing was done.`,
  );
}

/**
 * Every finished backup in a folder, newest first. Backups with a damaged manifest are left out.
 */
export async function listBackups(folder: string): Promise<Manifest[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const kept = await Promise.all([
    readManifest(folder),
    ...names
      .filter((name) => name.startsWith("database-"))
      .map((name) => readManifest(join(folder, name)).catch(() => undefined)),
  ]);
  const byTime = new Map(kept.flatMap((one) => (one ? [[one.at, one] as const] : [])));
  return [...byTime.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function* readListed(folder: string, { files }: Manifest): AsyncGenerator<ListedFile> {
  for await (const line of readLines(join(folder, files.path)))
    yield listedFile.parse(JSON.parse(line));
}

/** The last step of a backup: all files of a manifest exist before it. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = `${manifestFile(folder)}.draft`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifestSchema.parse(manifest), null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, manifestFile(folder));
  await syncFolder(dirname(manifestFile(folder)));
}

async function syncFolder(path: string): Promise<void> {
  // Windows can't open a folder.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
