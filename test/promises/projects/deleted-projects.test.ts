import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { eraseProjectPart } from "#store/content/deletions/project-deletions.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import type { Caller } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/** A deleted project can be restored for 30 days. Afterwards only what the ledger needs is left. */
forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  const as = async <N extends RouteName>(who: Caller, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const call = <N extends RouteName>(name: N, given: object = {}) => as(studio.person, name, given);
  const refused = async (who: Caller, name: RouteName, given: object) => {
    const { status, body } = await who.call<{ code: string }>(name, given as never);
    return [status, body.code];
  };
  const on = (projectId: string) => ({ params: { projectId } });
  const named = (projectId: string, name: string, more: object = {}) => ({
    ...on(projectId),
    body: { name, ...more },
  });
  const choresIn = (ms: number) => {
    const { deps } = studio.instance.engine;
    const clock = { ...deps.clock, now: () => deps.clock.now() + ms };
    return doChores({ ...deps, clock });
  };
  const pastGrace = () => choresIn(limits.trashMs + 60_000);

  /** A project with some of everything, each with a distinctive word. */
  async function fill(name: string, word = "clubmoss", width = 64) {
    const { project } = await call("createProject", {
      body: { name, description: `About ${word}` },
    });
    const projectId = project.id;
    const { conversation } = await call("createConversation", {
      body: { projectId, title: `${word} talk` },
    });
    studio.openai.script({ text: `${word} grows in lakes.` });
    const said = await call("sendMessage", {
      params: { conversationId: conversation.id },
      body: { parentId: null, text: `Tell me of ${word}`, ask: { model: studio.models.openai } },
    });
    await studio.ended(said.run!.id);
    const made = await call("createRuns", {
      body: {
        projectId,
        models: [studio.models.fal],
        task: "image",
        input: { prompt: `a ${word}`, image_size: { width, height: 64 } },
      },
    });
    const run = await studio.ended(made.runs[0]!.id);
    const { assets } = await call("listAssets", { query: { projectId } });
    await call("updateAssets", {
      body: { projectId, ids: [assets[0]!.id], action: "tag", tags: [word] },
    });
    await call("createCollection", { body: { projectId, name: `${word} pictures` } });
    await call("putWordList", {
      params: { projectId, list: "plants" },
      body: { items: [word] },
    });
    return { projectId, name, runIds: [said.run!.id, run.id], asset: assets[0]! };
  }
  /** Every text in the database with the word, except for the project's name in the ledger. */
  async function traces(word: string): Promise<string[]> {
    const { db } = studio.instance.store;
    const tables = await db.introspection.getTables();
    const found: string[] = [];
    for (const { name: table, columns } of tables) {
      if (table.includes("_fts_")) continue;
      const rows = await db
        .selectFrom(table as never)
        .selectAll()
        .execute();
      for (const row of rows as Record<string, unknown>[])
        for (const { name: column } of columns)
          if (
            String(row[column] ?? "")
              .toLowerCase()
              .includes(word)
          )
            found.push(`${table}.${column}`);
    }
    return [...new Set(found)].sort();
  }

  it("lists what is deleted and what the ledger keeps, and is deleted only by name, by its owner or an admin", async () => {
    const { projectId, name } = await fill("Said before");
    const member = await studio.instance.createPerson("member@example.org");
    const facts = await call("getProjectDeletion", on(projectId));
    expect(facts).toMatchObject({
      name,
      goes: { conversations: 1, messages: 2, files: 1, collections: 1, wordLists: 1, members: 1 },
      stays: { runs: 2 },
      open: { runs: 0, unconfirmed: 0 },
    });
    expect(facts.goes.bytes).toBeGreaterThan(0);
    expect(facts.stays.spentMicros).toBeGreaterThan(0);
    expect(await refused(studio.person, "deleteProject", named(projectId, "Another"))).toEqual([
      422,
      "invalid_input",
    ]);
    expect(await refused(member, "deleteProject", named(projectId, name))).toEqual([
      404,
      "not_found",
    ]);
    expect(await refused(member, "deleteAdminProject", named(projectId, name))).toEqual([
      403,
      "forbidden",
    ]);
    const admin = await studio.instance.createPerson("admin@example.org", { role: "admin" });
    expect((await as(admin, "getAdminProjectDeletion", on(projectId))).name).toBe(name);
    await as(admin, "deleteAdminProject", named(projectId, name));
    expect(await refused(studio.person, "getProject", on(projectId))).toEqual([404, "not_found"]);
  });

  it("nobody sees it, its keys are dead, and a restore brings everything back", async () => {
    const { projectId, name, asset } = await fill("Comes back");
    const key = await studio.instance.createKey(studio.person, { projectId });
    const before = await call("listAssets", { query: { projectId } });
    await call("deleteProject", named(projectId, name));
    expect((await key.call("getMe")).status).toBe(401);
    const gone: [RouteName, object][] = [
      ["getProject", on(projectId)],
      ["listAssets", { query: { projectId } }],
      ["getAsset", { params: { assetId: asset.id } }],
      ["listConversations", { query: { projectId } }],
    ];
    for (const [route, given] of gone)
      expect([route, ...(await refused(studio.person, route, given))]).toEqual([
        route,
        404,
        "not_found",
      ]);
    const listed = (await call("listAdminProjects", { query: { q: "Comes back" } })).projects;
    expect(listed).toEqual([]);
    const { projects } = await call("listDeletedProjects");
    expect(projects.find(({ id }) => id === projectId)).toMatchObject({ name });
    await call("restoreProject", on(projectId));
    expect(await call("listAssets", { query: { projectId } })).toEqual(before);
    expect((await key.call("getMe")).status).toBe(200);
    expect((await call("getProject", on(projectId))).project.archivedAt).toBeNull();
  });

  it("an open run is ended first, or the project stays", async () => {
    const { projectId, name } = await fill("Still open");
    studio.openai.script({ text: "Slowly it comes", gate: { name: "deleted", at: 1 } });
    const { conversation } = await call("createConversation", { body: { projectId } });
    const said = await call("sendMessage", {
      params: { conversationId: conversation.id },
      body: { parentId: null, text: "Wait", ask: { model: studio.models.openai } },
    });
    const { runs } = await call("createRuns", {
      body: {
        projectId,
        models: [studio.models.fal],
        task: "image",
        input: { prompt: "an almanac [sim:lost-reply]", image_size: { width: 64, height: 64 } },
      },
    });
    const lost = await studio.inState(runs[0]!.id, "unconfirmed");
    const { open } = await call("getProjectDeletion", on(projectId));
    expect(open).toMatchObject({ runs: 1, unconfirmed: 1 });
    expect(await refused(studio.person, "deleteProject", named(projectId, name))).toEqual([
      409,
      "conflict",
    ]);
    await call("deleteProject", named(projectId, name, { settles: true }));
    expect((await studio.runOf(said.run!.id)).state).toBe("cancelled");
    expect(lost.heldMicros).toBeGreaterThan(0);
    expect(await studio.runOf(lost.id)).toMatchObject({
      state: "failed",
      costMicros: lost.heldMicros,
    });
  });

  it("a person without another project gets an empty one", async () => {
    const alone = await studio.instance.createPerson("alone@example.org");
    const { projects } = await as(alone, "listProjects", {});
    expect(projects).toHaveLength(1);
    await as(alone, "deleteProject", named(projects[0]!.id, projects[0]!.name));
    const after = (await as(alone, "listProjects", {})).projects;
    expect(after).toHaveLength(1);
    expect(after[0]!.id).not.toBe(projects[0]!.id);
  });

  it("after 30 days its text, files and rows are gone, and the ledger is unchanged", async () => {
    const { projectId, name, runIds, asset } = await fill("Quillwort almanac", "quillwort", 96);
    expect(await traces("quillwort")).not.toEqual([]);
    const books = async () => [
      await Promise.all(runIds.map((id) => studio.ledgerOf(id))),
      await studio.instance.store.db.selectFrom("usage_day").selectAll().orderBy("day").execute(),
    ];
    const before = await books();
    await call("deleteProject", named(projectId, name));
    await choresIn(limits.trashMs - 60_000);
    expect(await traces("quillwort")).toContain("message.parts");
    // A kill between two slices: completed slices stay, and the next round does the rest.
    const now = studio.instance.deps.clock.now() + limits.trashMs + 60_000;
    const erase = () =>
      studio.instance.commit((unit) => eraseProjectPart(unit, projectId, { now, most: 1 }));
    expect([await erase(), await erase()]).toEqual([true, true]);
    await pastGrace();
    expect(await traces("quillwort")).toEqual(["project.name"]);
    expect(await books()).toEqual(before);
    expect(await studio.instance.engine.deps.blobs.stat(asset.sha256)).toBeUndefined();
    // The sessions of a month ago have expired.
    const admin = await studio.instance.createPerson("later@example.org", { role: "admin" });
    expect(await refused(admin, "restoreProject", on(projectId))).toEqual([404, "not_found"]);
    const usage = await as(admin, "getInstanceUsage", {
      query: { from: "2000-01-01", to: "2100-01-01" },
    });
    expect(JSON.stringify(usage)).toContain(`${name} (deleted)`);
  });
});
