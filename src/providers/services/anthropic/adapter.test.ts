import { expect, it, onTestFinished } from "vitest";
import { limits } from "#contract/limits.ts";
import { type Anthropic, startAnthropic } from "../../../../test/simulators/anthropic.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import type { CallContext, ChatPart, RunRequest } from "../../adapter.ts";
import { anthropic } from "./adapter.ts";

async function ask(
  input: { maxOutputTokens?: number; reasoningEffort?: string },
  more: Partial<RunRequest> = {},
) {
  const simulator = await startAnthropic();
  onTestFinished(() => simulator.stop());
  const { context, warnings } = buildContext({
    origin: new URL(simulator.url).origin,
    connection: {
      kind: "anthropic",
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key,
    },
  });
  // This model takes a token budget for its reasoning; newer ones don't.
  const model = { id: "claude-sonnet-4-20250514", inputSchema: null, capabilities: {} };
  const answer = await collect(anthropic.answer!(buildRequest({ model, input, ...more }), context));
  const body = simulator.posts[0]!.body as {
    max_tokens: number;
    thinking?: { type: string; budget_tokens?: number };
    cache_control?: object;
  };
  return { answer, body, warnings };
}

it("the length limit includes thinking, because exactly that much is reserved", async () => {
  const { answer, body } = await ask({ maxOutputTokens: 4_000, reasoningEffort: "high" });
  expect(answer.error).toBeNull();
  expect(body.max_tokens).toBe(4_000);
  expect(body.thinking).toMatchObject({ type: "enabled" });
  expect(body.thinking!.budget_tokens).toBeLessThan(4_000);
});

it("thinking is left out with a warning if the length limit leaves no room for it", async () => {
  const { answer, body, warnings } = await ask({ maxOutputTokens: 1_000, reasoningEffort: "high" });
  expect(answer.error).toBeNull();
  expect(body).toMatchObject({ max_tokens: 1_000 });
  expect(body.thinking).toBeUndefined();
  expect(warnings).toMatchObject([{ feature: "reasoningEffort" }]);
});

it.each([
  [2_000, 4_000, 2_000],
  [9_900, 10_000, 9_900],
  [9_900, 9_900, 7_920],
  [9_900, undefined, 9_900],
])(
  "a program's thinking budget of %d within an answer of %s is sent as %d",
  async (budget, most, sent) => {
    const { body } = await ask(
      { ...(most && { maxOutputTokens: most }), reasoningEffort: "medium" },
      { passed: { thinking_budget: budget } },
    );
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens: sent });
    if (most) expect(body.max_tokens).toBe(most);
  },
);

it.each([true, false])(
  "a turn in progress that began without Claude's thinking continues without, with a warning (%s)",
  async (isOwn) => {
    const thought: ChatPart = {
      type: "reasoning",
      text: "Look first.",
      ...(isOwn && { providerMetadata: { anthropic: { signature: "c2lnbmVk" } } }),
    };
    const call: ChatPart = { type: "tool-call", callId: "call_1", name: "weather", input: {} };
    const { answer, body, warnings } = await ask(
      { maxOutputTokens: 8_000, reasoningEffort: "medium" },
      {
        tools: [{ name: "weather", description: "", inputSchema: { type: "object" } }],
        turns: [
          { role: "user", parts: [{ type: "text", text: "Genoa?" }] },
          { role: "assistant", parts: [...(isOwn ? [thought] : []), call] },
          {
            role: "tool",
            parts: [{ type: "tool-result", callId: "call_1", name: "weather", output: "rain" }],
          },
        ],
      },
    );
    expect(answer.error).toBeNull();
    expect(body.thinking !== undefined).toBe(isOwn);
    expect(warnings.map(({ message }) => message)).toEqual(
      isOwn ? [] : [expect.stringContaining("began without it")],
    );
  },
);

