import { createHash, randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Connection, Conversation, Message } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { intoPng, madeByModel, manifestStore } from "../../support/content-credentials.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { type Caller, createInstance, type Instance } from "../../support/server/instance.ts";

let instance: Instance;
let owner: Caller;
let freeBytes: number | undefined;

beforeAll(async () => {
  instance = await createInstance(await createTestDatabase("sqlite"), {
    adapters: [builtin, openaiCompatible],
  });
  instance.engineDeps.freeBytes = async () => freeBytes;
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
});
afterAll(() => instance.close());

async function upload(
  name: string,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: { asset: Asset; code: string; detail: string } }> {
  const query = new URLSearchParams({ projectId: owner.projectId, name });
  const response = await instance.request(`/api/v1/uploads?${query}`, {
    method: "POST",
    headers: { cookie: owner.cookie, ...headers },
    body: Buffer.from(bytes),
  });
  return {
    status: response.status,
    body: (await response.json()) as { asset: Asset; code: string; detail: string },
  };
}
async function beginConversation(): Promise<string> {
  const begun = await owner.call<{ conversation: Conversation }>("createConversation", {
    body: { projectId: owner.projectId },
  });
  return begun.body.conversation.id;
}
const file = (id: string, headers: Record<string, string> = {}, query = "") =>
  instance.request(`/api/v1/assets/${id}/file${query}`, {
    headers: { cookie: owner.cookie, ...headers },
  });

