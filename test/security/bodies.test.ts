import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Asset, Connection } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { type RouteSchemas, schemas } from "#contract/schemas/index.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { bodyBytesOf } from "#server/gate.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  createTestClock,
  type Instance,
  type KeyCaller,
} from "../support/server/instance.ts";
import { createTempFolder } from "../support/temp.ts";

const names = Object.keys(routes) as RouteName[];
const routeOf = (name: RouteName): Route => routes[name];
const takesJson = names.filter((name) => (schemas[name] as RouteSchemas).body !== undefined);
const id = "0198f3a0-0000-7000-8000-000000000000";

let instance: Instance;
let owner: Caller;
let other: Caller;
let key: KeyCaller;
let scratch: string;

beforeAll(async () => {
  const database = await createTestDatabase("sqlite");
  scratch = `${database.dataFolder}/scratch`;
  instance = await createInstance(database, { adapters: [builtin], scratchFolder: scratch });
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
  other = await instance.createPerson("other@example.org");
  key = await instance.createKey(owner);
});
afterAll(() => instance.close());

/** Every parameter is an id that is only the owner's project. */
const pathOf = (name: RouteName): string =>
  routeOf(name).path.replace(/:(\w+)/g, (_, param) =>
    param === "projectId" ? owner.projectId : id,
  );

/** A request whose body reports how much of it was read. */
async function send(
  name: RouteName,
  body: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
) {
  const bytes = new TextEncoder().encode(body);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = bytes.subarray(sent, sent + 64 * 1024);
        sent += next.length;
        if (next.length === 0) controller.close();
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
  const init = {
    method: routeOf(name).method,
    body: stream,
    duplex: "half",
    headers: { "content-type": "application/json", ...headers },
  };
  const response = await instance.request(
    `${pathOf(name)}?${new URLSearchParams(query)}`,
    init as RequestInit,
  );
  return { status: response.status, text: await response.text(), sent };
}

it("every public route has a rate limit and accepts little JSON", async () => {
  for (const name of names.filter((each) => routeOf(each).permission === "public")) {
    expect([name, routeOf(name).rate]).toEqual([name, expect.stringMatching(/^(sign-in|open)$/)]);
    expect([name, bodyBytesOf(routeOf(name))]).toEqual([name, limits.publicJsonBytes]);
  }
  const ticket = { by: id, projectId: id, name: "a.png", until: "1", signature: "none" };
  const long = JSON.stringify({ parts: [{ partNumber: 1, etag: "x".repeat(70_000) }] });
  const { status, sent } = await send("completeLinkedUpload", long, {}, ticket);
  expect(status).toBe(413);
  expect(sent).toBeLessThanOrEqual(2 * limits.publicJsonBytes);
});

it("public routes refuse callers over their rate, with the time to wait", async () => {
  const own = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    clock: createTestClock(),
    perMinute: { open: 5 },
  });
  const statuses = new Set<number>();
  for (let i = 0; i < 5; i++) statuses.add((await own.anonymous("getInstance")).status);
  expect([...statuses]).toEqual([200]);
  const refused = await own.anonymous("getInstance");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

it("the public command line download has the same rate limit", async () => {
  const commandLineFolder = createTempFolder("built");
  mkdirSync(commandLineFolder, { recursive: true });
  writeFileSync(join(commandLineFolder, "cli.mjs"), "");
  const own = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    clock: createTestClock(),
    commandLineFolder,
    perMinute: { open: 2 },
  });
  const statusOf = async (path: string) => (await own.request(path)).status;
  expect([await statusOf("/cli.mjs"), await statusOf("/cli.tgz")]).toEqual([200, 200]);
  expect([await statusOf("/cli.mjs"), await statusOf("/cli.tgz")]).toEqual([429, 429]);
});

it("a signed-in person over the rate for people is refused, and nobody else", async () => {
  const own = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    clock: createTestClock(),
    perMinute: { person: 5 },
  });
  const [eager, calm] = [
    await own.createPerson("eager@example.org"),
    await own.createPerson("calm@example.org"),
  ];
  const statusOf = async (who: Caller) => (await who.call("getMe")).status;
  const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOf(eager)));
  expect(new Set(statuses).has(429)).toBe(false);
  expect(await statusOf(eager)).toBe(429);
  expect(await statusOf(calm)).not.toBe(429);
});

it("nothing of a body is read from anyone who isn't signed in", async () => {
  for (const name of takesJson.filter((each) => routeOf(each).permission !== "public")) {
    const { status, sent } = await send(name, `{"x":"${"x".repeat(10_000)}"}`, {});
    expect([name, status, sent]).toEqual([name, 401, 0]);
  }
});

