import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { RouteInput } from "#contract/schemas/index.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { type Caller, until } from "../../support/server/instance.ts";
import { endOf, exportProject, sendArchive } from "../../support/studio/project-archives.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

forEachDatabase((database, create) => {
  let studio: Studio;
  let admin: Caller;
  let lin: Caller & { url: string };

  beforeAll(async () => {
    studio = await createStudio(await create());
    const url = await studio.instance.listen();
    admin = await studio.instance.createPerson("root@example.org", { role: "admin" });
    lin = { ...(await studio.instance.createPerson("lin@example.org")), url };
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await setLimits({ personBytes: null, projectBytes: null });
    await studio.instance.store.db.updateTable("asset").set({ deleted_at: 1 }).execute();
  });

  async function setLimits(body: RouteInput<"updateStorageLimits", "body">): Promise<void> {
    const answer = await admin.call("updateStorageLimits", { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject(body);
  }
  async function upload(bytes: number): Promise<{ status: number; detail?: string }> {
    const query = new URLSearchParams({ projectId: lin.projectId, name: "notes.bin" });
    const answer = await fetch(`${lin.url}/api/v1/uploads?${query}`, {
      method: "POST",
      headers: { cookie: lin.cookie },
      body: randomBytes(bytes),
    });
    const { detail } = (await answer.json()) as { detail?: string };
    return { status: answer.status, ...(detail !== undefined && { detail }) };
  }
  const keep = (source: AsyncIterable<Uint8Array>) =>
    saveUpload(studio.instance.engineDeps, {
      projectId: lin.projectId,
      userId: lin.user.id,
      name: "notes.bin",
      source,
    });

  it("without a limit any number of bytes is stored", async () => {
    expect((await upload(3000)).status).toBe(200);
    expect((await upload(3000)).status).toBe(200);
  });

  it.each([
    ["personBytes", "You have stored 600 bytes of 1 KB. Delete files, or ask an admin."],
    ["projectBytes", "This project stores 600 bytes of 1 KB. Delete files, or ask an admin."],
  ])("an upload over %s is refused, an exact fit is stored", async (name, detail) => {
    await setLimits({ [name]: 1000 });
    expect((await upload(600)).status).toBe(200);
    expect(await upload(401)).toEqual({ status: 507, detail });
    expect((await upload(400)).status).toBe(200);
    expect((await upload(1)).status).toBe(507);
    await setLimits({ [name]: 1001 });
    expect((await upload(1)).status).toBe(200);
  });

  it("a file in the trash counts until it is deleted for good", async () => {
    await setLimits({ personBytes: 1000 });
    expect((await upload(1000)).status).toBe(200);
    const { db } = studio.instance.store;
    await db.updateTable("asset").set({ trashed_at: 1 }).where("deleted_at", "is", null).execute();
    expect((await upload(1)).status).toBe(507);
    await db.updateTable("asset").set({ deleted_at: 1 }).execute();
    expect((await upload(1)).status).toBe(200);
  });

  it("of simultaneous uploads only those that fit are stored", async () => {
    await setLimits({ personBytes: 1000 });
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const sources = [0, 1].map(async function* () {
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      yield randomBytes(600);
    });
    const kept = await Promise.allSettled(sources.map(keep));
    expect(kept.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(kept.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "storage_limit" },
    });
  });

  it("a paid result over the limit is saved, with a warning on its run", async () => {
    await setLimits({ projectBytes: 1 });
    const run = await studio.ended((await studio.make("a lighthouse", { who: lin })).id);
    expect(run.state).toBe("succeeded");
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
    expect(run.warnings).toContainEqual({
      type: "storage-limit",
      feature: "storage",
      message: expect.stringMatching(
        /^The results are saved above the storage limit\. This project stores .* of 1 bytes?\.$/,
      ),
    });
    await setLimits({ projectBytes: null });
    const free = await studio.ended((await studio.make("a harbor", { who: lin })).id);
    expect(free.warnings.map(({ type }) => type)).not.toContain("storage-limit");
  });

  it("a late paid result over the limit is saved, with a warning on its run", async () => {
    const prompt = "a pier [sim:output-503]";
    const { id } = await studio.make(prompt, { who: lin });
    await until("it waits for its file", async () => (await studio.runOf(id)).state === "storing");
    await lin.call("cancelRun", { params: { runId: id } });
    expect((await studio.ended(id)).warnings.map(({ type }) => type)).not.toContain(
      "storage-limit",
    );
    await setLimits({ personBytes: 1 });
    studio.fal.mend(prompt);
    expect((await lin.call("fetchOutputs", { params: { runId: id } })).body).toMatchObject({
      stored: 1,
    });
    expect((await studio.runOf(id)).warnings.map(({ type }) => type)).toEqual(["storage-limit"]);
  });

  it("of two runs that end at once and exceed the limit together, one warns", async () => {
    const first = await studio.ended((await studio.make("an oar", { who: lin })).id);
    const [asset] = await studio.assetsOf(first.id);
    await setLimits({ personBytes: Math.floor(asset!.bytes * 2.5) });
    const { failpoints } = studio.instance.engineDeps;
    const others = new Set<string>();
    let isHeld = false;
    // The first to settle keeps its unit open until the other has ended or waits for it.
    studio.instance.engineDeps.failpoints = {
      at: async (name: string) => {
        if (name !== "settle.commit" || isHeld || database === "sqlite") return;
        isHeld = true;
        await until("the other has ended, or waits", async () => {
          const { db } = studio.instance.store;
          const waits = await sql<{
            count: string;
          }>`select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            db,
          );
          if (Number(waits.rows[0]!.count) > 0) return true;
          const ended = await Promise.all([...others].map((id) => studio.runOf(id)));
          return ended.some(({ state }) => state === "succeeded");
        });
      },
    } as never;
    const made = await Promise.all(
      ["an oar", "a rope"].map((prompt) => studio.make(prompt, { who: lin })),
    );
    for (const { id } of made) others.add(id);
    const runs = await Promise.all(made.map(({ id }) => studio.ended(id)));
    studio.instance.engineDeps.failpoints = failpoints;
    const warned = runs.filter(({ warnings }) =>
      warnings.some(({ type }) => type === "storage-limit"),
    );
    expect(warned).toHaveLength(1);
  });

  it("an import counts a file as often as the project has it, before storing anything", async () => {
    const bytes = randomBytes(600);
    const same = { projectId: lin.projectId, userId: lin.user.id, name: "notes.bin" };
    for (const _ of [1, 2])
      await saveUpload(studio.instance.engineDeps, {
        ...same,
        source: (async function* () {
          yield bytes;
        })(),
      });
    const zip = await exportProject(lin, lin.projectId);
    await setLimits({ personBytes: 2399 });
    const { failpoints } = studio.instance.engineDeps;
    const reached: string[] = [];
    studio.instance.engineDeps.failpoints = {
      at: async (name: string) => void reached.push(name),
    } as never;
    const { body } = await sendArchive(lin, zip);
    const ended = await endOf(lin, (body.import as { id: string }).id);
    studio.instance.engineDeps.failpoints = failpoints;
    expect(ended).toMatchObject({ state: "failed", problem: expect.stringContaining("Delete") });
    expect(reached).not.toContain("import.file");
    await setLimits({ personBytes: 2400 });
    const again = await sendArchive(lin, zip);
    expect(await endOf(lin, (again.body.import as { id: string }).id)).toMatchObject({
      state: "done",
    });
  });

  it("an import over the limit is refused when it starts, or when it ends if space ran out meanwhile", async () => {
    expect((await upload(600)).status).toBe(200);
    const zip = await exportProject(lin, lin.projectId);
    await setLimits({ personBytes: 1000 });
    expect(await sendArchive(lin, zip)).toMatchObject({
      status: 507,
      body: { code: "storage_limit" },
    });
    await setLimits({ personBytes: 1200 });
    // An upload stored after the import started takes the room that the import relied on.
    studio.instance.engineDeps.failpoints = {
      at: async (name: string) => {
        if (name === "import.file") await setLimits({ personBytes: 1199 });
      },
    } as never;
    const { status, body } = await sendArchive(lin, zip);
    expect(status).toBe(200);
    const ended = await endOf(lin, (body.import as { id: string }).id);
    expect(ended).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("Delete files, or ask an admin."),
    });
  });

  it("only admins read and set the limits", async () => {
    const body = { personBytes: 5 };
    expect((await lin.call("updateStorageLimits", { body })).status).toBe(403);
    expect((await admin.call("getStorage")).body).toMatchObject({
      limits: { personBytes: null, projectBytes: null },
    });
    expect((await admin.call("updateStorageLimits", { body: { personBytes: 0 } })).status).toBe(
      422,
    );
  });
});
