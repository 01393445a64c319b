import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import type { AskedQuestion, ProviderError, RunContext, RunRequest } from "#providers/adapter.ts";
import type { SimulatedTool } from "../../../../test/simulators/mcp/tools.ts";
import { type Mcp, startMcp } from "../../../../test/simulators/mcp.ts";
import { buildContext, buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { mcp } from "./adapter.ts";

afterEach(() => mcp.close!());

async function build(
  options: {
    server?: Parameters<typeof startMcp>[0];
    secret?: string | null;
    values?: object;
    signal?: AbortSignal;
  } = {},
) {
  const server: Mcp = await startMcp({ key: "tools-key-1234567890", ...options.server });
  onTestFinished(() => server.stop());
  const { secret = "tools-key-1234567890", values = {}, signal } = options;
  const connection = {
    kind: "mcp",
    addresses: { server: server.url },
    options: { ...values },
    secret: secret && JSON.stringify({ key: secret }),
  };
  const attempt = (more: { signal?: AbortSignal } = {}) =>
    buildContext({ origin: server.origin, connection, ...(signal && { signal }), ...more });
  const call = (
    name: string,
    input: RunRequest["input"] = {},
    { askPerson, ...more }: { signal?: AbortSignal } & Pick<RunContext, "askPerson"> = {},
  ) => {
    const built = attempt(more);
    const { wire } = built;
    const context = { ...built.context, ...(askPerson && { askPerson }) };
    const request = buildRequest({
      task: "tool",
      model: { id: name, inputSchema: null, capabilities: {} },
      input,
      turns: [],
    });
    return collect(mcp.answer!(request, context)).then((came) => ({ ...came, wire }));
  };
  const list = async () => {
    const models = [];
    for await (const page of mcp.models(attempt().context)) models.push(...page);
    return models;
  };
  return { server, call, list, check: () => mcp.check(attempt().context) };
}

it("the check reports the server's name and number of tools; all pages are read in one session", async () => {
  const { server, check, list } = await build();
  expect(await check()).toEqual({ message: "notebook 2.1: 4 tools." });
  const models = await list();
  expect(models.map(({ id, name, capabilities }) => [id, name, capabilities.readOnly])).toEqual([
    ["add_note", "Add a note", false],
    ["read-notes", "read-notes", true],
    ["draw.pixel", "draw.pixel", false],
    ["fail", "fail", false],
  ]);
  expect(models.every(({ tasks, price }) => tasks[0] === "tool" && price?.micros === "0")).toBe(
    true,
  );
  expect(server.sessions()).toEqual({ open: 1, opened: 1 });
  expect(server.refused).toEqual([]);
});

it("tools are offered up to the limit, and a long list is read only to its bound", async () => {
  const tools = Array.from({ length: 15_000 }, (_, i) => ({
    name: `tool-${i}`,
    description: "",
    inputSchema: { type: "object" },
  }));
  const { check, list } = await build({ server: { tools, pageSize: tools.length } });
  expect((await check()).message).toMatch(/: 128 tools\. Left out: \d+ beyond the first 128\.$/);
  expect(await list()).toHaveLength(128);
});

it("a list of tools that is too large is refused while it arrives", async () => {
  const tools = Array.from({ length: 50_000 }, (_, i) => ({
    name: `tool-${i}`,
    description: "",
    inputSchema: { type: "object" },
  }));
  const { check } = await build({ server: { tools, pageSize: tools.length } });
  await expect(check()).rejects.toMatchObject({
    code: "provider_protocol",
    message: /holds more than 100,000 values/,
  });
});

it("a regular expression in a server's form is dropped, because it could block this process", async () => {
  const { list } = await build();
  const [note] = await list();
  expect(note!.inputSchema).toEqual({
    type: "object",
    properties: { text: { type: "string", description: "What it says." } },
    required: ["text"],
    additionalProperties: false,
  });
});

it("excess tools and oversized forms are left out, and the check says so", async () => {
  const tool = (name: string, more: object = {}): SimulatedTool => ({
    name,
    description: "",
    inputSchema: { type: "object", ...more },
  });
  const deep = JSON.parse(`${'{"items":'.repeat(40)}{}${"}".repeat(40)}`) as object;
  const tools = [
    tool("long", { description: "x".repeat(20_001) }),
    tool("deep", deep),
    tool("endless", { allOf: [{ $ref: "#" }] }),
    ...Array.from({ length: 30 }, (_, n) => tool(`t${n}`)),
  ];
  const { check, list } = await build({ server: { tools } });
  expect((await check()).message).toBe(
    "notebook 2.1: 30 tools. Left out: 3 with a form that is too long or too deep.",
  );
  expect((await list()).map(({ id }) => id)).not.toContain("deep");
});

it("a call is one paid POST, and its result is text", async () => {
  const { server, call } = await build();
  const { finish, error, wire } = await call("add_note", { text: "buy milk" });
  expect(error).toBeNull();
  expect(finish).toMatchObject({ result: { text: "Noted: buy milk", isError: false } });
  expect(server.calls).toEqual([
    { name: "add_note", arguments: { text: "buy milk" }, isDone: true },
  ]);
  expect(wire.filter(({ type }) => type === "response")).toEqual([
    { type: "response", status: 200 },
  ]);
  expect(server.refused).toEqual([]);
});

it("an answer as events, with progress before it, gives the same result", async () => {
  const { server, call } = await build();
  server.script({ asEvents: true });
  expect((await call("add_note", { text: "a" })).finish).toMatchObject({
    result: { text: "Noted: a" },
  });
});

it("pictures become files, a link is shown but not followed, and a tool's error is its answer", async () => {
  const { call } = await build();
  const drawn = await call("draw.pixel");
  expect(drawn.files).toEqual([
    { name: "draw.pixel-2", mime: "image/png", bytes: expect.any(Buffer) },
  ]);
  expect(drawn.finish).toMatchObject({
    result: { text: "One dot.\n\n[A link to more: http://169.254.169.254/latest]" },
  });
  expect((await call("fail")).finish).toMatchObject({
    result: { text: "<b>It does not work.</b>", isError: true },
  });
});

it("a long result is cut with a note that says so", async () => {
  const { server, call } = await build();
  server.script({ result: { content: [{ type: "text", text: "x".repeat(60_000) }] } });
  const { finish } = await call("read-notes");
  const text = finish?.type === "finish" ? String(finish.result?.text) : "";
  expect(text).toHaveLength(50_000);
  expect(text).toMatch(/\[Cut here: it was 60000 characters long\.\]$/);
});

it.each([
  ["reset", { kind: "reset" }, "outcome_unknown", "unknown"],
  ["an end without a result", { kind: "no-result" }, "provider_interrupted", "unknown"],
  ["a page", { kind: "html" }, "provider_protocol", "unknown"],
  ["503", { kind: "status", status: 503 }, "provider_overloaded", "unknown"],
  ["401", { kind: "status", status: 401 }, "provider_auth", "no"],
  ["429", { kind: "status", status: 429 }, "provider_rate_limited", "no"],
  [
    "wrong parameters",
    { kind: "error", code: -32602, message: "text is missing" },
    "provider_invalid_input",
    "no",
  ],
  [
    "an error of its own",
    { kind: "error", code: -32603, message: "It broke" },
    "provider_invalid_input",
    "yes",
  ],
] as const)(
  "%s after a call was sent: one POST, and whether it was accepted",
  async (_, fault, code, accepted) => {
    const { server, call } = await build();
    server.script({ fault });
    const { error } = await call("add_note", { text: "a" });
    expect(error).toMatchObject({ code, accepted });
    expect(server.calls).toHaveLength(1);
  },
);

it("a call to a forgotten session never happened, and the next opens a new session", async () => {
  const { server, call } = await build();
  server.script({ fault: { kind: "forget" } });
  expect((await call("add_note", { text: "a" })).error).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
  expect((await call("add_note", { text: "a" })).error).toBeNull();
  expect(server.calls).toHaveLength(1);
  expect(server.sessions().opened).toBe(2);
});

it.each([404, 400] as const)(
  "after a server restart a list is read in a new session, if it answers %i",
  async (status) => {
    const { server, check, list } = await build({
      server: status === 400 ? { lostSession: 400 } : {},
    });
    await check();
    server.restart();
    expect(await list()).toHaveLength(4);
    expect(server.sessions()).toEqual({ open: 1, opened: 2 });
  },
);

it("after a restart of a server that answers 400, the call never happened and the next uses a new session", async () => {
  const { server, call } = await build({ server: { lostSession: 400 } });
  await call("add_note", { text: "a" });
  server.restart();
  expect((await call("add_note", { text: "b" })).error).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
    detail: { forgotten: true },
  });
  expect((await call("add_note", { text: "b" })).error).toBeNull();
  expect(server.notes).toEqual(["a", "b"]);
});

