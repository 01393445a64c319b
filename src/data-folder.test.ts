import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqlite } from "#store/database/sqlite.ts";
import { createTempFolder } from "../test/support/temp.ts";
import { openDataFolder } from "./data-folder.ts";

const clock = { monotonic: () => 0 };
const rightsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

async function open(folder: string) {
  const { release } = await openDataFolder(folder, clock);
  const store = openSqlite(join(folder, "bottega.db"), clock);
  await store.db.schema.createTable("note").ifNotExists().addColumn("text", "text").execute();
  return async () => {
    await store.close();
    release();
  };
}
const rights = (folder: string) =>
  [folder, ...["", "-wal", "-shm"].map((part) => join(folder, `bottega.db${part}`))].map(rightsOf);

it("only their owner can access the data folder and the database", async () => {
  const folder = join(createTempFolder("data"), "new", "data");
  const close = await open(folder);
  expect(rights(folder)).toEqual(["700", "600", "600", "600"]);
  await close();
});

it("permissions left open by an earlier start are closed", async () => {
  const folder = join(createTempFolder("data"), "old");
  mkdirSync(folder);
  const first = await openSqlite(join(folder, "bottega.db"), clock);
  await first.db.schema.createTable("note").addColumn("text", "text").execute();
  for (const part of ["", "-wal", "-shm"]) chmodSync(join(folder, `bottega.db${part}`), 0o644);
  chmodSync(folder, 0o755);
  const close = await open(folder);
  expect(rights(folder)).toEqual(["700", "600", "600", "600"]);
  await Promise.all([close(), first.close()]);
});
