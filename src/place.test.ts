import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { migrate } from "#store/database/migrate.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import { ensureInstance } from "#store/people/people.ts";
import { getPlace, setPlace } from "#store/runs/epoch.ts";
import { findPlace, leavePlace } from "./place.ts";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "place-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "data");
}

async function open(folder: string): Promise<Store> {
  mkdirSync(folder, { recursive: true });
  const store = openSqlite(join(folder, "bottega.db"), { monotonic: () => performance.now() });
  await migrate(store, 0);
  await store.write((tx) => ensureInstance(tx, "epoch", 0));
  return store;
}

/**
 * Starts like the server.
 * @returns the reason that the database has moved; null if it hasn't
 */
async function start(
  folder: string,
  change: (said: string) => string = (said) => said,
): Promise<string | null> {
  const store = await open(folder);
  try {
    const said = await getPlace(store.db);
    const { place, whyNew, keep } = await findPlace(store, folder);
    await store.write((tx) => setPlace(tx, place));
    await keep();
    return whyNew(said === null ? null : change(said));
  } finally {
    await store.close();
  }
}

async function stop(folder: string): Promise<void> {
  const store = await open(folder);
  await leavePlace(store, folder);
  await store.close();
}

it("the first start is at home, and so is every later one, after a clean stop or a crash", async () => {
  const folder = createFolder();
  expect(await start(folder)).toBeNull();
  expect(await start(folder)).toBeNull();
  await stop(folder);
  expect(await start(folder)).toBeNull();
});

it("a start that died between the folder and the database is at home the next time, however often", async () => {
  const folder = createFolder();
  await start(folder);
  for (let n = 0; n < 3; n++) {
    const store = await open(folder);
    await findPlace(store, folder);
    await store.close();
  }
  expect(await start(folder)).toBeNull();
});

it("a renamed folder is at home, and a copied one isn't", async () => {
  const folder = createFolder();
  await start(folder);
  renameSync(folder, `${folder}-renamed`);
  expect(await start(`${folder}-renamed`)).toBeNull();
  cpSync(`${folder}-renamed`, `${folder}-copied`, { recursive: true, preserveTimestamps: true });
  expect(await start(`${folder}-copied`)).toBe("copy");
});

it("an older database put in place of the current one isn't at home, and neither is one without its mark", async () => {
  const folder = createFolder();
  await start(folder);
  const older = readFileSync(join(folder, "bottega.db"));
  await stop(folder);
  writeFileSync(join(folder, "bottega.db"), older);
  expect(await start(folder)).toBe("restore");
  expect(await start(folder)).toBeNull();
  rmSync(join(folder, "place.json"));
  expect(await start(folder)).toBe("copy");
});

it("a database from before places is at home, unless its folder knows a place", async () => {
  const folder = createFolder();
  await start(folder);
  const store = await open(folder);
  await store.write((tx) => tx.updateTable("instance").set({ place: null }).execute());
  await store.close();
  expect(await start(folder)).toBe("restore");
});

it("another machine's ID is another place, and an unknown ID is none", async () => {
  const folder = createFolder();
  await start(folder);
  const on = (machine: string | null) => (said: string) =>
    JSON.stringify({ ...(JSON.parse(said) as object), machine });
  expect(await start(folder, on(null))).toBeNull();
  const knows = JSON.parse(await placeOf(folder)).machine !== null;
  expect(await start(folder, on("another"))).toBe(knows ? "copy" : null);
});

async function placeOf(folder: string): Promise<string> {
  const store = await open(folder);
  const place = await getPlace(store.db);
  await store.close();
  return place ?? "{}";
}