it("a 400 for another reason doesn't mean a lost session", async () => {
  const { server, call } = await build();
  server.script({ fault: { kind: "status", status: 400 } });
  const { error } = await call("add_note", { text: "a" });
  expect(error).toMatchObject({ code: "provider_protocol", accepted: "no" });
  expect((error as ProviderError).detail.forgotten).toBeUndefined();
});

it("a tool that only runs as a task isn't offered, and the check says so", async () => {
  const tool = (name: string, taskSupport: "optional" | "required"): SimulatedTool => ({
    name,
    description: "",
    inputSchema: { type: "object" },
    execution: { taskSupport },
  });
  const tools = [tool("research", "required"), tool("either", "optional")];
  const { check, list } = await build({ server: { tools } });
  expect((await check()).message).toBe("notebook 2.1: 1 tool. Left out: 1 that run as tasks only.");
  expect((await list()).map(({ id }) => id)).toEqual(["either"]);
});

it("a call's progress is reported before its result, in the server's words", async () => {
  const { server, call } = await build();
  server.script({ asEvents: true });
  server.script({ asEvents: { message: "Reading page 1" } });
  const progress = async () =>
    (await call("add_note", { text: "a" })).parts.filter(({ type }) => type === "progress");
  expect(await progress()).toEqual([{ type: "progress", done: 1, total: 2 }]);
  expect(await progress()).toEqual([
    { type: "progress", done: 1, total: 0, label: "Reading page 1" },
  ]);
});

