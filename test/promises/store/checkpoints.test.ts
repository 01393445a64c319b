import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { createCheckpoints } from "#store/database/checkpoints.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import { until } from "../../support/server/instance.ts";
import { createTempFolder } from "../../support/temp.ts";

async function openNotes() {
  const folder = createTempFolder("checkpoints");
  const file = join(folder, "bottega.db");
  const store = openSqlite(file, { monotonic: () => performance.now() });
  await sql`create table note (text text)`.execute(store.db);
  const write = (text: string) =>
    store.write((tx) => sql`insert into note values (${text})`.execute(tx));
  return { folder, file, store, write };
}

it("commits reach the file itself while the server runs, far below the writer's own limit", async () => {
  const { folder, file, store, write } = await openNotes();
  onTestFinished(() => store.close());
  for (let i = 0; i < 40; i++) await write(`note ${i}`);
  /** The number of rows without the log. */
  function countInFile(): number {
    const copy = join(folder, "copy.db");
    copyFileSync(file, copy);
    const alone = new DatabaseSync(copy);
    try {
      return alone.prepare("select count(*) as notes from note").get()?.notes as number;
    } catch {
      return 0;
    } finally {
      alone.close();
    }
  }
  await until("the log in the file", async () => countInFile() >= 30);
});

it("a closed database is one file, whoever last checkpointed its log", async () => {
  const { file, store, write } = await openNotes();
  for (let i = 0; i < 100; i++) await write(`note ${i}`);
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
});

it("a thread that can't open the file ends, and doesn't block closing", async () => {
  const checkpoints = createCheckpoints(
    join(createTempFolder("checkpoints"), "nowhere", "bottega.db"),
  );
  for (let i = 0; i < 100; i++) checkpoints.committed();
  await checkpoints.close();
  for (let i = 0; i < 100; i++) checkpoints.committed();
  await checkpoints.close();
});

it("a file opens while a server is writing it, as doctor does", async () => {
  const { file, store, write } = await openNotes();
  onTestFinished(() => store.close());
  await write("a note");
  const { promise: isDone, resolve: end } = Promise.withResolvers<void>();
  const writing = store.write(async (tx) => {
    await sql`insert into note values ('another')`.execute(tx);
    await isDone;
  });
  await until("the write lock", async () => isLocked(file));
  const beside = openSqlite(file, { monotonic: () => performance.now() });
  const notes = await sql<{ notes: number }>`select count(*) as notes from note`.execute(beside.db);
  expect(notes.rows).toEqual([{ notes: 1 }]);
  await beside.close();
  end();
  await writing;
});

function isLocked(file: string): boolean {
  const other = new DatabaseSync(file, { timeout: 0 });
  try {
    other.exec("begin immediate");
    other.exec("rollback");
    return false;
  } catch {
    return true;
  } finally {
    other.close();
  }
}