it("numbers of an earlier call stay as its model wrote them, also if its thinking is limited", async () => {
  const simulator = await startAnthropic();
  onTestFinished(() => simulator.stop());
  const { context } = buildContext({
    origin: new URL(simulator.url).origin,
    connection: {
      kind: "anthropic",
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key,
    },
  });
  let sent = "";
  const request = buildRequest({
    model: { id: "claude-sonnet-4-20250514", inputSchema: null, capabilities: {} },
    input: { maxOutputTokens: 4_000, reasoningEffort: "high" },
    tools: [{ name: "look", description: "", inputSchema: { type: "object" } }],
    turns: [
      { role: "user", parts: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            callId: "call_1",
            name: "look",
            input: { id: 12345678901234567000, near: 1 },
            written: '{"id": 12345678901234567890, "near": 1}',
          },
        ],
      },
      {
        role: "tool",
        parts: [{ type: "tool-result", callId: "call_1", name: "look", output: "a" }],
      },
    ],
  });
  const fetch: typeof context.fetch = (url, init) => {
    sent = String(init?.body);
    return context.fetch(url, init);
  };
  expect((await collect(anthropic.answer!(request, { ...context, fetch }))).error).toBeNull();
  expect(sent).toContain('"input":{"id":12345678901234567890,"near":1}');
});

it("a program's label for its user is Anthropic's", async () => {
  const { body } = await ask({ maxOutputTokens: 100 }, { passed: { user: "u-1" } });
  expect(body).toMatchObject({ metadata: { user_id: "u-1" } });
});

it("the provider's cache is requested", async () => {
  expect((await ask({ maxOutputTokens: 100 })).body.cache_control).toEqual({ type: "ephemeral" });
});