it("a call that reported progress was accepted, however it ends", async () => {
  const { server, call } = await build();
  server.script({ asEvents: true, fault: { kind: "no-result" } });
  expect((await call("add_note", { text: "a" })).error).toMatchObject({
    code: "provider_interrupted",
    accepted: "unknown",
  });
});

const booking = {
  mode: "form",
  message: "Which table?",
  requestedSchema: {
    type: "object",
    properties: {
      seats: { type: "integer", title: "Seats", minimum: 1, maximum: 8 },
      name: { type: "string", pattern: "^(a+)+$" },
    },
    required: ["seats"],
  },
};

it("the server's question reaches the person as a form, and the answer goes back to the call", async () => {
  const { server, call } = await build();
  server.script({ asks: booking });
  const asked: AskedQuestion[] = [];
  const { finish } = await call(
    "add_note",
    { text: "a" },
    {
      askPerson: async (question) => {
        asked.push(question);
        return { action: "accept", content: { seats: 2 } };
      },
    },
  );
  expect(finish).toMatchObject({ result: { text: '{"action":"accept","content":{"seats":2}}' } });
  expect(asked).toEqual([
    {
      message: "Which table?",
      schema: {
        type: "object",
        properties: {
          seats: { type: "integer", title: "Seats", minimum: 1, maximum: 8 },
          name: { type: "string" },
        },
        required: ["seats"],
        additionalProperties: false,
      },
    },
  ]);
  expect(server.refused).toEqual([]);
});

it.each([
  ["without a person to ask", booking, '{"action":"cancel"}'],
  [
    "with more fields than a person fills in",
    {
      message: "What?",
      requestedSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 21 }, (_, i) => [`field${i}`, { type: "string" }]),
        ),
      },
    },
    '{"action":"decline"}',
  ],
  [
    "for an address to open",
    { mode: "url", message: "Here", url: "https://evil.example", elicitationId: "1" },
    expect.stringContaining('"code":-32602'),
  ],
])("a question %s is not answered", async (_, asks, text) => {
  const { server, call } = await build();
  server.script({ asks });
  expect((await call("add_note", { text: "a" })).finish).toMatchObject({ result: { text } });
  expect(server.refused).toEqual([]);
});

it("files without text are named to the model", async () => {
  const { server, call } = await build();
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  server.script({ result: { content: [image] } });
  expect((await call("draw.pixel")).finish).toMatchObject({
    result: { text: "[Files without text: draw.pixel-1 (image/png)]" },
  });
});

it("a person's stop is reported to the server", async () => {
  const { server, call } = await build();
  server.script({ gate: "done" });
  const stop = new AbortController();
  const asked = call("add_note", { text: "a" }, { signal: stop.signal });
  await server.reached("done");
  stop.abort(new DOMException("cancel", "AbortError"));
  expect((await asked).error).toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(server.cancelled).toHaveLength(1));
  expect(server.calls).toHaveLength(1);
});

it("a wrong key, an address without tools and a web page are each reported plainly", async () => {
  const wrong = await build({ secret: "another-key-000000000" });
  await expect(wrong.check()).rejects.toMatchObject({ code: "provider_auth", accepted: "no" });
  const { server } = await build();
  const { context } = buildContext({
    origin: server.origin,
    connection: {
      kind: "mcp",
      addresses: { server: `${server.origin}/elsewhere` },
      options: {},
      secret: '{"key":"tools-key-1234567890"}',
    },
  });
  await expect(mcp.check(context)).rejects.toMatchObject({
    code: "provider_protocol",
    message: expect.stringContaining("404"),
  });
});

it("a private address that no admin named isn't reached", async () => {
  const { server } = await build();
  const connection = { kind: "mcp", addresses: { server: server.url }, options: {}, secret: null };
  const { context } = buildContext({ origin: "http://127.0.0.1:1", connection });
  await expect(mcp.check(context)).rejects.toMatchObject({ code: "provider_unreachable" });
  expect(server.sessions().opened).toBe(0);
});
