import { createHash } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import type { AssetRow } from "#store/database/schema.ts";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { readZip } from "../../support/read-zip.ts";
import { type Caller, until } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

type Row = Record<string, unknown> & { id: string };
type Manifest = {
  format: string;
  tables: { name: string; rows: number; sha256: string }[];
  files: { count: number; bytes: number };
  missing: string[];
};

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * A project of two people, exported by its manager: pictures, a file, both people's conversations.
 */
onSqlite((create) => {
  let studio: Studio;
  let ada: Caller;
  let eve: Caller;
  let url: string;
  beforeAll(async () => {
    studio = await createStudio(await create());
    ada = studio.person;
    eve = await studio.instance.createPerson("eve@example.org");
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, { projectId: ada.projectId, userId: eve.user.id, role: "editor", at: 1 }),
    );
    url = await studio.instance.listen();
    for (const prompt of ["a lighthouse", "a harbour"])
      await studio.ended((await studio.make(prompt)).id);
    await studio.ended((await studio.ask("Tell me of tides.")).run.id);
    for (const name of ["notes.txt", "the same notes.txt"])
      await upload(ada, name, "Twelve arches.");
    const of = await studio.startConversation({ ...eve, projectId: ada.projectId });
    const said = await admitMessage(
      studio.instance.engineDeps,
      { userId: eve.user.id },
      {
        conversationId: of,
        parentId: null,
        text: "eve's secret question",
        attachments: [],
        ask: { model: studio.models.openai, settings: {} },
      },
    );
    await studio.ended(said.run!.id);
  });
  afterAll(() => studio.close());

  async function upload(who: Caller, name: string, words: string): Promise<void> {
    const query = new URLSearchParams({ projectId: ada.projectId, name });
    const answer = await fetch(`${url}/api/v1/uploads?${query}`, {
      method: "POST",
      headers: { cookie: who.cookie },
      body: words,
    });
    expect(answer.status).toBe(200);
  }
  const ask = (who: Caller, init: RequestInit = {}) =>
    fetch(`${url}/api/v1/projects/${ada.projectId}/export`, {
      ...init,
      // A connection idle for seconds during the test may be closed at its other end.
      headers: { cookie: who.cookie, connection: "close" },
    });
  async function take(who: Caller = ada) {
    const answer = await ask(who);
    expect(answer.status).toBe(200);
    const entries = await readZip(Buffer.from(await answer.arrayBuffer()));
    const json = <T>(name: string) => JSON.parse(entries.get(name)!.toString()) as T;
    const rows = (name: string): Row[] =>
      entries
        .get(`${name}.jsonl`)!
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Row);
    return {
      entries,
      json,
      rows,
      manifest: json<Manifest>("manifest.json"),
      all: Buffer.concat([...entries.values()]).toString(),
    };
  }

  it("an export has every asset with its bytes, each file once, and every run as a recipe", async () => {
    const { entries, rows, manifest } = await take();
    const assets = rows("assets");
    expect(assets.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["notes.txt", "the same notes.txt"]),
    );
    const hashes = new Set(assets.map((asset) => String(asset.sha256)));
    expect(hashes.size).toBe(assets.length - 1);
    expect([...entries.keys()].filter((name) => name.startsWith("files/")).sort()).toEqual(
      [...hashes].map((hash) => `files/${hash}`).sort(),
    );
    for (const hash of hashes) expect(sha256(entries.get(`files/${hash}`)!)).toBe(hash);
    const made = assets.find(({ runId }) => runId !== null)!;
    expect(rows("runs").find(({ id }) => id === made.runId)).toMatchObject({
      state: "succeeded",
      model: { id: "sim/flux/dev", name: "Simulated Flux", kind: "fal" },
      input: {
        prompt: expect.stringMatching(/lighthouse|harbour/),
        image_size: { width: 64, height: 64 },
      },
      costMicros: 25_000,
      prices: [{ unit: "megapixels", micros: "25000" }],
      books: { spend: 25_000 },
      attempts: [{ number: 1, state: "ended" }],
      person: "ada",
    });
    expect(manifest).toMatchObject({
      format: "bottega-project-1",
      files: { count: hashes.size },
      missing: [],
    });
  });

  it("the manifest comes last, with each table's row count and hash", async () => {
    const { entries, rows, manifest } = await take();
    expect([...entries.keys()].at(-1)).toBe("manifest.json");
    for (const { name, rows: count, sha256: hash } of manifest.tables) {
      expect(rows(name)).toHaveLength(count);
      expect(sha256(entries.get(`${name}.jsonl`)!)).toBe(hash);
    }
    expect(manifest.tables.map(({ name }) => name)).toEqual([
      "conversations",
      "messages",
      "runs",
      "assets",
    ]);
  });

  it("conversations come with their messages, and another person's own are not in it", async () => {
    const { rows, all } = await take();
    expect(rows("conversations")).toHaveLength(1);
    expect(rows("messages").map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(all).toContain("Tell me of tides.");
    expect(all).not.toContain("eve's secret question");
    expect(rows("runs").filter(({ task }) => task === "chat")).toHaveLength(1);
  });

  it("it contains no key, address, provider's ID or email", async () => {
    const { all } = await take();
    const { fal, openai, ollama } = studio;
    for (const secret of [
      fal.key,
      openai.key,
      fal.url,
      openai.url,
      ollama.url,
      "127.0.0.1",
      "example.org",
      "cdn/files",
    ])
      expect(all).not.toContain(secret);
    for (const { requestId } of fal.ledger.billed) expect(all).not.toContain(requestId);
    const attempts = await studio.instance.store.db
      .selectFrom("attempt")
      .select("client_token")
      .execute();
    for (const { client_token } of attempts) expect(all).not.toContain(client_token);
  });

  it("a result loses the addresses in it, which may be signed, and nothing else", async () => {
    const { store } = studio.instance;
    const [before] = await store.db.selectFrom("run").select(["id", "result"]).limit(1).execute();
    const { id } = before!;
    const write = (result: string | null) =>
      store.write((tx) => tx.updateTable("run").set({ result }).where("id", "=", id).execute());
    await write(
      JSON.stringify({
        seed: 7,
        frames: [{ url: "https://cdn.test/frame?signature=s", at: "0 s" }],
      }),
    );
    onTestFinished(async () => void (await write(before!.result)));
    const { rows } = await take();
    expect(rows("runs").find((run) => run.id === id)).toMatchObject({
      result: { seed: 7, frames: [{ url: null, at: "0 s" }] },
    });
  });

  it("only people who manage a project export it", async () => {
    expect((await ask(eve)).status).toBe(403);
    const max = await studio.instance.createPerson("max@example.org");
    expect((await ask(max)).status).toBe(404);
  });

  it("a library of ten thousand is complete, each asset once, without the trash", async () => {
    const stored: AssetRow & { row?: number } = await studio.instance.store.db
      .selectFrom("asset")
      .selectAll()
      .where("title", "=", "notes.txt")
      .executeTakeFirstOrThrow();
    const { row: _, ...row } = stored;
    const copies = Array.from({ length: 10_000 }, (__, i) => ({
      ...row,
      id: uuid(),
      trashed_at: i % 2 ? 5 : null,
    }));
    while (copies.length > 0)
      await studio.instance.store.db.insertInto("asset").values(copies.splice(0, 100)).execute();
    const { rows, manifest } = await take();
    expect(rows("assets").filter(({ title }) => title === "notes.txt")).toHaveLength(5_001);
    expect(new Set(rows("assets").map(({ id }) => id)).size).toBe(rows("assets").length);
    expect(manifest.files.count).toBe(3);
  });

  it("a lost file is reported, and the others are included", async () => {
    const lost = sha256(Buffer.from("Twelve arches."));
    await studio.instance.deps.blobs.delete(lost);
    const { entries, manifest } = await take();
    expect(manifest.missing).toEqual([lost]);
    expect(manifest.files.count).toBe(2);
    expect(entries.has(`files/${lost}`)).toBe(false);
  });

  it.runIf(process.platform === "linux")(
    "a disconnecting client leaves no file open, and the next one gets everything",
    async () => {
      // Larger than all buffers in between.
      const words = Buffer.alloc(24 * 1024 ** 2, 97).toString();
      await upload(ada, "large.txt", words);
      const hash = sha256(Buffer.from(words));
      const openFiles = () =>
        readdirSync("/proc/self/fd").filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).includes(hash);
          } catch {
            // The listing's own file descriptor is closed by now.
            return false;
          }
        });
      await studio.instance.store.db
        .updateTable("asset")
        .set({ mime: "application/zip", kind: "file" })
        .where("blob_sha256", "=", hash)
        .execute();
      const leaving = new AbortController();
      const answer = await ask(ada, { signal: leaving.signal });
      await until("the file is open", async () => openFiles().length > 0);
      expect(answer.status).toBe(200);
      leaving.abort();
      await until("the file is closed", async () => openFiles().length === 0);
      expect((await take()).manifest.files.count).toBe(3);
    },
  );
});
