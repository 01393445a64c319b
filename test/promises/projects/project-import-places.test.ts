import { v7 as uuid } from "uuid";
import { expect, it, onTestFinished } from "vitest";
import { openBlobStore } from "#blobs/open-storage.ts";
import type { Asset } from "#contract/entities.ts";
import { collectBlobs } from "#engine/recover/collect.ts";
import { insertImportFile } from "#store/content/project-imports.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  createTestClock,
  type Instance,
  until,
} from "../../support/server/instance.ts";
import {
  exportProject,
  importArchive,
  listImports,
  pack,
  rowsOf,
  sendArchive,
  setRows,
  sha256Of,
  sign,
  takeApart,
} from "../../support/studio/project-archives.ts";

const hourMs = 60 * 60_000;
const words = "Twelve arches.";

async function open(instance: Instance, email: string): Promise<Caller & { url: string }> {
  return { ...(await instance.createPerson(email)), url: await instance.listen() };
}

/** An archive with one file and the given number of assets. */
async function archiveOf(person: Caller & { url: string }, assets = 1): Promise<Buffer> {
  const query = new URLSearchParams({ projectId: person.projectId, name: "notes.txt" });
  await fetch(`${person.url}/api/v1/uploads?${query}`, {
    method: "POST",
    headers: { cookie: person.cookie },
    body: words,
  });
  const parts = await takeApart(await exportProject(person, person.projectId));
  const [row] = rowsOf(parts, "assets");
  setRows(
    parts,
    "assets",
    Array.from({ length: assets }, (_, i) => ({ ...row, id: uuid(), title: `note ${i}` })),
  );
  sign(parts);
  return pack(parts);
}

