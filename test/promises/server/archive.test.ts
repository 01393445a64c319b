import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync, truncateSync } from "node:fs";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { updateAssets } from "#store/content/assets.ts";
import type { AssetRow } from "#store/database/schema.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { readZip } from "../../support/read-zip.ts";
import {
  type Caller,
  createInstance,
  type Instance,
  until,
} from "../../support/server/instance.ts";

let instance: Instance;
let url: string;
let owner: Caller;

beforeAll(async () => {
  instance = await createInstance(await createTestDatabase("sqlite"));
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
  url = await instance.listen();
});
afterAll(() => instance.close());

/**
 * Larger than all buffers in between and random, so that most of it is still unread when the
 * headers of its archive arrive.
 */
async function upload(title: string): Promise<Asset> {
  const query = new URLSearchParams({ projectId: owner.projectId, name: title });
  const body = randomBytes(12 * 1024 ** 2);
  const response = await fetch(`${url}/api/v1/uploads?${query}`, {
    method: "POST",
    headers: { cookie: owner.cookie },
    body,
  });
  return ((await response.json()) as { asset: Asset }).asset;
}
const archive = (assets: readonly Asset[], init: RequestInit = {}) =>
  fetch(
    `${url}/api/v1/assets/archive?projectId=${owner.projectId}&ids=${assets.map((asset) => asset.id).join(",")}`,
    {
      ...init,
      headers: { cookie: owner.cookie },
    },
  );
const isAlive = async () => (await fetch(`${url}/healthz`)).status === 200;

const upTo = async (response: Response) => readZip(Buffer.from(await response.arrayBuffer()));

it("an archive lists files that the storage has lost, with their recipes, and holds the rest", async () => {
  const [whole, lost] = [await upload("whole.bin"), await upload("lost.bin")];
  await instance.deps.blobs.delete(lost.sha256);
  const files = await upTo(await archive([whole, lost]));
  expect([...files.keys()].sort()).toEqual([
    "lost.bin.recipe.json",
    "missing files.txt",
    "whole.bin",
    "whole.bin.recipe.json",
  ]);
  expect(files.get("missing files.txt")!.toString()).toMatch(/\n\nlost\.bin\n$/);
  expect(files.get("whole.bin")!.length).toBe(whole.bytes);
});

it("all matches of a filter download as one zip from one address, part by part", async () => {
  const small = async (title: string) => {
    const query = new URLSearchParams({ projectId: owner.projectId, name: title });
    const response = await fetch(`${url}/api/v1/uploads?${query}`, {
      method: "POST",
      headers: { cookie: owner.cookie },
      body: `words of ${title}`,
    });
    return ((await response.json()) as { asset: Asset }).asset;
  };
  const other = await instance.createPerson("other@example.org");
  const first = await small("heron.txt");
  const { row: _, ...row }: AssetRow & { row?: number } = await instance.store.db
    .selectFrom("asset")
    .selectAll()
    .where("id", "=", first.id)
    .executeTakeFirstOrThrow();
  // SQLite numbers its rows itself. More than are read at once, one of them hidden.
  const copies = Array.from({ length: 250 }, (_row, i) => ({
    ...row,
    id: uuid(),
    visibility: i === 7 ? ("author" as const) : row.visibility,
    created_by: i === 7 ? other.user.id : row.created_by,
  }));
  await instance.store.db.insertInto("asset").values(copies).execute();
  await small("stork.txt");
  await instance.commit((unit) =>
    updateAssets(unit, [first.id, ...copies.map(({ id }) => id)], { rating: 5 }),
  );
  const files = await upTo(
    await fetch(`${url}/api/v1/assets/archive?projectId=${owner.projectId}&rating=5..`, {
      headers: { cookie: owner.cookie },
    }),
  );
  expect(files.size).toBe(2 * 250);
  expect(files.get("heron 250.txt")?.toString()).toBe("words of heron.txt");
  expect([...files.keys()].some((name) => name.startsWith("stork"))).toBe(false);
  const none = await fetch(`${url}/api/v1/assets/archive?projectId=${owner.projectId}&q=nothing`, {
    headers: { cookie: owner.cookie },
  });
  expect(none.status).toBe(404);
});

it("the largest selection downloads as one zip", async () => {
  const asset = await upload("many.bin");
  const stored: AssetRow & { row?: number } = await instance.store.db
    .selectFrom("asset")
    .selectAll()
    .where("id", "=", asset.id)
    .executeTakeFirstOrThrow();
  // SQLite numbers its rows itself.
  const { row: _, ...row } = stored;
  const copies = Array.from({ length: limits.selectionAssets - 1 }, () => ({ ...row, id: uuid() }));
  for (let start = 0; start < copies.length; start += 100)
    await instance.store.db
      .insertInto("asset")
      .values(copies.slice(start, start + 100))
      .execute();
  const response = await archive([asset, ...copies.map(({ id }) => ({ ...asset, id }))]);
  expect(response.status).toBe(200);
  await response.body?.cancel();
});

it("a file that the storage loses during its archive's download is listed, and the rest is whole", async () => {
  const [first, lost] = [await upload("one.bin"), await upload("two.bin")];
  const response = await archive([first, lost]);
  expect(response.status).toBe(200);
  await instance.deps.blobs.delete(lost.sha256);
  const files = await upTo(response);
  expect(files.get("missing files.txt")!.toString()).toMatch(/\n\ntwo\.bin\n$/);
  expect(files.get("one.bin")!.length).toBe(first.bytes);
});

/** The descriptors with which this process has the asset's file open. */
const openFiles = ({ sha256 }: Asset): string[] =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes(sha256);
    } catch {
      // The listing's own file descriptor is closed by now.
      return false;
    }
  });

it.runIf(process.platform === "linux")(
  "a file that ends early cuts off its archive and nothing else",
  async () => {
    const asset = await upload("one.bin");
    const response = await archive([asset]);
    expect(response.status).toBe(200);
    // A file that is too short before it is opened is listed as missing instead.
    await until("the file is open", async () => openFiles(asset).length > 0);
    truncateSync(await instance.deps.blobs.localPath!(asset.sha256));
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await isAlive()).toBe(true);
  },
);

it.runIf(process.platform === "linux")(
  "disconnecting in the middle of an archive leaves no file open",
  async () => {
    const asset = await upload("large.bin");
    const leave = new AbortController();
    const response = await archive([asset], { signal: leave.signal });
    await until("the file is open", async () => openFiles(asset).length > 0);
    expect(response.status).toBe(200);
    leave.abort();
    await until("the file is closed", async () => openFiles(asset).length === 0);
    expect(await isAlive()).toBe(true);
  },
);
