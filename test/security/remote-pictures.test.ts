import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance } from "../support/server/instance.ts";

/** A picture elsewhere comes through our server, on a person's click, and tells its host nothing of them. */
let instance: Instance;
let reader: Caller;
let origin: string;
let messageId: string;
const asked: IncomingMessage[] = [];
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const files: Record<string, Buffer> = {
  "/a.png": png,
  "/page.png": Buffer.from("<!doctype html><script>alert(1)</script>"),
  "/a.svg": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  "/big.png": Buffer.concat([png, Buffer.alloc(limits.remotePictureBytes)]),
};
/** A picture that the host has, and that the message doesn't name. */
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

it("only what the message names, to who may read it", async () => {
  const other = await instance.createPerson("other@example.org");
  expect((await show("https://example.org/else.png")).status).toBe(404);
  expect((await show(`${origin}/a.png`, other)).status).toBe(404);
});

it("it is served as the picture that its bytes are, runs nothing, and its host learns nothing of the reader", async () => {
  const { outbound } = instance.engine.deps;
  const open = outbound.open.bind(outbound);
  vi.spyOn(outbound, "open").mockImplementation((options) =>
    open({ ...options, privateOrigins: [origin] }),
  );
  const shown = await show(`${origin}/a.png`);
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"]);
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
  for (const path of ["/page.png", "/a.svg", "/big.png"])
    expect([path, (await show(`${origin}${path}`)).status]).toEqual([path, 404]);
  vi.restoreAllMocks();
});