/** A PNG that declares this size and contains almost nothing. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length);
    head.write(type, 4, "latin1");
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), body])));
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(100))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

it("a file is returned as uploaded, by its hash, whole and in ranges", async () => {
  const bytes = await sharp({
    create: { width: 40, height: 30, channels: 3, background: "#c96f4a" },
  })
    .png()
    .toBuffer();
  const { body } = await upload("tide.png", bytes);
  expect(body.asset).toMatchObject({
    kind: "image",
    mime: "image/png",
    width: 40,
    height: 30,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  const whole = await file(body.asset.id);
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
  expect(whole.headers.get("etag")).toBe(`"${body.asset.sha256}"`);
  const part = await file(body.asset.id, { range: "bytes=8-15" });
  expect([part.status, part.headers.get("content-range")]).toEqual([
    206,
    `bytes 8-15/${bytes.length}`,
  ]);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(8, 16))).toBe(true);
  const tail = await file(body.asset.id, { range: "bytes=-4" });
  expect(Buffer.from(await tail.arrayBuffer()).equals(bytes.subarray(-4))).toBe(true);
  expect((await file(body.asset.id, { range: `bytes=${bytes.length}-` })).status).toBe(416);
  expect((await file(body.asset.id, { "if-none-match": `"${body.asset.sha256}"` })).status).toBe(
    304,
  );
});

it("a file's content credentials stay in its bytes and are shown with the asset, as unverified", async () => {
  const create = { width: 40, height: 30, channels: 3, background: "#7a5" } as const;
  const plain = await sharp({ create }).png().toBuffer();
  const signed = intoPng(plain, { store: manifestStore(madeByModel) });
  const { body } = await upload("signed.png", signed);
  const shown = await owner.call<{ asset: Asset }>("getAsset", {
    params: { assetId: body.asset.id },
  });
  expect(shown.body.asset.provenance).toEqual({
    credentials: { claimGenerator: "ChatGPT", isVerified: false },
    digitalSourceType: "trainedAlgorithmicMedia",
  });
  const [whole, thumbnail] = await Promise.all([
    file(body.asset.id).then((answer) => answer.arrayBuffer()),
    file(body.asset.id, {}, "?variant=thumb-320.webp").then((answer) => answer.arrayBuffer()),
  ]);
  expect(Buffer.from(whole).equals(signed)).toBe(true);
  expect(Buffer.from(thumbnail).includes("c2pa")).toBe(false);
  expect((await upload("plain.png", plain)).body.asset.provenance).toBeNull();
});

it("no served file can run: HTML and SVG only download, whatever their name", async () => {
  const page = Buffer.from("<!doctype html><script>alert(1)</script>");
  const drawing = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
  );
  for (const [name, bytes] of [
    ["page.html", page],
    ["page.png", page],
    ["drawing.svg", drawing],
  ] as const) {
    const { body } = await upload(name, bytes);
    const answer = await file(body.asset.id);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-type")).not.toMatch(/html/);
  }
});

it("an unusable file is refused in words and leaves no asset: empty, zero width, too many pixels, truncated", async () => {
  const cut = (
    await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 30 },
      },
    })
      .jpeg()
      .toBuffer()
  ).subarray(0, 600);
  const before = (await owner.call("countAssets", { query: { projectId: owner.projectId } })).body
    .all;
  for (const [name, bytes, code] of [
    ["empty.png", Buffer.alloc(0), "unsupported_media"],
    ["nothing.png", pngOf(0, 0), "unsupported_media"],
    ["huge.png", pngOf(50_000, 50_000), "too_large"],
    ["cut.jpg", cut, "unsupported_media"],
  ] as const) {
    const { body } = await upload(name, bytes);
    expect([name, body.code]).toEqual([name, code]);
    expect(body.detail.length).toBeGreaterThan(10);
  }
  expect(
    (await owner.call("countAssets", { query: { projectId: owner.projectId } })).body.all,
  ).toBe(before);
});

it("a file of three gigabytes is refused before a byte of it is read", async () => {
  const { status, body } = await upload("film.mp4", new Uint8Array(8), {
    "content-length": String(3 * 1024 ** 3),
  });
  expect([status, body.code]).toEqual([413, "too_large"]);
});

it("equal bytes are stored once and are two assets; deleting one leaves the other whole", async () => {
  const bytes = randomBytes(5_000);
  const [a, b] = [
    (await upload("a.bin", bytes)).body.asset,
    (await upload("b.bin", bytes)).body.asset,
  ];
  expect(a.sha256).toBe(b.sha256);
  const ids = [a.id];
  const act = (action: string) =>
    owner.call("updateAssets", { body: { projectId: owner.projectId, ids, action } });
  expect((await act("delete")).body, "only what is in the trash can be deleted").toEqual({
    changed: 0,
    left: [{ reason: "notInTrash", count: 1 }],
    undo: [],
  });
  await act("trash");
  await act("delete");
  expect((await file(a.id)).status).toBe(404);
  expect(Buffer.from(await (await file(b.id)).arrayBuffer()).equals(bytes)).toBe(true);
});

it("a trashed file can be restored, and several download as one zip with their recipes", async () => {
  const one = (await upload("same.txt", Buffer.from("one"))).body.asset;
  const two = (await upload("same.txt", Buffer.from("two"))).body.asset;
  const ids = [one.id, two.id];
  const list = async (trash: string) => {
    const { body } = await owner.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: owner.projectId, trash },
    });
    return body.assets.map((asset) => asset.id);
  };
  await owner.call("updateAssets", { body: { projectId: owner.projectId, ids, action: "trash" } });
  expect(await list("true")).toEqual(expect.arrayContaining(ids));
  await owner.call("updateAssets", {
    body: { projectId: owner.projectId, ids, action: "restore" },
  });
  expect(await list("false")).toEqual(expect.arrayContaining(ids));
  const zip = await instance.request(
    `/api/v1/assets/archive?projectId=${owner.projectId}&ids=${ids.join(",")}`,
    {
      headers: { cookie: owner.cookie },
    },
  );
  const bytes = Buffer.from(await zip.arrayBuffer());
  expect(bytes.subarray(0, 2).toString()).toBe("PK");
  for (const name of ["same.txt", "same 2.txt", "same.txt.recipe.json"])
    expect(bytes.includes(name)).toBe(true);
});

it("on a full disk new work and new files are refused as storage_full, and nothing is written", async () => {
  const { body } = await owner.call<{ connections: Connection[] }>("listConnections");
  const connectionId = body.connections.find((connection) => connection.kind === "builtin")!.id;
  freeBytes = 1_000;
  try {
    const refused = await owner.call("createRuns", {
      body: {
        projectId: owner.projectId,
        models: [{ connectionId, modelId: "pattern" }],
        task: "image",
        input: { prompt: "sea" },
      },
    });
    expect([refused.status, refused.body.code]).toEqual([507, "storage_full"]);
    expect(
      (await owner.call("listBatches", { query: { projectId: owner.projectId } })).body.batches,
    ).toEqual([]);
  } finally {
    freeBytes = undefined;
  }
});

it("a prompt of 300,000 characters is refused at once with its field; one at the limit is accepted", async () => {
  const conversationId = await beginConversation();
  const say = (text: string) =>
    owner.call("sendMessage", { params: { conversationId }, body: { parentId: null, text } });
  expect(await say("x".repeat(300_000))).toMatchObject({
    status: 422,
    body: { code: "invalid_input", field: "text" },
  });
  expect((await say("x".repeat(limits.messageCharacters + 1))).status).toBe(422);
  expect((await say("x".repeat(limits.messageCharacters))).status).toBe(200);
  expect((await say("x".repeat(5 * 1024 ** 2))).status).toBe(413);
});

it("U+0000 and half a surrogate pair are saved as U+FFFD, everything else unchanged", async () => {
  const conversationId = await beginConversation();
  const said = await owner.call<{ message: Message }>("sendMessage", {
    params: { conversationId },
    body: { parentId: null, text: "a\u0000b\ud800c 😀 é e\u0301" },
  });
  expect(said.body.message.parts).toMatchObject([{ text: "a\uFFFDb\uFFFDc 😀 é e\u0301" }]);
});

it("an unknown field, a wrong type and broken JSON get the field or a sentence, never a 500", async () => {
  const answers = [
    await owner.call("createProject", { body: { name: "x", surprise: 1 } }),
    await owner.call("createProject", { body: { name: 7 } }),
    await owner.call("createProject", { body: { name: "   " } }),
    await owner.call("listAssets", { query: { projectId: owner.projectId, cursor: "nonsense" } }),
    await owner.call("listAssets", { query: { projectId: owner.projectId, limit: "100000" } }),
  ];
  for (const answer of answers)
    expect([answer.status, answer.body.code]).toEqual([422, "invalid_input"]);
  const { projectId } = owner;
  const instruct = (instructions: string) =>
    owner.call("updateProject", { params: { projectId }, body: { instructions } });
  expect(await instruct("x".repeat(100_001))).toMatchObject({
    status: 422,
    body: { field: "instructions" },
  });
  expect((await instruct("x".repeat(100_000))).status).toBe(200);
  expect((await instruct("")).status).toBe(200);
  const broken = await instance.request("/api/v1/projects", {
    method: "POST",
    headers: { cookie: owner.cookie, "content-type": "application/json" },
    body: "{not json",
  });
  expect(broken.status).toBe(422);
});

it("an unusable connection is refused in words and not saved: wrong key, web page, unreachable, no address", async () => {
  const simulator = await startOpenAiCompatible();
  const fal = await startFal();
  try {
    const connect = (values: Record<string, string | number>) =>
      owner.call("createConnection", {
        body: { kind: "openai-compatible", name: "S", scope: "instance", values },
      });
    expect((await connect({ api: simulator.url, key: "wrong" })).body.code).toBe("provider_auth");
    expect((await connect({ api: `${fal.url}/site` })).body.code).toBe("provider_protocol");
    expect((await connect({ api: "http://127.0.0.1:1/v1" })).body.code).toBe(
      "provider_unreachable",
    );
    expect(await connect({ api: "not an address" })).toMatchObject({
      status: 422,
      body: { field: "values.api" },
    });
    expect(await connect({ api: simulator.url, surprise: "x" })).toMatchObject({
      status: 422,
      body: { field: "values.surprise" },
    });
    for (const mediaPlaces of ["many", "2", 1.5, 0, -1, 1_001, 1e9])
      expect(await connect({ api: simulator.url, key: simulator.key, mediaPlaces })).toMatchObject({
        status: 422,
        body: { field: "values.mediaPlaces" },
      });
    const { body } = await owner.call<{ connections: Connection[] }>("listConnections");
    expect(body.connections.map((connection) => connection.kind)).toEqual(["builtin"]);
  } finally {
    await simulator.stop();
    await fal.stop();
  }
});

it("a member's own connection never reaches a private address, whatever they type", async () => {
  const simulator = await startOpenAiCompatible();
  try {
    const member = await instance.createPerson("member@example.org");
    const answer = await member.call("createConnection", {
      body: {
        kind: "openai-compatible",
        name: "S",
        scope: "user",
        values: { api: simulator.url, key: simulator.key },
      },
    });
    expect(answer.body.code).toBe("provider_unreachable");
    expect(
      (
        await member.call("createConnection", {
          body: {
            kind: "openai-compatible",
            name: "S",
            scope: "instance",
            values: { api: simulator.url },
          },
        })
      ).status,
    ).toBe(403);
  } finally {
    await simulator.stop();
  }
});
