import sharp from "sharp";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Collection, Run } from "#contract/entities.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { insertMember } from "#store/people/projects.ts";
import { intoPng, madeByModel, manifestStore } from "../../support/content-credentials.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { type Caller, until } from "../../support/server/instance.ts";
import { runBottegaHere } from "../../support/server/run-command.ts";
import {
  endOf,
  exportProject,
  importArchive,
  jsonOf,
  type Line,
  listImports,
  type Parts,
  pack,
  rowsOf,
  sendArchive,
  setRows,
  sha256Of,
  sign,
  takeApart,
} from "../../support/studio/project-archives.ts";
import { createStudio, type Studio, testAdapters } from "../../support/studio/studio.ts";

const html = "<!doctype html><script>alert(1)</script>";

/** A project with some of everything, exported by its manager and imported next to it. */
forEachDatabase((_, create) => {
  let database: TestDatabase;
  let studio: Studio;
  let ada: Caller & { url: string };
  let eve: Caller & { url: string };
  let zip: Buffer;

  beforeAll(async () => {
    database = await create();
    studio = await createStudio(database, { instance: { adapters: [...testAdapters, builtin] } });
    const url = await studio.instance.listen();
    ada = { ...studio.person, url };
    eve = { ...(await studio.instance.createPerson("eve@example.org")), url };
    for (const prompt of ["a lighthouse", "a harbour"])
      await studio.ended((await studio.make(prompt)).id);
    const uploaded = await upload("notes.txt", "Twelve arches.");
    await upload("page.html", html);
    await upload("the same notes.txt", "Twelve arches.");
    await upload("signed.png", await signedPicture());
    const { conversationId, answerId } = await talk("Tell me of tides.", [uploaded.id]);
    await ada.call("putFeedback", {
      params: { messageId: answerId },
      body: { value: "up", reasons: ["style"], text: "As the sea." },
    });
    await studio.ended((await studio.ask("And of waves?", "openai", { conversationId })).run.id);
    await edit();
    zip = await exportProject(ada, ada.projectId);
  });
  afterAll(() => studio.close());

  async function signedPicture(): Promise<Uint8Array<ArrayBuffer>> {
    const create = { width: 8, height: 8, channels: 3, background: "#7a5" } as const;
    const png = await sharp({ create }).png().toBuffer();
    return new Uint8Array(intoPng(png, { store: manifestStore(madeByModel) }));
  }

  async function upload(name: string, words: string | Uint8Array<ArrayBuffer>): Promise<Asset> {
    const query = new URLSearchParams({ projectId: ada.projectId, name });
    const answer = await fetch(`${ada.url}/api/v1/uploads?${query}`, {
      method: "POST",
      headers: { cookie: ada.cookie },
      body: words,
    });
    return ((await answer.json()) as { asset: Asset }).asset;
  }

  async function talk(text: string, attachments: string[]) {
    const conversationId = await studio.startConversation();
    const ask = { model: studio.models.openai, settings: {} };
    const said = await admitMessage(
      studio.instance.engineDeps,
      { userId: ada.user.id },
      { conversationId, parentId: null, text, attachments, ask },
    );
    await studio.ended(said.run!.id);
    return { conversationId, answerId: said.answer!.id };
  }

  /** A picture edited by a built-in model. */
  async function edit(): Promise<void> {
    const asset = (await assetsIn(ada.projectId)).find(({ kind }) => kind === "image")!;
    const connection = await studio.instance.store.db
      .selectFrom("connection")
      .select("id")
      .where("kind", "=", "builtin")
      .executeTakeFirstOrThrow();
    const { runs } = await admitBatch(
      studio.instance.engineDeps,
      { userId: ada.user.id },
      {
        projectId: ada.projectId,
        models: [{ connectionId: connection.id, modelId: "edit/crop" }],
        task: "edit",
        input: { image: `asset:${asset.id}`, x: 0, y: 0, width: 8, height: 8 },
        variants: 1,
      },
    );
    expect((await studio.ended(runs[0]!.id)).state).toBe("succeeded");
    const body = { projectId: ada.projectId, ids: [asset.id], action: "tag", tags: ["Île", "sea"] };
    expect((await ada.call("updateAssets", { body })).status).toBe(200);
    const { projectId } = ada;
    const made = await ada.call<{ collection: Collection }>("createCollection", {
      body: { projectId, name: "Lisbon" },
    });
    const collectionId = made.body.collection.id;
    const first = (await assetsIn(projectId)).find(({ id }) => id !== asset.id)!;
    for (const id of [asset.id, first.id]) {
      const collect = { projectId, ids: [id], action: "collect", collectionId };
      expect((await ada.call("updateAssets", { body: collect })).body).toMatchObject({
        changed: 1,
      });
    }
    await ada.call("updateCollection", {
      params: { collectionId },
      body: { coverAssetId: asset.id },
    });
  }

  const assetsIn = async (projectId: string, who: Caller = ada): Promise<Asset[]> =>
    (await who.call<{ assets: Asset[] }>("listAssets", { query: { projectId } })).body.assets;
  const runsIn = async (projectId: string): Promise<Run[]> =>
    (await ada.call<{ runs: Run[] }>("listRuns", { query: { projectId } })).body.runs;
  const changed = async (change: (parts: Parts) => void): Promise<Buffer> => {
    const parts = await takeApart(zip);
    change(parts);
    sign(parts);
    return pack(parts);
  };

  it("an imported project exports the same content, with its own IDs", async () => {
    const { state, projectId, problem } = await importArchive(ada, zip);
    expect([state, problem]).toEqual(["done", null]);
    const [before, after] = [
      await takeApart(zip),
      await takeApart(await exportProject(ada, projectId!)),
    ];
    const names = new Map<unknown, string>();
    expect(normalised(after, new Map())).toEqual(normalised(before, names));
    const filesOf = ({ entries }: Parts) =>
      [...entries].filter(([name]) => name.startsWith("files/")).sort();
    expect(filesOf(after)).toEqual(filesOf(before));
    const old = new Set(names.keys());
    for (const table of ["conversations", "messages", "runs", "assets"])
      for (const { id } of rowsOf(after, table)) expect(old.has(id)).toBe(false);
    const tagged = await ada.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: projectId!, q: "ile" },
    });
    expect(tagged.body.assets).toHaveLength(1);
    expect(rowsOf(after, "messages").flatMap(({ feedback }) => feedback ?? [])).toMatchObject([
      { value: "up", reasons: ["style"], text: "As the sea." },
    ]);
    expect(rowsOf(after, "assets").flatMap(({ tags }) => tags)).toEqual(["sea", "Île"]);
    const listed = await ada.call<{ collections: Collection[] }>("listCollections", {
      query: { projectId: projectId! },
    });
    expect(listed.body.collections).toMatchObject([{ name: "Lisbon", count: 2 }]);
    const [{ id: collectionId, cover }] = listed.body.collections as [Collection];
    const inside = await ada.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: projectId!, collectionId, sort: "position" },
    });
    expect(inside.body.assets.map(({ id }) => id).indexOf(cover!.id)).toBe(0);
  });

  it("imported files are inspected like uploads: previews, kinds by their bytes, searchable text", async () => {
    const { projectId } = await importArchive(ada, zip);
    const here = await assetsIn(projectId!);
    const there = await assetsIn(ada.projectId);
    const facts = ({ title, kind, mime, width, height, thumbhash, variants, ...asset }: Asset) => ({
      ...{ title, kind, mime, width, height, thumbhash, variants },
      ...{ bytes: asset.bytes, provenance: asset.provenance },
    });
    expect(here.map(facts)).toEqual(there.map(facts));
    expect(here.some(({ variants }) => variants.length > 0)).toBe(true);
    expect(here.map(({ provenance }) => provenance?.credentials?.claimGenerator)).toContain(
      "ChatGPT",
    );
    const found = await ada.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: projectId!, q: "lighthouse" },
    });
    expect(found.body.assets).toHaveLength(1);
    const uploads = await ada.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: projectId!, source: "uploaded" },
    });
    expect(uploads.body.assets).toHaveLength(4);
  });

  it("an HTML page that claims to be a picture is served as a download", async () => {
    const forged = await changed((parts) =>
      setRows(
        parts,
        "assets",
        rowsOf(parts, "assets").map((row) => ({
          ...row,
          ...(row.title === "page.html" && { kind: "image", mime: "image/png" }),
        })),
      ),
    );
    const { projectId } = await importArchive(ada, forged);
    const page = (await assetsIn(projectId!)).find(({ title }) => title === "page.html")!;
    expect(page.kind).not.toBe("image");
    const answer = await fetch(`${ada.url}/api/v1/assets/${page.id}/file`, {
      headers: { cookie: ada.cookie },
    });
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
  });

  it("what its runs cost elsewhere is shown with them, and is in no ledger, balance or usage of ours", async () => {
    const books = () =>
      studio.instance.store.db.selectFrom("ledger_entry").selectAll().orderBy("id").execute();
    const usage = () => studio.instance.store.db.selectFrom("usage_day").selectAll().execute();
    const before = [await books(), await usage()];
    const { projectId } = await importArchive(ada, zip);
    const runs = await runsIn(projectId!);
    expect(runs.map(({ costMicros, heldMicros }) => [costMicros, heldMicros])).toEqual(
      runs.map(() => [null, 0]),
    );
    expect(
      runs.filter(
        ({ imported }) =>
          imported?.costMicros === 25_000 && imported.modelName === "Simulated Flux",
      ),
    ).toHaveLength(2);
    expect([await books(), await usage()]).toEqual(before);
  });

  it("an archive gives no model permission to spend, and none of its tools runs here", async () => {
    const forged = await changed((parts) => {
      const tools = { models: [{ ...studio.models.fal, allowed: true }], library: true };
      const conversations = rowsOf(parts, "conversations");
      setRows(
        parts,
        "conversations",
        conversations.map((row) => ({ ...row, settings: { tools } })),
      );
      const messages = rowsOf(parts, "messages");
      const last = messages.at(-1)!;
      const assetIds = [rowsOf(parts, "assets")[0]!.id, uuid()];
      const result = {
        type: "tool-result",
        callId: "c",
        name: "draw",
        state: "open",
        runId: rowsOf(parts, "runs")[0]!.id,
        output: "",
        assetIds,
      };
      const tool = {
        ...last,
        id: uuid(),
        parentId: last.id,
        role: "tool",
        state: "complete",
        parts: [
          result,
          ...assetIds.map((assetId) => ({ type: "source", title: "Boats", assetId })),
          { type: "source", title: "Page", url: "javascript:alert(1)" },
        ],
        runId: null,
        continuesId: null,
      };
      setRows(parts, "messages", [...messages, tool]);
    });
    const { projectId } = await importArchive(ada, forged);
    const { db } = studio.instance.store;
    const { id, settings } = await db
      .selectFrom("conversation")
      .selectAll()
      .where("project_id", "=", projectId!)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(settings)).toMatchObject({
      tools: { models: [{ allowed: false }], library: true },
    });
    const message = await db
      .selectFrom("message")
      .selectAll()
      .where("conversation_id", "=", id)
      .where("role", "=", "tool")
      .executeTakeFirstOrThrow();
    const [part, ...sources] = JSON.parse(message.parts) as {
      state: string;
      runId: string;
      assetIds: string[];
    }[];
    expect(part).toMatchObject({ state: "stopped" });
    expect((await runsIn(projectId!)).map((run) => run.id)).toContain(part!.runId);
    const here = (await assetsIn(projectId!)).map((asset) => asset.id);
    expect(part!.assetIds).toHaveLength(1);
    expect(here).toContain(part!.assetIds[0]);
    // Its sources lead only to files of the archive and to addresses of web pages.
    expect(sources).toEqual([
      { type: "source", title: "Boats", assetId: part!.assetIds[0] },
      { type: "source", title: "Boats" },
      { type: "source", title: "Page" },
    ]);
  });

  it("everything belongs to its importer: private content stays private, and the project has no other members", async () => {
    const { projectId } = await importArchive(eve, zip);
    expect((await ada.call("getProject", { params: { projectId: projectId! } })).status).toBe(404);
    const params = { projectId: projectId! };
    const { project } = (
      await eve.call<{ project: { role: string; ownerId: string } }>("getProject", { params })
    ).body;
    expect([project.role, project.ownerId]).toEqual(["manager", eve.user.id]);
    const { members } = (
      await eve.call<{ members: { userId: string; name: string }[] }>("listMembers", { params })
    ).body;
    expect(members).toMatchObject([{ userId: eve.user.id, name: eve.user.name }]);
    const conversations = await studio.instance.store.db
      .selectFrom("conversation")
      .selectAll()
      .where("project_id", "=", projectId!)
      .execute();
    expect(conversations.map(({ user_id, visibility }) => [user_id, visibility])).toEqual([
      [eve.user.id, "author"],
    ]);
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, { projectId: projectId!, userId: ada.user.id, role: "manager", at: 1 }),
    );
    const seen = await takeApart(await exportProject(ada, projectId!));
    expect(rowsOf(seen, "conversations")).toHaveLength(0);
    expect(rowsOf(seen, "runs").every(({ task }) => task !== "chat")).toBe(true);
  });

  it("a run of a built-in model can be retried; a run of a missing model says so", async () => {
    const { projectId } = await importArchive(eve, zip);
    const rows = await studio.instance.store.db
      .selectFrom("run")
      .selectAll()
      .where("project_id", "=", projectId!)
      .execute();
    const connections = new Set(
      (await studio.instance.store.db.selectFrom("connection").select("id").execute()).map(
        ({ id }) => id,
      ),
    );
    const crop = rows.find(({ model_id }) => model_id === "edit/crop")!;
    expect(connections.has(crop.connection_id)).toBe(true);
    await studio.instance.store.db
      .updateTable("run")
      .set({ state: "failed" })
      .where(
        "id",
        "in",
        rows.map(({ id }) => id),
      )
      .execute();
    const again = await eve.call<{ run: Run }>("tryAgain", {
      params: { runId: crop.id },
      body: {},
    });
    expect(again.status).toBe(200);
    expect((await studio.ended(again.body.run.id)).state).toBe("succeeded");
    const connectionOf = new Map<string, string>();
    const another = (id: string): string =>
      connectionOf.get(id) ?? connectionOf.set(id, uuid()).get(id)!;
    const elsewhere = await changed((parts) =>
      setRows(
        parts,
        "runs",
        rowsOf(parts, "runs").map((row) => ({
          ...row,
          state: "failed",
          model: {
            ...(row.model as object),
            connection: another((row.model as { connection: string }).connection),
          },
        })),
      ),
    );
    const foreign = (await runsIn((await importArchive(ada, elsewhere)).projectId!)).filter(
      ({ task }) => task === "image",
    );
    expect(foreign).toHaveLength(2);
    expect(foreign.every(({ connectionId }) => !connections.has(connectionId))).toBe(true);
    expect(
      (await ada.call("tryAgain", { params: { runId: foreign[0]!.id }, body: {} })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  it("the same archive twice gives two projects, and doctor finds nothing in either", async () => {
    const [one, two] = [await importArchive(ada, zip), await importArchive(ada, zip)];
    expect(one.projectId).not.toBe(two.projectId);
    expect(await assetsIn(two.projectId!)).toHaveLength((await assetsIn(ada.projectId)).length);
    const cleaned = () =>
      studio.instance.store.db
        .selectFrom("project_import")
        .select("id")
        .where("cleaned_at", "is", null)
        .execute();
    await until("nothing is left to clean", async () => (await cleaned()).length === 0);
    expect(await studio.instance.store.db.selectFrom("import_file").selectAll().execute()).toEqual(
      [],
    );
    const ended = await runBottegaHere(["doctor", "--deep"], database.env);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("No problems found.") });
  });

  it("a file lost before the export leaves out its assets, and the import says how many", async () => {
    const lost = sha256Of(Buffer.from("Twelve arches."));
    const parts = await takeApart(zip);
    parts.entries.delete(`files/${lost}`);
    sign(parts);
    const manifest = jsonOf<object>(parts, "manifest.json");
    parts.entries.set(
      "manifest.json",
      Buffer.from(JSON.stringify({ ...manifest, missing: [lost] })),
    );
    const { state, filesMissing, projectId } = await importArchive(ada, await pack(parts));
    expect([state, filesMissing]).toEqual(["done", 1]);
    expect((await assetsIn(projectId!)).map(({ title }) => title)).not.toContain("notes.txt");
  });

  it("one import at a time for each person, even with concurrent requests, and nobody else can stop it", async () => {
    const [first, second] = await Promise.all([sendArchive(eve, zip), sendArchive(eve, zip)]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const { id } = (first.status === 200 ? first : second).body.import as { id: string };
    expect((await ada.call("removeImport", { params: { importId: id } })).status).toBe(404);
    expect((await listImports(ada)).some((one) => one.id === id)).toBe(false);
    expect((await endOf(eve, id)).state).toBe("done");
    expect((await eve.call("removeImport", { params: { importId: id } })).status).toBe(200);
    expect((await listImports(eve)).some((one) => one.id === id)).toBe(false);
  });
});

/**
 * Rows without the values that an import creates: each id as its first position, all people as one.
 */
function normalised(parts: Parts, names: Map<unknown, string>) {
  const nameOf = (id: string): string => names.get(id) ?? names.set(id, `#${names.size}`).get(id)!;
  const walk = (value: unknown): unknown => {
    if (typeof value === "string")
      return value.replace(
        /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        nameOf,
      );
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(part)]));
  };
  const { name, description, instructions, defaults } = jsonOf<Record<string, unknown>>(
    parts,
    "project.json",
  );
  const tables = ["conversations", "messages", "runs", "assets"].map((table) =>
    rowsOf(parts, table).map((row: Line) => walk(row)),
  );
  return { project: { name, description, instructions, defaults }, tables };
}
