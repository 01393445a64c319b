import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDiskStore } from "./disk.ts";
import { tempAgeMs } from "./temp-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bottega-disk-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* once(text: string) {
  yield Buffer.from(text);
}

function leaveTemp(pid: number | string, modifiedAt: number): string {
  const name = `${pid}.some-boot.1`;
  mkdirSync(join(folder, "tmp"), { recursive: true });
  writeFileSync(join(folder, "tmp", name), "half");
  utimesSync(join(folder, "tmp", name), modifiedAt / 1000, modifiedAt / 1000);
  return name;
}

it("sweeps at the start what a dead process, an earlier boot or nobody at all was writing, and nothing that lives", async () => {
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

it("shows a file only once it is whole: until the source ends there is nothing under its name", async () => {
  const store = openDiskStore({ folder });
  const { sha256 } = await store.put(once("one two"));
  await store.delete(sha256);
  async function* slow() {
    yield Buffer.from("one ");
    expect(await store.stat(sha256)).toBeUndefined();
    yield Buffer.from("two");
    expect(await store.stat(sha256)).toBeUndefined();
  }
  expect(await store.put(slow())).toEqual({ sha256, bytes: 7 });
});

it("puts a good file in the place of one that was damaged", async () => {
  const store = openDiskStore({ folder });
  const { sha256 } = await store.put(once("whole"));
  await writeFile(store.localPath!(sha256), "who");
  await store.put(once("whole"));
  expect(await readFile(store.localPath!(sha256), "utf8")).toBe("whole");
});

it("says not_found when the file is removed between asking and reading", async () => {
  const store = openDiskStore({ folder });
  const { sha256 } = await store.put(once("short-lived"));
  const source = await store.get(sha256);
  await store.delete(sha256);
  const reading = async () => {
    for await (const _ of source);
  };
  await expect(reading()).rejects.toMatchObject({ code: "not_found" });
});
