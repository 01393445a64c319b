import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { onDisk, systemCode } from "./storage-problem.ts";

/** A temporary file is abandoned after this long without a write. */
export const tempAgeMs = 60 * 60_000;

export type OpenFile = (path: string) => Promise<FileHandle>;

type ReceivedFile = { path: string; sha256: string; bytes: number };

export type TempFiles = {
  /**
   * Writes and hashes the source into a new file, fsynced. Removes it if anything fails. The caller
   * moves or removes it.
   */
  receive(source: AsyncIterable<Uint8Array>): Promise<ReceivedFile>;
  remove(path: string): Promise<void>;
};

/**
 * Temporary files in a folder that is created and swept here. A name begins with its process's id,
 * so that leftovers of a killed server are recognized immediately. Tests pass `openFile` for a
 * failing disk. `sweep` is false for guests, because from another container a running server's
 * files seem to have no owner.
 */
export function openTempFiles(
  folder: string,
  openFile: OpenFile = (path) => open(path, "wx", 0o600),
  sweep = true,
): TempFiles {
  const boot = randomUUID();
  if (sweep) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const now = Date.now();
  if (sweep) sweepTempFiles(folder, { now, startedAt: now - process.uptime() * 1000 });
  let count = 0;

  async function receive(source: AsyncIterable<Uint8Array>): Promise<ReceivedFile> {
    count += 1;
    const path = join(folder, `${process.pid}.${boot}.${count}`);
    const handle = await onDisk(openFile(path));
    try {
      const hash = createHash("sha256");
      let bytes = 0;
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.byteLength;
        // On a handle writeFile continues at the current position, and repeats short writes.
        await onDisk(handle.writeFile(chunk));
      }
      await onDisk(handle.sync());
      await onDisk(handle.close());
      return { path, sha256: hash.digest("hex"), bytes };
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  return { receive, remove: (path) => onDisk(rm(path, { force: true })) };
}

/**
 * Removes leftovers: of a process that is gone, of an earlier boot that had this process's id (in a
 * container it is always the same), or untouched for an hour. Times are milliseconds since 1970.
 */
function sweepTempFiles(folder: string, options: { now: number; startedAt: number }): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const modifiedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const pid = Number(name.split(".")[0]);
    const isEarlierBoot = pid === process.pid && modifiedAt < options.startedAt;
    const isOld = options.now - modifiedAt > tempAgeMs;
    if (isEarlierBoot || isOld || !isAlive(pid)) rmSync(path, { force: true, recursive: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
