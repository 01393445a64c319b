import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ProjectImport, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { insertConnection } from "#store/models/connections.ts";
import { onSqlite } from "../support/databases/databases.ts";
import { buildConnection } from "../support/databases/store-rows.ts";
import { type Caller, until } from "../support/server/instance.ts";
import {
  endOf,
  exportProject,
  importArchive,
  jsonOf,
  type Line,
  type Parts,
  pack,
  rowsOf,
  sendArchive,
  setJson,
  setRows,
  sha256Of,
  sign,
  takeApart,
} from "../support/studio/project-archives.ts";
import { createStudio, type Studio } from "../support/studio/studio.ts";

/** Forged archives: each is refused with a sentence, and nothing of it remains. */
onSqlite((create) => {
  let studio: Studio;
  let ada: Caller & { url: string };
  let eve: Caller & { url: string };
  let zip: Buffer;

  beforeAll(async () => {
    studio = await createStudio(await create());
    const url = await studio.instance.listen();
    ada = { ...studio.person, url };
    eve = { ...(await studio.instance.createPerson("eve@example.org")), url };
    await studio.ended((await studio.make("a lighthouse")).id);
    await studio.ended((await studio.ask("Tell me of tides.")).run.id);
    for (const name of ["notes.txt", "more.txt"]) {
      const query = new URLSearchParams({ projectId: ada.projectId, name });
      await fetch(`${url}/api/v1/uploads?${query}`, {
        method: "POST",
        headers: { cookie: ada.cookie },
        body: `The words of ${name}.`,
      });
    }
    zip = await exportProject(ada, ada.projectId);
  });
  afterAll(() => studio.close());

  const changed = async (change: (parts: Parts) => void, signed = true): Promise<Buffer> => {
    const parts = await takeApart(zip);
    change(parts);
    if (signed) sign(parts);
    return pack(parts, true);
  };
  /** Changes each row of a table. */
  const each = (table: string, change: (row: Line) => unknown) => (parts: Parts) =>
    setRows(parts, table, rowsOf(parts, table).map(change));
  const counts = async () => {
    const count = async (
      table: "project" | "run" | "asset" | "message" | "conversation" | "project_member",
    ) =>
      Number(
        (
          await studio.instance.store.db
            .selectFrom(table)
            .select((e) => e.fn.countAll().as("n"))
            .executeTakeFirstOrThrow()
        ).n,
      );
    return Promise.all(
      (["project", "project_member", "run", "asset", "message", "conversation"] as const).map(
        count,
      ),
    );
  };
  const cleaned = () =>
    until("nothing is left to clean", async () => {
      const left = await studio.instance.store.db
        .selectFrom("project_import")
        .select("id")
        .where("cleaned_at", "is", null)
        .execute();
      return left.length === 0;
    });

  async function refused(archive: Uint8Array): Promise<string> {
    const before = await counts();
    const { status, body } = await sendArchive(ada, archive);
    if (status !== 200) {
      expect([status, body.code]).toEqual([415, "unsupported_media"]);
      expect(await counts()).toEqual(before);
      return String(body.detail);
    }
    const { state, problem } = await endOf(ada, (body.import as ProjectImport).id);
    expect([state, problem]).toEqual(["failed", expect.any(String)]);
    await cleaned();
    expect(await counts()).toEqual(before);
    return problem!;
  }

  it("a file that isn't a ZIP, a foreign ZIP, a truncated one and one of a newer version are distinguished", async () => {
    expect(await refused(Buffer.from("just words"))).toMatch(/not a ZIP/);
    expect(await refused(Buffer.alloc(0))).toMatch(/not a ZIP/);
    expect(
      await refused(await pack({ entries: new Map([["holiday.txt", Buffer.from("sea")]]) })),
    ).toMatch(/not an exported Bottega/);
    for (const share of [0.3, 0.6, 0.99])
      expect(await refused(zip.subarray(0, Math.floor(zip.length * share)))).toMatch(
        /is incomplete/,
      );
    const ofFormat = (format: unknown) =>
      changed(
        (parts) =>
          setJson(parts, "manifest.json", { ...jsonOf<object>(parts, "manifest.json"), format }),
        false,
      );
    expect(await refused(await ofFormat("bottega-project-2"))).toMatch(/newer Bottega/);
    expect(await refused(await ofFormat("somebody-else-1"))).toMatch(/not an exported Bottega/);
    expect(await refused(await ofFormat(["bottega-project-1"]))).toMatch(/not an exported Bottega/);
    expect(
      await refused(await changed((parts) => void parts.entries.delete("manifest.json"), false)),
    ).toMatch(/not an exported Bottega/);
  });

  it("a changed table, file or project is detected by its hash", async () => {
    const replace = (name: string, from: string, to: string) => (parts: Parts) =>
      void parts.entries.set(
        name,
        Buffer.from(parts.entries.get(name)!.toString("latin1").replace(from, to), "latin1"),
      );
    expect(
      await refused(await changed(replace("runs.jsonl", "lighthouse", "limehouses"), false)),
    ).toMatch(/runs.jsonl is another one/);
    expect(
      await refused(await changed(replace("messages.jsonl", "tides", "sides"), false)),
    ).toMatch(/messages.jsonl is another one/);
    expect(await refused(await changed(replace("project.json", "ada's", "eve's"), false))).toMatch(
      /project.json is another one/,
    );
    const hash = sha256Of(Buffer.from("The words of notes.txt."));
    expect(await refused(await changed(replace(`files/${hash}`, "words", "weeds"), false))).toMatch(
      /is another file than its name says/,
    );
    const fewer = (parts: Parts) => setRows(parts, "assets", rowsOf(parts, "assets").slice(1));
    expect(await refused(await changed(fewer, false))).toMatch(
      /assets.jsonl is another one|no row tells of/,
    );
  });

  it("JSON that would block the server is refused before it is parsed", async () => {
    const brackets = Buffer.from("[".repeat(8_000_000) + "]".repeat(8_000_000));
    const values = Buffer.from(`[${"0,".repeat(7_000_000)}0]`);
    const parser = vi.spyOn(JSON, "parse");
    try {
      for (const bomb of [brackets, values])
        for (const name of ["manifest.json", "project.json"]) {
          const archive = await changed((parts) => void parts.entries.set(name, bomb), false);
          parser.mockClear();
          expect(await refused(archive)).toMatch(new RegExp(`${name} can't be read`));
          expect(
            Math.max(0, ...parser.mock.calls.map(([text]) => String(text).length)),
          ).toBeLessThan(100_000);
        }
      const row = await changed((parts) => void parts.entries.set("runs.jsonl", brackets));
      expect(await refused(row)).toMatch(/line 1 of runs.jsonl is no row/);
    } finally {
      parser.mockRestore();
    }
  });

  it("missing, duplicate and extra entries are named", async () => {
    const hash = sha256Of(Buffer.from("The words of notes.txt."));
    expect(
      await refused(await changed((parts) => void parts.entries.delete("runs.jsonl"), false)),
    ).toMatch(/runs.jsonl is missing/);
    expect(
      await refused(await changed((parts) => void parts.entries.delete("project.json"), false)),
    ).toMatch(/project.json is missing/);
    expect(
      await refused(await changed((parts) => void parts.entries.delete(`files/${hash}`), false)),
    ).toMatch(/has 2 files, and its manifest tells of 3/);
    expect(
      await refused(await changed((parts) => void parts.entries.delete(`files/${hash}`))),
    ).toMatch(/files\/.* is missing/);
    expect(
      await refused(
        await changed((parts) => void parts.entries.set("readme.txt", Buffer.from("x"))),
      ),
    ).toMatch(/has a file “readme.txt”/);
    const stray = Buffer.from("nobody's");
    expect(
      await refused(
        await changed((parts) => void parts.entries.set(`files/${sha256Of(stray)}`, stray)),
      ),
    ).toMatch(/no row tells of files/);
    const twice = await pack({
      entries: new Map([...(await takeApart(zip)).entries, ["manifest.jsoX", Buffer.from("{}")]]),
    });
    expect(await refused(renamed(twice, "manifest.jsoX", "manifest.json"))).toMatch(
      /is in it twice/,
    );
    expect(
      await refused(
        await changed((parts) =>
          setRows(parts, "assets", [...rowsOf(parts, "assets"), rowsOf(parts, "assets")[0]]),
        ),
      ),
    ).toMatch(/in it twice/);
    const tagsOfAsset = (place: number) =>
      Array.from({ length: limits.tagsPerAsset }, (_, i) => `tag ${place} ${i}`);
    const maxAssets = limits.tagsPerProject / limits.tagsPerAsset;
    const tagged = (count: number) =>
      changed((parts) => {
        const [first, ...rest] = rowsOf(parts, "assets");
        const more = Array.from({ length: count }, (_, i) => ({
          ...first,
          id: uuid(),
          tags: tagsOfAsset(i),
        }));
        setRows(parts, "assets", [{ ...first, tags: ["tag 0 0"] }, ...rest, ...more]);
      });
    expect(await refused(await tagged(maxAssets + 1))).toMatch(/more than 5,000 tags/);
    expect((await importArchive(ada, await tagged(maxAssets))).state).toBe("done");
  });

  it("names that lead outside are refused, however they are spelled", async () => {
    for (const name of [
      "../../../../etc/cron.d/x",
      "..\\..\\..\\windows\\evil",
      "/absolute/path/to/evil",
      "C:\\Users\\x\\evil.exe.",
      "files/../../../../evil",
      "files//aaaaaaaaaaaaaaaa",
      "FILES/AAAAAAAAAAAAAAAAA",
    ]) {
      const stand = "x".repeat(name.length);
      const archive = await pack({
        entries: new Map([...(await takeApart(zip)).entries, [stand, Buffer.from("evil")]]),
      });
      expect([name, await refused(renamed(archive, stand, name))]).toEqual([
        name,
        expect.stringMatching(/changed since its export|not an exported Bottega/),
      ]);
    }
  });

  it("no bomb goes off: sizes, counts and overlaps are checked before unpacking, and false sizes end the reading", async () => {
    const many = await takeApart(zip);
    for (let i = 0; i < 20; i++)
      many.entries.set(`files/${randomBytes(32).toString("hex")}`, Buffer.alloc(100));
    expect(
      await refused(
        patchCentral(await pack(many, true), /^files\//, (header) =>
          header.writeUInt32LE(0xfffffffe, 24),
        ),
      ),
    ).toMatch(/unpacks to more/);
    const deep = await changed(
      (parts) => void parts.entries.set("messages.jsonl", Buffer.alloc(50 * 1024 ** 2, 32)),
    );
    const lying = patchCentral(deep, /^messages/, (header) => header.writeUInt32LE(1_000, 24));
    expect(await refused(lying)).toMatch(/is damaged/);
    const long = await changed((parts) =>
      setRows(parts, "messages", [" ".repeat(limits.archiveLineBytes + 1)]),
    );
    expect(await refused(long)).toMatch(/line that exceeds/);
    expect(
      await refused(
        patchCentral(zip, /^(conversations|messages)\.jsonl/, (header) =>
          header.writeUInt32LE(0, 42),
        ),
      ),
    ).toMatch(/overlap/);
    expect(
      await refused(await withEntryCount(await takeApart(zip), limits.archiveFiles + 7)),
    ).toMatch(/more files than a project can have/);
    expect(
      await refused(
        patchCentral(zip, /^runs/, (header) => header.writeUInt16LE(header.readUInt16LE(8) | 1, 8)),
      ),
    ).toMatch(/packed in a way/);
  });

  it("a malformed row is refused with its line number", async () => {
    const wrong: [string, (parts: Parts) => void, RegExp][] = [
      [
        "a run that is under way",
        each("runs", (row) => ({ ...row, state: "queued" })),
        /line 1 of runs.jsonl .*“state”/,
      ],
      ["an unconfirmed run", each("runs", (row) => ({ ...row, state: "unconfirmed" })), /“state”/],
      ["a task of nobody", each("runs", (row) => ({ ...row, task: "root" })), /“task”/],
      ["an error of nobody", each("runs", (row) => ({ ...row, error: "constructor" })), /“error”/],
      ["an id that is none", each("assets", (row) => ({ ...row, id: "../../etc/passwd" })), /“id”/],
      [
        "an id that time did not make",
        each("assets", (row) => ({ ...row, id: "6f9619ff-8b86-4011-b42d-00c04fc964ff" })),
        /“id”/,
      ],
      [
        "a title without end",
        each("assets", (row) => ({ ...row, title: "x".repeat(limits.nameCharacters + 1) })),
        /“title”/,
      ],
      ["a rating of a hundred", each("assets", (row) => ({ ...row, rating: 100 })), /“rating”/],
      [
        "a hash that is a path",
        each("assets", (row) => ({ ...row, sha256: `../${"a".repeat(61)}` })),
        /“sha256”/,
      ],
      ["a size that is not", each("assets", (row) => ({ ...row, bytes: 7 })), /another size/],
      [
        "a time past all calendars",
        each("conversations", (row) => ({ ...row, createdAt: 1e18 })),
        /“createdAt”/,
      ],
      [
        "a streaming message",
        each("messages", (row) => ({ ...row, state: "streaming" })),
        /“state”/,
      ],
      [
        "a part of nobody",
        each("messages", (row) => ({ ...row, parts: [{ type: "html", html: "<b>" }] })),
        /“parts/,
      ],
      [
        "a line that is no JSON",
        (parts) => setRows(parts, "messages", ["{"]),
        /line 1 of messages.jsonl is no row/,
      ],
      [
        "JSON that nests too deep",
        each("runs", (row) => ({ ...row, input: nest(200) })),
        /line 1 of runs.jsonl is no row/,
      ],
      [
        "a message of no conversation",
        each("messages", (row) => ({ ...row, conversationId: uuid() })),
        /conversation that is not in it/,
      ],
      ["messages in a circle", (parts) => circle(parts), /in a circle/],
      [
        "a system prompt without end",
        each("conversations", (row) => ({
          ...row,
          systemPrompt: "x".repeat(limits.systemPromptCharacters + 1),
        })),
        /“systemPrompt”/,
      ],
    ];
    for (const [what, change, sentence] of wrong)
      expect([what, await refused(await changed(change))]).toEqual([
        what,
        expect.stringMatching(sentence),
      ]);
  });

  it("no id in an archive is an id here: other people's rows can't be referenced or taken over", async () => {
    const theirs = await studio.startConversation({ ...eve, projectId: eve.projectId });
    const [run, asset] = [uuid(), uuid()];
    const connection = buildConnection({
      id: uuid(),
      slug: "eves-own",
      kind: "openai-compatible",
      scope: "user",
      scopeId: eve.user.id,
    });
    await studio.instance.commit(({ tx }) => insertConnection(tx, connection));
    const eves = [theirs, run, asset, connection.id, eve.projectId];
    const forged = await changed((parts) => {
      const [conversation] = rowsOf(parts, "conversations");
      // As it would have to look for the archive to be complete.
      for (const table of ["conversations", "messages", "runs"])
        parts.entries.set(
          `${table}.jsonl`,
          Buffer.from(
            parts.entries.get(`${table}.jsonl`)!.toString().replaceAll(conversation!.id, theirs),
          ),
        );
      each("messages", (row) => ({
        ...row,
        parts: [...(row.parts as object[]), { type: "file", assetId: asset }],
      }))(parts);
      each("runs", (row) => ({
        ...row,
        retryOf: run,
        remixOf: run,
        messageId: run,
        model: { ...(row.model as object), connection: connection.id, kind: "openai-compatible" },
        input: {
          ...(row.input as object),
          conversationId: theirs,
          image: `asset:${asset}`,
          continueFrom: run,
          project: eve.projectId,
        },
        inputs: [{ assetId: asset, role: "image" }],
        projectId: eve.projectId,
        userId: eve.user.id,
      }))(parts);
      each("assets", (row) => ({
        ...row,
        projectId: eve.projectId,
        createdBy: eve.user.id,
        uploadId: run,
      }))(parts);
      const project = jsonOf<object>(parts, "project.json");
      setJson(parts, "project.json", {
        ...project,
        id: eve.projectId,
        ownerId: eve.user.id,
        role: "manager",
        defaults: { model: { connectionId: connection.id } },
      });
    });
    const before = await studio.instance.store.db
      .selectFrom("conversation")
      .selectAll()
      .where("id", "=", theirs)
      .execute();
    const { state, projectId, problem } = await importArchive(ada, forged);
    expect([state, problem]).toEqual(["done", null]);
    expect(
      await studio.instance.store.db
        .selectFrom("conversation")
        .selectAll()
        .where("id", "=", theirs)
        .execute(),
    ).toEqual(before);
    const { db } = studio.instance.store;
    const conversations = await db
      .selectFrom("conversation")
      .selectAll()
      .where("project_id", "=", projectId!)
      .execute();
    const runs = await db
      .selectFrom("run")
      .selectAll()
      .where("project_id", "=", projectId!)
      .execute();
    const all = JSON.stringify([
      conversations,
      runs,
      await db
        .selectFrom("message")
        .selectAll()
        .where(
          "conversation_id",
          "in",
          conversations.map(({ id }) => id),
        )
        .execute(),
      await db.selectFrom("asset").selectAll().where("project_id", "=", projectId!).execute(),
      await db
        .selectFrom("run_input")
        .selectAll()
        .where(
          "run_id",
          "in",
          runs.map(({ id }) => id),
        )
        .execute(),
      await db.selectFrom("project").selectAll().where("id", "=", projectId!).execute(),
    ]);
    for (const id of eves) expect(all).not.toContain(id);
    expect(all).not.toContain(eve.user.id);
  });

  it("JSON keys from a prototype stay plain data or are dropped", async () => {
    const forged = await changed((parts) => {
      const lines = parts.entries.get("runs.jsonl")!.toString().split("\n").filter(Boolean);
      setRows(
        parts,
        "runs",
        lines.map((line) =>
          line
            .replace(/^\{/, '{"__proto__":{"polluted":1},')
            .replace(
              '"input":{',
              '"input":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
            ),
        ),
      );
    });
    const { projectId } = await importArchive(ada, forged);
    const { runs } = (
      await ada.call<{ runs: (Run & { polluted?: number })[] }>("listRuns", {
        query: { projectId: projectId! },
      })
    ).body;
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    for (const run of runs)
      expect([run.polluted, (run.input as { polluted?: number }).polluted]).toEqual([
        undefined,
        undefined,
      ]);
  });

  it("one byte that was changed anywhere is refused, or changed nothing that is imported", async () => {
    const rest = (parts: Parts) =>
      [...parts.entries]
        .filter(([name]) => name !== "manifest.json")
        .map(([name, bytes]) => [name, sha256Of(bytes)]);
    const whole = rest(await takeApart(zip));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: zip.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const flipped = Buffer.from(zip);
          flipped[at]! ^= change;
          const { status, body } = await sendArchive(ada, flipped);
          if (status === 415) return;
          expect(status).toBe(200);
          const { state } = await endOf(ada, (body.import as ProjectImport).id);
          if (state === "done") expect(rest(await takeApart(flipped))).toEqual(whole);
        },
      ),
      { numRuns: 25 },
    );
    await cleaned();
  });

  it("a second import during the first, and one over the limit, are refused before they are read", async () => {
    const answer = await studio.instance.request("/api/v1/imports", {
      method: "POST",
      headers: { cookie: ada.cookie, "content-length": String(limits.archiveBytes + 1) },
      body: "x",
    });
    expect(answer.status).toBe(413);
    expect(((await answer.json()) as { detail: string }).detail).toMatch(/64 GB/);
  });
});