it("nothing of a body is read if the address names something that isn't the caller's", async () => {
  const named = takesJson.filter((name) => {
    const { target, permission } = routeOf(name);
    return target && target.from !== "body" && target.from !== "key" && permission !== "public";
  });
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) {
    const { target } = routeOf(name);
    // Elsewhere the route doesn't know this parameter.
    const isAsked = target?.from === "query" || target?.from === "query-or-key";
    const query: Record<string, string> = isAsked ? { projectId: owner.projectId } : {};
    const { status, sent } = await send(name, '{"x":1}', { cookie: other.cookie }, query);
    expect([name, sent]).toEqual([name, 0]);
    expect([403, 404]).toContain(status);
  }
});

it.each([
  ["brackets", "[".repeat(3_000_000), /nested more than 64 levels/],
  ["a flat array", `[${"0,".repeat(1_500_000)}0]`, /more than 100,000 values/],
  ["objects", `[${'{"a":1},'.repeat(300_000)}0]`, /more than 100,000 values/],
])("%s are refused while they arrive, before anything is parsed", async (_, body, words) => {
  const parser = vi.spyOn(JSON, "parse");
  const read = vi.spyOn(instance.deps.json, "read");
  try {
    const credentials = { authorization: `Bearer ${key.token}` };
    for (const [name, headers, refusal] of [
      ["createConversation", { cookie: owner.cookie }, 422],
      ["createChatCompletion", credentials, 400],
      ["createImages", credentials, 400],
    ] as const) {
      const { status, text, sent } = await send(name, body, headers);
      expect([name, status]).toEqual([name, refusal]);
      expect(text).toMatch(words);
      expect(sent).toBeLessThan(1_000_000);
    }
    expect(read).not.toHaveBeenCalled();
    expect(parser.mock.calls.every(([text]) => text.length < 10_000)).toBe(true);
  } finally {
    parser.mockRestore();
    read.mockRestore();
  }
});

it("a page's form has its JSON in one field, and is refused above a megabyte", async () => {
  const headers = {
    cookie: owner.cookie,
    "content-type": "application/x-www-form-urlencoded",
  };
  const post = (form: string) =>
    send("downloadSelection", form, headers, { projectId: owner.projectId });
  const json = encodeURIComponent(JSON.stringify({ ids: [id] }));
  // The file doesn't exist.
  expect((await post(`json=${json}`)).status).toBe(404);
  expect((await post(`a=1&json=${json}&b=%`)).status).toBe(404);
  for (const form of ["json=%ZZ", `JSON=${json}`, ""]) {
    const { status } = await post(form);
    expect([form, status]).toEqual([form, 422]);
  }
  const { status, sent } = await post("a&".repeat(1_500_000));
  expect(status).toBe(413);
  expect(sent).toBeLessThan(2 * limits.jsonHereBytes);
});

it("a form with more parts than any may have is refused while it arrives", async () => {
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n';
  const headers = {
    authorization: `Bearer ${key.token}`,
    "content-type": "multipart/form-data; boundary=x",
  };
  for (const name of ["editImages", "createTranscription"] as const) {
    const { status, text, sent } = await send(name, `${part.repeat(160_000)}--x--\r\n`, headers);
    expect([name, status]).toEqual([name, 413]);
    expect(text).toContain(`at most ${limits.formParts} fields and files`);
    expect(sent).toBeLessThan(1_000_000);
    const fits = await send(name, `${part.repeat(limits.formParts)}--x--\r\n`, headers);
    expect([name, fits.status]).toEqual([name, 400]);
  }
});

it("a picture in a request's JSON bypasses the parser into the library, and leaves nothing behind", async () => {
  const read = vi.spyOn(instance.deps.json, "read");
  const { connections } = (await owner.call<{ connections: Connection[] }>("listConnections")).body;
  const slug = connections.find(({ kind }) => kind === "builtin")!.slug;
  const bytes = Buffer.alloc(3_000_000, "A file of words. ");
  const content = [
    { type: "text", text: "What is a run?" },
    {
      type: "file",
      file: {
        filename: "words.txt",
        file_data: `data:text/plain;base64,${bytes.toString("base64")}`,
      },
    },
  ];
  try {
    const answer = await key.call("createChatCompletion", {
      body: { model: `${slug}/guide`, messages: [{ role: "user", content }] },
    });
    expect(answer.status).toBe(200);
    expect(read.mock.calls.map(([task]) => task.bytes.length < 1_000)).toEqual([true]);
  } finally {
    read.mockRestore();
  }
  const { assets } = (
    await owner.call<{ assets: Asset[] }>("listAssets", { query: { projectId: owner.projectId } })
  ).body;
  expect(assets).toMatchObject([{ title: "words.txt", bytes: bytes.length }]);
  expect(readdirSync(scratch)).toEqual([]);
});
