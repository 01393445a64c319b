import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type BlobStorage, openBlobStorage } from "#blobs/open-storage.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { collectBlobs } from "#engine/recover/collect.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import {
  createTestDatabase,
  type DatabaseName,
  forEachDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { createInstance, createTestClock, type TestClock } from "../../support/server/instance.ts";
import { createTempFolder } from "../../support/temp.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The storage that two databases share: a folder given to both, or a bucket. */
type Shared = () => BlobStorage;

async function sharedFolder(): Promise<Shared> {
  const folder = join(createTempFolder("shared"), "files");
  return () => openBlobStorage(undefined, folder, {});
}

async function sharedBucket(options: { ignoresConditions?: boolean } = {}): Promise<Shared> {
  const s3 = await startS3(options);
  onTestFinished(() => s3.stop());
  const env = { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey };
  return () => openBlobStorage(s3.url, createTempFolder("spool"), env);
}

async function serve(
  database: TestDatabase,
  storage: BlobStorage,
  clock: TestClock,
  isMoved = false,
) {
  const instance = await createInstance(database, {
    endsWithTest: true,
    start: false,
    storage,
    clock,
    isMoved,
  });
  const { engineDeps: deps } = instance;
  return {
    ...instance,
    deps,
    owner: deps.fileOwner!,
    /** An upload by a person of this database. */
    async upload(words: string): Promise<string> {
      const person = await instance.createPerson(`${crypto.randomUUID()}@example.org`);
      const given = { projectId: person.projectId, userId: person.user.id, name: "a.txt" };
      const source = (async function* () {
        yield Buffer.from(words);
      })();
      return (await saveUpload(deps, { ...given, source })).sha256;
    },
    async forget(sha256: string): Promise<void> {
      await instance.commit(({ tx }) =>
        tx
          .updateTable("asset")
          .set({ deleted_at: clock.now() })
          .where("blob_sha256", "=", sha256)
          .execute(),
      );
    },
    readWords: async (sha256: string) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of await deps.blobs.get(sha256)) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
  };
}

/** One database's rows in another, like a dump: what it knew about the files at that moment. */
async function copyRows(from: Awaited<ReturnType<typeof serve>>, to: TestDatabase): Promise<void> {
  const instance = await createInstance(to, { start: false });
  const { files_nonce, files_next, files_prefixes } = await from.store.db
    .selectFrom("instance")
    .selectAll()
    .executeTakeFirstOrThrow();
  const blobs = await from.store.db.selectFrom("blob").selectAll().execute();
  await instance.commit(async ({ tx }) => {
    await tx.updateTable("instance").set({ files_nonce, files_next, files_prefixes }).execute();
    if (blobs.length > 0) await tx.insertInto("blob").values(blobs).execute();
  });
  await instance.close();
}