it.each([true, false])(
  "documents are cited and named once each, unless the answer has a schema (%s)",
  async (hasShape) => {
    const simulator = await startAnthropic();
    onTestFinished(() => simulator.stop());
    const { context } = buildContext({
      origin: new URL(simulator.url).origin,
      connection: {
        kind: "anthropic",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    });
    const files = [
      buildFile("report.pdf", "application/pdf", "%PDF-1.7"),
      buildFile("notes.md", "text/markdown", "The tide is low."),
    ];
    simulator.script({ text: "Low.", cites: true });
    const request = buildRequest({
      model: { id: "claude-sim-1", inputSchema: null, capabilities: { pdfInput: true } },
      turns: [
        {
          role: "user",
          parts: [
            { type: "text", text: "How is the tide?" },
            ...files.map((file) => ({ type: "file" as const, file })),
          ],
        },
      ],
      ...(hasShape && {
        answerShape: { name: "tide", schema: { type: "object", additionalProperties: false } },
      }),
    });
    const { error, parts } = await collect(anthropic.answer!(request, context));
    expect(error).toBeNull();
    expect(parts.filter(({ type }) => type === "source")).toEqual(
      hasShape ? [] : files.map(({ name }) => ({ type: "source", title: name, document: name })),
    );
  },
);

async function run(
  simulator: Anthropic,
  request: Partial<RunRequest> = {},
  clock?: CallContext["clock"],
) {
  const { context, warnings } = buildContext({
    origin: new URL(simulator.url).origin,
    connection: {
      kind: "anthropic",
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key,
    },
  });
  const used: string[] = [];
  context.used = (tool) => void used.push(tool);
  if (clock) context.clock = clock;
  const model = { id: "claude-sim-1", inputSchema: null, capabilities: {} };
  const input = { maxOutputTokens: 100, codeInterpreter: true };
  const answer = await collect(
    anthropic.answer!(buildRequest({ model, input, ...request }), context),
  );
  const thought = answer.parts
    .flatMap((part) => (part.type === "reasoning" ? [part.text] : []))
    .join("");
  return { ...answer, context, used, warnings, thought };
}

async function start() {
  const simulator = await startAnthropic();
  onTestFinished(() => simulator.stop());
  return simulator;
}

const sent = (simulator: Anthropic) => simulator.posts.at(-1)!.body as Record<string, unknown>;
const question = { role: "user" as const, parts: [{ type: "text" as const, text: "A table?" }] };

it("a program run at Anthropic is shown with its output, its session counted and its file fetched with the key", async () => {
  const simulator = await start();
  simulator.script({ text: ["a table"], toolUses: 2 });
  const { parts, error, finish, context, used, thought } = await run(simulator);
  expect(error).toBeNull();
  expect(sent(simulator).tools).toEqual([
    { type: "code_execution_20250825", name: "code_execution" },
  ]);
  expect(thought).toContain('```bash\npython3 -c "print(0)"\n```');
  expect(thought).toContain("```text\n1\n```");
  expect(finish).toMatchObject({ reason: "stop", usage: { units: { "code sessions": "1" } } });
  expect(used).toEqual(["code sessions"]);
  const files = parts.flatMap((part) => (part.type === "file" ? [part.output] : []));
  expect(files).toMatchObject([{ name: "table.csv", needsKey: true }]);
  const { url } = files[0] as { url: string };
  const chunks = await Array.fromAsync(anthropic.openFile!(url, context));
  expect(Buffer.concat(chunks).toString()).toBe("boat,length\ndory,5\n");
});

it("an answer saves files up to the limit and names the others", async () => {
  const simulator = await start();
  simulator.script({ text: ["tables"], toolFiles: limits.filesPerAnswer + 12 });
  const { parts, error, warnings } = await run(simulator);
  expect(error).toBeNull();
  expect(parts.filter(({ type }) => type === "file")).toHaveLength(limits.filesPerAnswer);
  const names = Array.from(
    { length: limits.leftFilesNamed },
    (_, place) => `file_sim_1_${limits.filesPerAnswer + place}`,
  );
  expect(warnings).toMatchObject([
    {
      type: "note",
      feature: "files",
      message: expect.stringContaining(`12 more (${names.join(", ")}, …)`),
    },
  ]);
});

it("each started five minutes of code execution count as a session", async () => {
  const simulator = await start();
  simulator.script({ text: ["slow"], toolUses: 2 });
  let now = 0;
  // The reader reads the clock when a program starts and when it ends, so the counted time is eight
  // minutes.
  const clock = { now: () => (now += 4 * 60_000) };
  const { finish, used } = await run(simulator, {}, clock);
  expect(finish).toMatchObject({ usage: { units: { "code sessions": "2" } } });
  expect(used).toEqual(["code sessions", "code sessions"]);
});

it("a program that Anthropic couldn't run is shown as failed, and the answer continues", async () => {
  const simulator = await start();
  simulator.script({ text: ["Sorry"], toolError: "execution_time_exceeded" });
  const { error, text, thought } = await run(simulator);
  expect(error).toBeNull();
  expect(text).toBe("Sorry");
  expect(thought).toContain("The code failed: execution time exceeded.");
});

it("a program's results go back with their container, and only while code execution is on", async () => {
  const simulator = await start();
  simulator.script({ text: ["a table"] });
  const first = await run(simulator);
  const said = first.parts.filter(({ type }) => type === "text" || type === "tool-record");
  const turns = [question, { role: "assistant" as const, parts: said as ChatPart[] }, question];
  expect((await run(simulator, { turns })).error).toBeNull();
  expect(sent(simulator).container).toBe("container_sim");
  const [, answer] = sent(simulator).messages as { content: { type: string }[] }[];
  expect(answer!.content.map(({ type }) => type)).toEqual([
    "server_tool_use",
    "bash_code_execution_tool_result",
    "text",
  ]);
  expect((await run(simulator, { turns, input: { maxOutputTokens: 100 } })).error).toBeNull();
  expect(sent(simulator)).not.toHaveProperty("container");
  expect(sent(simulator)).not.toHaveProperty("tools");
  expect(JSON.stringify(sent(simulator).messages)).not.toContain("server_tool_use");
});

it("an expired container isn't requested again", async () => {
  const simulator = await start();
  const container = { id: "container_old", expiresAt: Date.UTC(2020, 0, 1) };
  const parts: ChatPart[] = [{ type: "tool-record", data: { container } }];
  const { error } = await run(simulator, {
    turns: [
      question,
      { role: "assistant", parts: [...parts, { type: "text", text: "a" }] },
      question,
    ],
  });
  expect(error).toBeNull();
  expect(sent(simulator)).not.toHaveProperty("container");
});

it("an answer reports that Claude paused while running code", async () => {
  const simulator = await start();
  simulator.script({ text: ["So far"], finishReason: "pause_turn" });
  const { error, warnings } = await run(simulator);
  expect(error).toBeNull();
  expect(warnings).toMatchObject([{ type: "note", feature: "codeInterpreter" }]);
});

it("only models listed with code execution offer it, with its price", async () => {
  const simulator = await start();
  const { context } = await run(simulator);
  const models = (await Array.fromAsync(anthropic.models(context))).flat();
  const offered = models.map(({ inputSchema, toolPrices }) => [
    "codeInterpreter" in (inputSchema!.properties as object),
    toolPrices?.map(({ unit, micros }) => [unit, micros]),
  ]);
  expect(offered).toEqual([
    [true, [["code session", "4167"]]],
    [false, undefined],
  ]);
});
