import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { storeBytes } from "#engine/ingest/store-bytes.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { collectBlobs } from "#engine/recover/collect.ts";
import { updateAssets } from "#store/content/assets.ts";
import { touchBlob } from "#store/content/blobs.ts";
import type { Commit } from "#store/runs/unit.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { createInstance, createTestClock } from "../../support/server/instance.ts";

const hourMs = 60 * 60_000;
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

forEachDatabase((_, create) => {
  it("unneeded bytes go after an hour; equal bytes added meanwhile stay, and so does a file that no row knows", async () => {
    const clock = createTestClock();
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      clock,
      start: false,
    });
    const { engineDeps: deps } = instance;
    const owner = await instance.createPerson("owner@example.org");
    const [unneeded, needed, wanted, stray] = [
      randomBytes(100),
      randomBytes(101),
      randomBytes(102),
      randomBytes(103),
    ];
    const keep = (bytes: Uint8Array) =>
      storeBytes(deps, async () => once(bytes), { mostBytes: 1_000 });
    const gone = await keep(unneeded);
    const again = await keep(wanted);
    const asset = await saveUpload(instance.engineDeps, {
      projectId: owner.projectId,
      userId: owner.user.id,
      name: "a.bin",
      source: once(needed),
    });
    const left = await deps.blobs.put(once(stray));

    clock.advance(hourMs / 2);
    expect(await collectBlobs(deps)).toBe(0);
    await keep(wanted);
    clock.advance(hourMs / 2 + 1);
    expect(await collectBlobs(deps)).toBe(1);
    expect(await deps.blobs.stat(gone.sha256)).toBeUndefined();
    expect(await deps.blobs.stat(left.sha256)).toBeDefined();
    expect(await deps.blobs.stat(again.sha256)).toBeDefined();
    expect(await deps.blobs.stat(asset.sha256)).toBeDefined();
  });

  it("equal bytes that arrive during the old ones' deletion are stored again", async () => {
    const clock = createTestClock();
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      clock,
      start: false,
    });
    const { engineDeps: deps } = instance;
    const bytes = randomBytes(64);
    const open = async () => once(bytes);
    const first = await storeBytes(deps, open, { mostBytes: 1_000 });
    clock.advance(2 * hourMs);
    // The collector has marked it and not yet deleted the file; a new reference must not rely on
    // it.
    await instance.commit(({ tx }) =>
      tx
        .updateTable("blob")
        .set({ state: "deleting" })
        .where("sha256", "=", first.sha256)
        .execute(),
    );
    expect(
      await instance.commit(({ tx }) => touchBlob(tx, { ...first, mime: "x/y", at: clock.now() })),
    ).toBe("deleting");
    const newcomer = storeBytes(deps, open, { mostBytes: 1_000 });
    await collectBlobs(deps);
    expect(await newcomer).toEqual(first);
    expect(await deps.blobs.stat(first.sha256)).toBeDefined();
  });

  it("a file of two assets goes with the second one, and a collection in between does nothing", async () => {
    const clock = createTestClock();
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      clock,
      start: false,
    });
    const { engineDeps: deps, commit } = instance;
    const [first, second] = [
      await instance.createPerson("first@example.org"),
      await instance.createPerson("second@example.org"),
    ];
    const bytes = randomBytes(100);
    const upload = ({ user, projectId }: typeof first) =>
      saveUpload(deps, { projectId, userId: user.id, name: "a.bin", source: once(bytes) });
    const assets = [await upload(first), await upload(second)];
    const { sha256 } = assets[0]!;
    const isUnchecked = async () =>
      (await instance.store.db.selectFrom("blob").select("needed_at").executeTakeFirstOrThrow())
        .needed_at === null;
    const end = (id: string) =>
      commit((unit) => updateAssets(unit, [id], { deletedAt: clock.now() }));

    clock.advance(2 * hourMs);
    expect(await collectBlobs(deps)).toBe(0);
    expect(await isUnchecked()).toBe(false);
    await end(assets[0]!.id);
    expect(await collectBlobs(deps)).toBe(0);
    expect(await isUnchecked()).toBe(false);
    await end(assets[1]!.id);
    expect(await collectBlobs(deps)).toBe(1);
    expect(await deps.blobs.stat(sha256)).toBeUndefined();
  });

  it("a hundred unneeded files go in three commits, however many others are needed", async () => {
    const clock = createTestClock();
    const { engineDeps: deps } = await createInstance(await create(), {
      endsWithTest: true,
      clock,
      start: false,
    });
    const rows = Array.from({ length: 100 }, (_, i) => ({
      sha256: String(i).padStart(64, "0"),
      bytes: 1,
      mime: "text/plain",
      state: "stored" as const,
      created_at: clock.now(),
    }));
    await deps.commit(({ tx }) => tx.insertInto("blob").values(rows).execute());
    clock.advance(2 * hourMs);
    let commits = 0;
    const commit: Commit = (work) => {
      commits++;
      return deps.commit(work);
    };
    expect(await collectBlobs({ ...deps, commit })).toBe(100);
    // The fourth finds nothing left.
    expect(commits).toBe(4);
    expect(await deps.store.db.selectFrom("blob").selectAll().execute()).toEqual([]);
  });
});
