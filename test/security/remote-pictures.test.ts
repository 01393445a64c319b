import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import { routes } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance } from "../support/server/instance.ts";

/**
 * A remote picture is loaded by our server after a person's click, and reveals nothing about them
 * to its host.
 */
let instance: Instance;
let reader: Caller;
let origin: string;
let messageId: string;
const asked: IncomingMessage[] = [];
const secret = "taken at 47.37 N by Ada";
const script = "<script>alert(1)</script>";
const blank = { create: { width: 40, height: 30, channels: 3, background: "#369" } } as const;
const png = await sharp(blank)
  .withExif({ IFD0: { ImageDescription: secret } })
  .png()
  .toBuffer();
/** Two frames with different colors. */
const gif = await sharp(
  await Promise.all(
    ["#f00", "#00f"].map((background) =>
      sharp({ create: { ...blank.create, background } })
        .png()
        .toBuffer(),
    ),
  ),
  { join: { animated: true } },
)
  .gif()
  .toBuffer();
/** A few bytes that declare more pixels than we draw. */
const vast = Buffer.from(await sharp(blank).png().toBuffer());
vast.writeUInt32BE(50_000, 16);
vast.writeUInt32BE(50_000, 20);
const files: Record<string, Buffer> = {
  "/a.png": png,
  "/both.png": Buffer.concat([png, Buffer.from(script)]),
  "/moves.gif": gif,
  "/vast.png": vast,
  "/torn.png": png.subarray(0, png.length - 40),
  "/page.png": Buffer.from("<!doctype html><script>alert(1)</script>"),
  "/a.svg": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  "/big.png": Buffer.concat([png, Buffer.alloc(limits.remotePictureBytes)]),
};
/** A picture on the host that the message doesn't name. */
const unnamed = "/unnamed.png";
const host = createServer((request, response) => {
  asked.push(request);
  const path = request.url?.split("?")[0] ?? "";
  const file = path === unnamed ? png : files[path];
  if (!file) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "text/html", "set-cookie": "seen=1" }).end(file);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  instance = await createInstance(await createTestDatabase("sqlite"));
  reader = await instance.createPerson("reader@example.org");
  const { conversation } = (
    await reader.call<RouteOutput<"createConversation">>("createConversation", {
      body: { projectId: reader.projectId },
    })
  ).body;
  const text = [
    ...Object.keys(files).map((path) => `![a](${origin}${path})`),
    `![cut](${origin}/a.png?x=1&amp;y=2)`,
    "![metadata](http://169.254.169.254/latest/meta-data) ![file](file:///etc/passwd)",
  ].join("\n");
  const said = await reader.call<RouteOutput<"sendMessage">>("sendMessage", {
    params: { conversationId: conversation.id },
    body: { parentId: null, text },
  });
  messageId = said.body.message.id;
});
afterAll(async () => {
  await instance.close();
  host.close();
});

const show = (url: string, who: Caller = reader) =>
  who.call("getRemotePicture", { params: { messageId }, query: { url } });

it("a private address is never asked", async () => {
  for (const url of [
    `${origin}/a.png`,
    "http://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
  ])
    expect([url, (await show(url)).status]).toEqual([url, 404]);
  expect(asked).toEqual([]);
});

it("only pictures that the message names are fetched, only for its readers", async () => {
  const other = await instance.createPerson("other@example.org");
  expect((await show("https://example.org/else.png")).status).toBe(404);
  expect((await show(`${origin}/a.png`, other)).status).toBe(404);
});

it("it is served as the type of its bytes, runs nothing, and its host learns nothing about the reader", async () => {
  const { outbound } = instance.engine.deps;
  const open = outbound.open.bind(outbound);
  vi.spyOn(outbound, "open").mockImplementation((options) =>
    open({ ...options, privateOrigins: [origin] }),
  );
  const shown = await show(`${origin}/a.png`);
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(shown.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
  expect(shown.headers.get("set-cookie")).toBeNull();
  expect((await show(`${origin}/a.png?x=1&y=2`)).status).toBe(200);
  expect((await show(`${origin}${unnamed}`)).status).toBe(404);
  expect(asked.map(({ url }) => url)).not.toContain(unnamed);
  for (const { headers } of asked)
    expect([headers.cookie, headers.referer, headers.authorization]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  for (const path of ["/page.png", "/a.svg", "/big.png", "/vast.png", "/torn.png"])
    expect([path, (await show(`${origin}${path}`)).status]).toEqual([path, 404]);
  vi.restoreAllMocks();
});

it("no byte of the original reaches the reader: it is redrawn, without metadata, as one frame", async () => {
  const { outbound } = instance.engine.deps;
  const open = outbound.open.bind(outbound);
  vi.spyOn(outbound, "open").mockImplementation((options) =>
    open({ ...options, privateOrigins: [origin] }),
  );
  const bytesOf = async (path: string) => {
    const query = new URLSearchParams({ url: `${origin}${path}` });
    const address = routes.getRemotePicture.path.replace(":messageId", messageId);
    const shown = await instance.request(`${address}?${query}`, {
      headers: { host: "127.0.0.1", cookie: reader.cookie },
    });
    return Buffer.from(await shown.arrayBuffer());
  };
  expect(png.includes(secret)).toBe(true);
  for (const path of ["/a.png", "/both.png", "/moves.gif"]) {
    const bytes = await bytesOf(path);
    for (const words of [secret, script])
      expect([path, bytes.includes(words)]).toEqual([path, false]);
    const { format, width, height, pages = 1, exif } = await sharp(bytes).metadata();
    expect([path, format, width, height, pages, exif]).toEqual([
      path,
      "webp",
      40,
      30,
      1,
      undefined,
    ]);
  }
  vi.restoreAllMocks();
});
