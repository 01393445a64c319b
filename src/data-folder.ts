import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, link, mkdir, open, readFile, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onDisk } from "#blobs/storage-problem.ts";
import { keysForm, type WrittenKey } from "#engine/connections/key-ring.ts";
import { StartError } from "#store/database/migrate.ts";

/**
 * Caches the free space for this long: reading it at each of hundreds of admissions a second took
 * 4% of the server's work.
 */
const freeBytesMs = 1_000;

/**
 * The folder that contains everything, accessible only by its owner.
 * @throws StartError if it isn't writable, or if another server works on it
 */
export async function openDataFolder(
  folder: string,
  clock: { monotonic(): number },
  options: { shared: boolean } = { shared: false },
): Promise<{ release(): void; freeBytes(): Promise<number> }> {
  const probe = join(folder, `.write-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A folder on another user's volume keeps the rights that its owner gave it.
    await chmod(folder, 0o700).catch(() => undefined);
    await (await open(probe, "w")).close();
    await rm(probe);
  } catch (cause) {
    throw new StartError(
      `The data folder ${folder} can't be written (${(cause as NodeJS.ErrnoException).code}). Give this user the right to write there, or name another folder in BOTTEGA_DATA.`,
      { cause },
    );
  }
  let free: Promise<number> | undefined;
  let askedAt = 0;
  const askFree = async (): Promise<number> => {
    const facts = await onDisk(statfs(folder));
    return facts.bavail * facts.bsize;
  };
  return {
    // With PostgreSQL, ownership is in the database, and servers may share the folder of their
    // files.
    release: options.shared
      ? () => undefined
      : lockFile(
          join(folder, "server.lock"),
          `Another Bottega is already running on the data folder ${folder}. Stop it first, or name another folder in BOTTEGA_DATA.`,
        ),
    freeBytes() {
      if (free === undefined || clock.monotonic() - askedAt >= freeBytesMs) {
        askedAt = clock.monotonic();
        free = askFree();
      }
      return free;
    },
  };
}

const sqliteBusy = 5;

/**
 * The operating system frees this lock when the process ends in any way, kill -9 included: it is
 * SQLite's own lock, on a separate file.
 * @param waitMs how long to wait for a process that is about to end
 * @throws StartError with `inUse` while another process has it
 */
export function lockFile(path: string, inUse: string, waitMs = 0): () => void {
  const file = new DatabaseSync(path, { timeout: waitMs });
  try {
    file.exec("pragma journal_mode = delete; begin exclusive");
  } catch (cause) {
    file.close();
    const isLocked = cause instanceof Error && "errcode" in cause && cause.errcode === sqliteBusy;
    throw isLocked ? new StartError(inUse, { cause }) : cause;
  }
  return () => file.close();
}

const keyFileOf = (folder: string): string => join(folder, "master.key");

/**
 * The keys that seal secrets, newest first: from the settings, otherwise from master.key, which is
 * created at the first start and readable only by its owner.
 */
export async function readMasterKeys(
  folder: string,
  given: string | undefined,
): Promise<WrittenKey[]> {
  if (given) return parseKeys(given, "BOTTEGA_MASTER_KEY");
  const file = keyFileOf(folder);
  try {
    await chmod(file, 0o600);
    return parseKeys(await readFile(file, "utf8"), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  await makeKey(file);
  return parseKeys(await readFile(file, "utf8"), file);
}

/**
 * Reads an existing key file synchronously.
 * @throws the file system's error
 */
export const readKeyFile = (folder: string): WrittenKey[] =>
  parseKeys(readFileSync(keyFileOf(folder), "utf8"), keyFileOf(folder));

/** Replaces master.key in one step: a reader finds the old file or the new one. */
export async function writeKeyFile(folder: string, keys: readonly WrittenKey[]): Promise<void> {
  const file = keyFileOf(folder);
  const draft = await writeDraft(file, formatKeys(keys, "\n"));
  await rename(draft, file);
  // Windows can't open a folder.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const formatKeys = (keys: readonly WrittenKey[], between: string): string =>
  keys
    .map(({ version, key }) => {
      const digits = Buffer.from(key).toString("hex");
      return version === null ? digits : `${version}:${digits}`;
    })
    .join(between);

async function writeDraft(file: string, text: string): Promise<string> {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return draft;
}

/**
 * Written completely under another name first: of two servers that start at once in one folder, the
 * second uses the first's key.
 */
async function makeKey(file: string): Promise<void> {
  const draft = await writeDraft(file, randomBytes(32).toString("hex"));
  try {
    await link(draft, file).catch(async (error: NodeJS.ErrnoException) => {
      // Some network and USB file systems have no links; there the last of two wins.
      if (error.code !== "EEXIST") await rename(draft, file);
    });
  } finally {
    await rm(draft, { force: true });
  }
}

function parseKeys(text: string, place: string): WrittenKey[] {
  if (!keysForm.test(text.trim()))
    throw new StartError(
      `${place} is damaged: it must hold 64 hexadecimal digits. Put the right file back from a backup, for stored keys can't be opened without it.`,
    );
  return text
    .trim()
    .split(/[\s,]+/)
    .map((part) => {
      const [digits = "", version] = part.split(":").reverse();
      return {
        version: version === undefined ? null : Number(version),
        key: Buffer.from(digits, "hex"),
      };
    });
}