onSqlite((create) => {
  it("three thousand assets of one file arrive whole, in their order", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true });
    const ada = await open(instance, "ada@example.org");
    const zip = await archiveOf(ada, 3_000);
    const { projectId, state } = await importArchive(ada, zip);
    expect(state).toBe("done");
    const { body } = await ada.call<{ all: number }>("countAssets", {
      query: { projectId: projectId! },
    });
    expect(body.all).toBe(3_000);
    const again = await takeApart(await exportProject(ada, projectId!));
    expect(rowsOf(again, "assets").map(({ title }) => title)).toEqual(
      Array.from({ length: 3_000 }, (_, i) => `note ${i}`),
    );
    expect([...again.entries.keys()].filter((name) => name.startsWith("files/"))).toHaveLength(1);
  });

  it("an archive is read in place, in a bucket as on a disk", async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.stop());
    const database = await create();
    const blobs = openBlobStore(s3.url, database.dataFolder, {
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    });
    const instance = await createInstance(database, { endsWithTest: true, blobs });
    const ada = await open(instance, "ada@example.org");
    const { projectId, state, problem } = await importArchive(ada, await archiveOf(ada));
    expect([state, problem]).toEqual(["done", null]);
    const { body } = await ada.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: projectId! },
    });
    expect(body.assets.map(({ sha256 }) => sha256)).toEqual([sha256Of(Buffer.from(words))]);
  });

  it("on a full disk no archive is accepted, and a running import ends with the reason and leaves nothing", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, role: "web" });
    const ada = await open(instance, "ada@example.org");
    const zip = await archiveOf(ada);
    let freeBytes = 1_000;
    instance.engineDeps.freeBytes = async () => freeBytes;
    expect((await sendArchive(ada, zip)).status).toBe(507);
    freeBytes = 512 * 1024 ** 2 + 10;
    expect((await sendArchive(ada, zip)).status).toBe(507);
    freeBytes = 2 * 1024 ** 3;
    expect((await sendArchive(ada, zip)).status).toBe(200);
    freeBytes = 1_000;
    const { startImports } = await import("#engine/imports/imports.ts");
    const imports = startImports(instance.engineDeps, "a worker");
    onTestFinished(imports.stop);
    const ended = await until("it has ended", async () =>
      (await listImports(ada)).find(({ state }) => state === "failed"),
    );
    expect(ended.problem).toMatch(/server’s disk is full/);
    const hidden = () =>
      instance.store.db
        .selectFrom("project")
        .selectAll()
        .where("id", "!=", ada.projectId)
        .execute();
    expect(await hidden()).toEqual([]);
  });

  it("the collector leaves a running import's archive and files alone, however long it takes", async () => {
    const clock = createTestClock();
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      clock,
      start: false,
    });
    const { engineDeps: deps } = instance;
    const ada = await open(instance, "ada@example.org");
    const { body } = await sendArchive(ada, await archiveOf(ada));
    const { id } = body.import as { id: string };
    const [row] = await instance.store.db.selectFrom("project_import").selectAll().execute();
    const kept = await deps.blobs.put(
      (async function* () {
        yield Buffer.from("a file of it");
      })(),
    );
    await deps.commit(async ({ tx }) => {
      await tx
        .insertInto("blob")
        .values({ ...kept, mime: "text/plain", state: "stored", created_at: clock.now() })
        .execute();
      await insertImportFile(tx, id, kept.sha256, {
        kind: "text",
        mime: "text/plain",
        bytes: 12,
        width: null,
        height: null,
        duration_ms: null,
        thumbhash: null,
        variants: [],
      });
    });
    clock.advance(30 * hourMs);
    expect(await collectBlobs(deps)).toBe(0);
    await deps.commit(async ({ tx }) => {
      await tx.deleteFrom("import_file").execute();
      await tx.updateTable("project_import").set({ cleaned_at: clock.now() }).execute();
    });
    expect(await collectBlobs(deps)).toBe(2);
    expect(await deps.blobs.stat(row!.blob_sha256)).toBeUndefined();
  });

  it("a stopped import writes nothing more, and nothing of it stays", async () => {
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      failpoints: "import.file=delay:500",
    });
    const ada = await open(instance, "ada@example.org");
    const { body } = await sendArchive(ada, await archiveOf(ada));
    const row = () =>
      instance.store.db.selectFrom("project_import").selectAll().executeTakeFirstOrThrow();
    await until("a worker has it", async () => (await row()).worker_id !== null);
    expect(
      (await ada.call("removeImport", { params: { importId: (body.import as { id: string }).id } }))
        .status,
    ).toBe(200);
    expect(await listImports(ada)).toEqual([]);
    await until("it is cleaned up after", async () => (await row()).cleaned_at !== null);
    expect((await row()).state).toBe("cancelled");
    expect(
      await instance.store.db
        .selectFrom("project")
        .selectAll()
        .where("id", "!=", ada.projectId)
        .execute(),
    ).toEqual([]);
    expect(await instance.store.db.selectFrom("import_file").selectAll().execute()).toEqual([]);
  });

  it("an import whose owner is suspended ends at its next step, before any row of it is written", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true });
    const ada = await open(instance, "ada@example.org");
    const zip = await archiveOf(ada);
    const atFile = Promise.withResolvers<void>();
    const suspended = Promise.withResolvers<void>();
    const reached: string[] = [];
    instance.engineDeps.failpoints = {
      has: () => false,
      at(name) {
        reached.push(name);
        if (name !== "import.file") return undefined;
        atFile.resolve();
        return suspended.promise;
      },
    };
    await sendArchive(ada, zip);
    await atFile.promise;
    await instance.store.write((tx) =>
      tx.updateTable("user").set({ status: "suspended" }).where("id", "=", ada.user.id).execute(),
    );
    suspended.resolve();
    const row = () =>
      instance.store.db.selectFrom("project_import").selectAll().executeTakeFirstOrThrow();
    await until("it is cleaned up after", async () => (await row()).cleaned_at !== null);
    expect(await row()).toMatchObject({
      state: "failed",
      problem: "The person who started this import is suspended.",
    });
    expect(reached).not.toContain("import.rows");
  });

  it("a hidden project is in no admin's list, and isn't transferred with the others", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, role: "web" });
    const owner = await instance.createPerson("owner@example.org", { role: "owner" });
    const ada = await open(instance, "ada@example.org");
    expect((await sendArchive(ada, await archiveOf(ada))).status).toBe(200);
    const [row] = await instance.store.db.selectFrom("project_import").selectAll().execute();
    await instance.commit(({ tx }) =>
      tx
        .insertInto("project")
        .values({
          id: row!.project_id,
          name: "half",
          description: "",
          instructions: "",
          owner_id: ada.user.id,
          defaults: "{}",
          seq: 0,
          archived_at: null,
          created_at: 1,
        })
        .execute(),
    );
    const payers = await owner.call("listPayers", { query: { scope: "project" } });
    expect(payers.status).toBe(200);
    expect(JSON.stringify(payers.body)).not.toContain(row!.project_id);
    expect(
      (
        await owner.call("updatePerson", {
          params: { userId: ada.user.id },
          body: { status: "suspended" },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await owner.call("handOver", {
          params: { userId: ada.user.id },
          body: { toUserId: owner.user.id },
        })
      ).status,
    ).toBe(200);
    expect(
      (await owner.call("getProject", { params: { projectId: row!.project_id } })).status,
    ).toBe(404);
    expect((await owner.call("getProject", { params: { projectId: ada.projectId } })).status).toBe(
      200,
    );
  });
});