/** Keeps the length in both of a ZIP's lists. */
const renamed = (zip: Buffer, from: string, to: string): Buffer =>
  Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1");

/** Changes the matching entries' central headers, with the layout of APPNOTE 4.3.12. */
function patchCentral(zip: Buffer, names: RegExp, change: (header: Buffer) => void): Buffer {
  const patched = Buffer.from(zip);
  for (
    let at = patched.indexOf("PK\u0001\u0002", 0, "latin1");
    at >= 0;
    at = patched.indexOf("PK\u0001\u0002", at + 4, "latin1")
  ) {
    const name = patched.toString("latin1", at + 46, at + 46 + patched.readUInt16LE(at + 28));
    if (names.test(name)) change(patched.subarray(at));
  }
  return patched;
}

/** With a number of entries that only ZIP64 can express. */
async function withEntryCount({ entries }: Parts, count: number): Promise<Buffer> {
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  for (const [name, bytes] of entries) zip.addBuffer(bytes, name);
  zip.end({ forceZip64Format: true, comment: "" });
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  const end = all.lastIndexOf("PK\u0006\u0006", undefined, "latin1");
  all.writeBigUInt64LE(BigInt(count), end + 24);
  all.writeBigUInt64LE(BigInt(count), end + 32);
  return all;
}

function nest(depth: number): object {
  let value: object = {};
  for (let i = 0; i < depth; i++) value = { value };
  return value;
}

/** Each message answers the next one, and the last the first. */
function circle(parts: Parts): void {
  const rows = rowsOf(parts, "messages");
  setRows(
    parts,
    "messages",
    rows.map((row, i) => ({ ...row, parentId: rows[(i + 1) % rows.length]!.id })),
  );
}