for (const [where, share] of [
  ["folder", sharedFolder],
  ["bucket", sharedBucket],
] as const)
  forEachDatabase((name, create) => {
    const kind: DatabaseName = name;

    it(`${where}: an empty database on the files of another deletes none, writes apart and leaves the owner the owner`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const original = await serve(await create(), shared(), clock);
      const paid = await original.upload("what was paid for");
      const other = await serve(await createTestDatabase(kind), shared(), clock);
      expect([original.owner.ownership(), other.owner.ownership()]).toEqual(["owner", "copy"]);
      const own = await other.upload("made at the copy");
      await other.forget(own);
      clock.advance(2 * hourMs);
      await Promise.all([original.owner.poll(), other.owner.poll()]);
      expect(await collectBlobs(other.deps)).toBe(0);
      expect(await original.readWords(paid)).toBe("what was paid for");
      expect(await other.readWords(own)).toBe("made at the copy");
      expect(await original.deps.blobs.stat(own)).toBeUndefined();
      expect(original.owner.ownership()).toBe("owner");
    });

    it(`${where}: a copy started within a minute of its original deletes nothing, and is a copy once the original renews its mark`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const original = await serve(await create(), shared(), clock);
      const kept = await original.upload("known to both");
      const database = await createTestDatabase(kind);
      await copyRows(original, database);
      clock.advance(minuteMs / 2);
      const copy = await serve(database, shared(), clock, true);
      expect(copy.owner.ownership()).toBe("unsure");
      expect(copy.owner.mayDelete()).toBe(false);
      clock.advance(minuteMs / 2);
      await original.owner.poll();
      await copy.owner.poll();
      expect([original.owner.ownership(), copy.owner.ownership()]).toEqual(["owner", "copy"]);
      expect(await copy.readWords(kept)).toBe("known to both");
    });

    it(`${where}: a copy with a wrong clock takes no mark that its original renews`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const original = await serve(await create(), shared(), clock);
      await original.upload("known to both");
      for (const aheadMs of [-10 * minuteMs, 10 * minuteMs]) {
        const database = await createTestDatabase(kind);
        await copyRows(original, database);
        const copy = await serve(database, shared(), createTestClock(clock.now() + aheadMs), true);
        expect(copy.owner.ownership()).toBe("unsure");
        await original.owner.poll();
        expect(await copy.owner.poll()).toBe("copy");
        await expect(copy.owner.takeOver()).rejects.toMatchObject({ code: "conflict" });
        expect(await original.owner.poll()).toBe("owner");
      }
    });

    it(`${where}: a database moved while it wasn't served is the owner once its mark is unchanged for two minutes`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const original = await serve(await create(), shared(), clock);
      await original.upload("known to both");
      const database = await createTestDatabase(kind);
      await copyRows(original, database);
      const moved = await serve(database, shared(), clock, true);
      clock.advance(2 * minuteMs);
      expect(moved.owner.ownership()).toBe("unsure");
      expect(await moved.owner.poll()).toBe("owner");
      // The previous server would find another's nonce if it came back.
      expect(await original.owner.poll()).toBe("copy");
    });

    it(`${where}: a restored database owns the files once it takes them over, and not while its original renews the mark`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const original = await serve(await create(), shared(), clock);
      const old = await original.upload("in the backup");
      const database = await createTestDatabase(kind);
      await copyRows(original, database);
      clock.advance(10 * minuteMs);
      await original.owner.poll();
      const restored = await serve(database, shared(), clock, true);
      const own = await restored.upload("made since the restore");
      await expect(restored.owner.takeOver()).rejects.toMatchObject({ code: "conflict" });
      await original.owner.stop();
      await restored.owner.takeOver();
      expect(restored.owner.ownership()).toBe("owner");
      await restored.owner.bringTogether();
      const { blobs } = shared();
      expect(await blobs.stat(own)).toEqual({ bytes: 22 });
      expect(await restored.readWords(old)).toBe("in the backup");
      expect(
        (await restored.store.db.selectFrom("instance").selectAll().executeTakeFirstOrThrow())
          .files_prefixes,
      ).toBe("[]");
      await restored.forget(own);
      clock.advance(2 * hourMs);
      await restored.owner.poll();
      await collectBlobs(restored.deps);
      expect(await blobs.stat(own)).toBeUndefined();
    });

    it(`${where}: a storage without a mark is claimed only by the database whose rows name its files`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const database = await create();
      const before = await createInstance(database, { start: false, blobs: shared().blobs });
      const person = await before.createPerson("ada@example.org");
      const given = { projectId: person.projectId, userId: person.user.id, name: "a.txt" };
      const source = (async function* () {
        yield Buffer.from("from before there were marks");
      })();
      await saveUpload(before.engineDeps, { ...given, source });
      await before.close();
      expect((await serve(await createTestDatabase(kind), shared(), clock)).owner.ownership()).toBe(
        "copy",
      );
      expect((await serve(database, shared(), clock)).owner.ownership()).toBe("owner");
    });

    it(`${where}: a crash between the mark and the database's record leaves the owner the owner`, async () => {
      const [shared, clock] = [await share(), createTestClock()];
      const storage = shared();
      const database = await create();
      const first = await serve(database, storage, clock);
      // The storage has the nonce that the database has written but not confirmed.
      const next = crypto.randomUUID();
      await first.commit(({ tx }) =>
        tx.updateTable("instance").set({ files_next: next }).execute(),
      );
      const mark = await storage.mark.read();
      expect(await storage.mark.replace(mark, { nonce: next, renewedAt: clock.now() })).toBe(true);
      expect(
        await storage.mark.replace(mark, { nonce: crypto.randomUUID(), renewedAt: clock.now() }),
      ).toBe(false);
      expect(await first.owner.poll()).toBe("owner");
      expect(await first.owner.poll()).toBe("owner");
    });
  });

it("several servers of one database renew the mark in turns, and none counts as a copy", async () => {
  const [shared, clock] = [await sharedBucket(), createTestClock()];
  const database = await createTestDatabase("postgres");
  const servers = await Promise.all([1, 2, 3].map(() => serve(database, shared(), clock)));
  for (let minute = 0; minute < 5; minute++) {
    clock.advance(minuteMs);
    await Promise.all(servers.map(({ owner }) => owner.poll()));
    expect(servers.map(({ owner }) => owner.ownership())).toEqual(["owner", "owner", "owner"]);
  }
});

it("on a storage without conditional writes nothing is deleted", async () => {
  const [shared, clock] = [await sharedBucket({ ignoresConditions: true }), createTestClock()];
  const only = await serve(await createTestDatabase("sqlite"), shared(), clock);
  const sha256 = await only.upload("nobody else's, as far as is known");
  await only.forget(sha256);
  clock.advance(2 * hourMs);
  expect(await only.owner.poll()).toBe("owner");
  expect(await collectBlobs(only.deps)).toBe(0);
  expect(await only.deps.blobs.stat(sha256)).toBeDefined();
});

it("a server paused for longer than its mark lasts deletes nothing before it has checked again", async () => {
  const [shared, clock] = [await sharedFolder(), createTestClock()];
  const only = await serve(await createTestDatabase("sqlite"), shared(), clock);
  expect(only.owner.mayDelete()).toBe(true);
  clock.advance(10 * minuteMs);
  expect(only.owner.mayDelete()).toBe(false);
  await only.owner.poll();
  expect(only.owner.mayDelete()).toBe(true);
});
