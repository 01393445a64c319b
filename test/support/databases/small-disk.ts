import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createTempFolder } from "../temp.ts";

/** A disk that can be filled. Only programs started with the `inside` prefix see it. */
export type SmallDisk = {
  folder: string;
  inside: readonly string[];
  /** The folder's path for this process. */
  reach: string;
  /** Uses up the remaining space. */
  fill(): void;
  free(): void;
};

const isRoot = process.getuid?.() === 0;

/**
 * A tmpfs in a mount namespace that ends with the test's process, however that ends: a real full
 * disk that leaves nothing behind. Needs the right to mount, or to create a user namespace.
 * @returns undefined if the machine allows neither (a container without rights); report that and
 *   use `limitFiles`
 */
export async function openSmallDisk(bytes: number): Promise<SmallDisk | undefined> {
  const folder = join(createTempFolder("disk"), "small");
  await mkdir(folder);
  const script =
    'mount -t tmpfs -o "size=$1,mode=0700" bottega-test "$0" && echo mounted && exec cat';
  // cat ends when its standard input does, with this process.
  const holder = spawn(
    "unshare",
    [
      ...(isRoot ? [] : ["--user", "--map-root-user"]),
      "--mount",
      "sh",
      "-c",
      script,
      folder,
      String(bytes),
    ],
    {
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  const ended = once(holder, "close").catch(() => undefined);
  const isMounted = await Promise.race([
    once(holder.stdout, "data").then(() => true),
    ended.then(() => false),
  ]);
  if (!isMounted) {
    console.warn("This machine lets nobody mount a small disk: something weaker stands in for it.");
    return undefined;
  }
  onTestFinished(async () => {
    holder.stdin.end();
    await ended;
  });
  const space = [
    "--target",
    String(holder.pid),
    "--mount",
    ...(isRoot ? [] : ["--user", "--preserve-credentials"]),
  ];
  const reach = join(`/proc/${holder.pid}/root`, folder);
  const ballast = join(reach, "ballast");
  return {
    folder,
    inside: ["nsenter", ...space, "--"],
    reach,
    fill() {
      for (const block of [1 << 20, 1 << 12, 1]) writeUntilFull(ballast, block);
    },
    free: () => rmSync(ballast),
  };
}

function writeUntilFull(path: string, blockBytes: number): void {
  const block = Buffer.alloc(blockBytes, 1);
  for (;;) {
    try {
      writeFileSync(path, block, { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return;
      throw error;
    }
  }
}

/**
 * A work folder for this process on a small disk. Without the right to mount, an unusable folder
 * replaces a full one.
 */
export async function openScratchDisk(): Promise<Pick<SmallDisk, "folder" | "fill" | "free">> {
  const disk = await openSmallDisk(1024 ** 2);
  if (disk) return { folder: disk.reach, fill: disk.fill, free: disk.free };
  const folder = join(createTempFolder("scratch"), "scratch");
  const free = (): void => {
    rmSync(folder, { force: true });
    mkdirSync(folder);
  };
  const fill = (): void => {
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, "");
  };
  free();
  return { folder, fill, free };
}

/**
 * Limits the size of every file of a running process (undefined: no limit), like a failing disk: a
 * write gets EFBIG, which SQLite reports as an I/O error. Needs no rights for the person's own
 * processes. Node ignores the signal that accompanies it.
 */
export function limitFiles(pid: number, bytes: number | undefined): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes ?? "unlimited"}:unlimited`]);
}

/** The prefix that limits file sizes for a program from its start. */
export const withFilesUpTo = (bytes: number): readonly string[] => [
  "prlimit",
  `--fsize=${bytes}:unlimited`,
  "--",
];
