import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { type FileHandle, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openDiskStore } from "./disk.ts";
import { tempAgeMs } from "./temp-files.ts";

// Uses real files, threads and programs on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bottega-disk-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* textOf(text: string) {
  yield Buffer.from(text);
}

function leaveTemp(pid: number | string, modifiedAt: number): string {
  const name = `${pid}.some-boot.1`;
  mkdirSync(join(folder, "tmp"), { recursive: true });
  writeFileSync(join(folder, "tmp", name), "half");
  utimesSync(join(folder, "tmp", name), modifiedAt / 1000, modifiedAt / 1000);
  return name;
}

it("a start sweeps the temporary files of dead processes and earlier boots, and none in use", async () => {
  const now = Date.now();
  const ended = spawnSync(process.execPath, ["-e", ""]).pid;
  leaveTemp(ended, now);
  leaveTemp("strange", now);
  leaveTemp(process.pid, now - process.uptime() * 1000 - 60_000);
  const living = leaveTemp(process.ppid, now);
  openDiskStore({ folder });
  expect(await readdir(join(folder, "tmp"))).toEqual([living]);
  leaveTemp(process.ppid, now - tempAgeMs - 60_000);
  openDiskStore({ folder });
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});

it("a server killed with -9 in the middle of a file leaves no stored file, and the next start sweeps its parts", async () => {
  const store = JSON.stringify(new URL("./disk.ts", import.meta.url).href);
  const script = `
    const { openDiskStore } = await import(${store});
    async function* endless() {
      for (let count = 0; ; count += 1) {
        yield Buffer.alloc(65536, count);
        if (count === 20) process.send("writing");
      }
    }
    await openDiskStore({ folder: ${JSON.stringify(folder)} }).put(endless());
  `;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(server, "message");
  server.kill("SIGKILL");
  await once(server, "exit");
  expect((await readdir(join(folder, "tmp"))).length).toBe(1);
  const blobs = [];
  for await (const blob of openDiskStore({ folder }).list()) blobs.push(blob);
  expect(blobs).toEqual([]);
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});

it("a file exists under its name only once it is whole", async () => {
  const store = openDiskStore({ folder });
  const { sha256 } = await store.put(textOf("one two"));
  await store.delete(sha256);
  async function* slow() {
    yield Buffer.from("one ");
    expect(await store.stat(sha256)).toBeUndefined();
    yield Buffer.from("two");
    expect(await store.stat(sha256)).toBeUndefined();
  }
  expect(await store.put(slow())).toEqual({ sha256, bytes: 7 });
});

it("replaces a damaged file with a good one", async () => {
  const store = openDiskStore({ folder });
  const { sha256 } = await store.put(textOf("whole"));
  await writeFile(await store.localPath!(sha256), "who");
  await store.put(textOf("whole"));
  expect(await readFile(await store.localPath!(sha256), "utf8")).toBe("whole");
});

it("reports not_found when the file is removed between asking and reading", async () => {
  const store = openDiskStore({ folder });
  const { sha256 } = await store.put(textOf("short-lived"));
  const source = await store.get(sha256);
  await store.delete(sha256);
  const reading = async () => {
    for await (const _ of source);
  };
  await expect(reading()).rejects.toMatchObject({ code: "not_found" });
});

/** Opens files whose fsync fails while `isFailing` returns true. */
const opener =
  (flags: string, isFailing: () => boolean) =>
  async (path: string): Promise<FileHandle> => {
    const handle = await open(path, flags);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      if (isFailing()) throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
      await sync();
    };
    return handle;
  };

it("a failed fsync fails the upload: nothing is stored under the name, and the next try writes again", async () => {
  let isFailing = true;
  const store = openDiskStore({ folder, openTemp: opener("wx", () => isFailing) });
  await expect(store.put(textOf("durable"))).rejects.toMatchObject({ code: "unavailable" });
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
  for await (const blob of store.list()) throw new Error(`${blob.sha256} is there`);
  isFailing = false;
  const { sha256 } = await store.put(textOf("durable"));
  expect(await readFile(await store.localPath!(sha256), "utf8")).toBe("durable");
});

it("a file whose folder failed to fsync counts as stored only after another fsync, also when it is uploaded again", async () => {
  let isFailing = true;
  const store = openDiskStore({ folder, openFolder: opener("r", () => isFailing) });
  for (let i = 0; i < 2; i++)
    await expect(store.put(textOf("named"))).rejects.toMatchObject({ code: "unavailable" });
  isFailing = false;
  expect(await store.put(textOf("named"))).toMatchObject({ bytes: 5 });
});
