import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { getRun } from "#store/runs/runs.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const parameters = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
};
const weather = { type: "function" as const, function: { name: "weather", parameters } };
const ask = (content: string) => [{ role: "user" as const, content }];
type Wire = { messages: Record<string, unknown>[]; [field: string]: unknown };

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());
  const lastBody = (): Wire => door.studio.openai.posts.at(-1)!.body as Wire;

  it("a call's arguments keep the provider's bytes in both directions", async () => {
    const args = '{ "place" : "Genoa", "id": 12345678901234567890 }';
    door.answerWithCall(args);
    const given = { model: door.names.chat, tools: [weather] };
    const { choices } = await door.client.chat.completions.create({
      ...given,
      messages: ask("Genoa?"),
    });
    const [call] = choices[0]!.message.tool_calls!;
    expect(call).toMatchObject({ function: { arguments: args } });
    await door.client.chat.completions.create({
      ...given,
      messages: [
        ...ask("Genoa?"),
        { role: "assistant", tool_calls: [call!] },
        { role: "tool", tool_call_id: call!.id, content: "rain" },
      ],
    });
    expect(lastBody().messages[1]).toMatchObject({
      tool_calls: [{ id: "call_1", function: { arguments: args } }],
    });
  });

  it("an answer of only a call has no text over /v1/messages, although its service names pages", async () => {
    const url = "https://example.org/quays";
    const call = { index: 0, id: "call_1", function: { name: "weather", arguments: "{}" } };
    const annotations = [{ type: "url_citation", url_citation: { url, title: "Quays" } }];
    const script = () =>
      door.studio.openai.script({
        fault: {
          kind: "raw",
          body: [
            { choices: [{ delta: { tool_calls: [{ ...call, type: "function" }] } }] },
            { choices: [{ delta: { annotations }, finish_reason: "tool_calls" }] },
          ]
            .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
            .join(""),
        },
      });
    const given = {
      model: door.names.chat,
      max_tokens: 100,
      messages: ask("What is a quay?"),
      tools: [{ name: "weather", input_schema: parameters }],
    };
    script();
    const whole = (await (await door.post("/messages", given)).json()) as {
      content: { type: string }[];
    };
    expect(whole.content.map(({ type }) => type)).toEqual(["tool_use"]);
    script();
    const streamed = await (await door.post("/messages", { ...given, stream: true })).text();
    expect(streamed).toContain('"tool_use"');
    expect(streamed).not.toContain('"type":"text"');
  });

  it("pages that a service names after a call add no empty text block", async () => {
    const url = "https://example.org/quays";
    const piece = (fields: object) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, ...fields }] } }],
    });
    const annotations = [{ type: "url_citation", url_citation: { url, title: "Quays" } }];
    door.studio.openai.script({
      fault: {
        kind: "raw",
        body: [
          { choices: [{ delta: { content: "A wharf." } }] },
          piece({ id: "call_1", type: "function", function: { name: "weather", arguments: "" } }),
          piece({ function: { arguments: "{}" } }),
          { choices: [{ delta: { annotations }, finish_reason: "tool_calls" }] },
        ]
          .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
          .join(""),
      },
    });
    const response = await door.post("/messages", {
      model: door.names.chat,
      max_tokens: 100,
      messages: ask("What is a quay?"),
      tools: [{ name: "weather", input_schema: parameters }],
      stream: true,
    });
    const blocks = (await response.text())
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
      .filter(({ type }) => type === "content_block_start");
    expect(blocks.map(({ content_block: block }) => block.type)).toEqual(["text", "tool_use"]);
  });

  it("Codex's requests are understood: tool groups, free-text tools, OpenAI's tools, unknown fields", async () => {
    door.studio.openai.script({
      reasoning: ["Close it."],
      text: [],
      toolCalls: [
        { name: "agents__close", input: { target: "a" } },
        { name: "apply_patch", input: { input: "*** Begin" } },
      ],
    });
    const tools = [
      {
        type: "namespace",
        name: "agents",
        tools: [{ type: "function", name: "close", strict: false, parameters }],
      },
      { type: "custom", name: "apply_patch", format: { type: "grammar", definition: "start: x" } },
      { type: "web_search", external_web_access: false },
    ];
    const given = { model: door.names.chat, tools, include: ["reasoning.encrypted_content"] };
    const input = [{ type: "message", id: "msg_x", role: "developer", content: "Work." }];
    const response = await door.post("/responses", {
      ...given,
      input,
      client_metadata: { a: "b" },
      prompt_cache_key: "k",
    });
    expect(response.headers.get("x-bottega-dropped")?.split(", ").sort()).toEqual([
      "client_metadata",
      "tools.2.web_search",
    ]);
    const { output } = (await response.json()) as { output: Record<string, string>[] };
    expect(output).toMatchObject([
      {
        type: "reasoning",
        summary: [{ text: "Close it." }],
        encrypted_content: expect.stringMatching(/^rs_/),
      },
      { type: "function_call", namespace: "agents", name: "close", arguments: '{"target":"a"}' },
      { type: "custom_tool_call", name: "apply_patch", input: "*** Begin" },
    ]);
    const [, close, patch] = output;
    await door.post("/responses", {
      ...given,
      input: [
        ...input,
        ...output,
        {
          type: "function_call_output",
          call_id: close!.call_id,
          output: [{ type: "input_text", text: "closed" }],
        },
        {
          type: "custom_tool_call_output",
          call_id: patch!.call_id,
          output: [
            { type: "input_text", text: "patched" },
            { type: "input_image", image_url: pixel },
          ],
        },
      ],
    });
    const { messages } = lastBody();
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
    expect(messages[1]).toMatchObject({
      reasoning_content: "Close it.",
      tool_calls: [
        { id: "call_1", function: { name: "agents__close" } },
        { id: "call_2", function: { name: "apply_patch", arguments: '{"input":"*** Begin"}' } },
      ],
    });
    expect(messages[2]).toMatchObject({ content: "closed" });
    expect(messages[3]).toMatchObject({ content: "patched" });
    expect(JSON.stringify(messages[4])).toContain(pixel);
  });

  const functionNamed = (name: string) => ({ type: "function" as const, function: { name } });
  /** The tools offered to the service, and the model's tool choice. */
  const offered = (): unknown[] => {
    const { tools, tool_choice: choice } = lastBody() as {
      tools?: { function: { name: string } }[];
      tool_choice?: unknown;
    };
    return [(tools ?? []).map((one) => one.function.name), choice];
  };

  it("a model is offered only the allowed tools, through either API", async () => {
    const names = ["weather", "tides", "charts"];
    await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("x"),
      tools: names.map(functionNamed),
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode: "required",
          tools: [functionNamed("charts"), functionNamed("tides")],
        },
      },
    });
    expect(offered()).toEqual([["tides", "charts"], "required"]);
    const tools = [
      ...names.map((name) => ({ type: "function", name, parameters })),
      { type: "namespace", name: "agents", tools: [{ type: "function", name: "close" }] },
      { type: "custom", name: "patch" },
      { type: "web_search" },
    ];
    const allow = (mode: string, allowed: object[]) =>
      door.post("/responses", {
        model: door.names.chat,
        input: "x",
        tools,
        tool_choice: { type: "allowed_tools", mode, tools: allowed },
      });
    const allowed = [
      { type: "custom", name: "patch" },
      { type: "function", name: "weather" },
      { type: "namespace", name: "agents" },
      { type: "web_search" },
    ];
    const response = await allow("auto", allowed);
    expect(await response.json()).toMatchObject({ tool_choice: { mode: "auto", tools: allowed } });
    expect(offered()).toEqual([["weather", "agents__close", "patch"], "auto"]);
    await allow("auto", [{ type: "web_search" }]);
    expect(offered()).toEqual([[], undefined]);
  });

  it("a tool choice that matches no tool is refused by name", async () => {
    const chosen = { type: "function", function: { name: "tides" } };
    const before = door.studio.openai.posts.length;
    for (const [path, fields, param] of [
      ["/chat/completions", { tools: [weather], tool_choice: chosen }, "tool_choice"],
      ["/chat/completions", { tool_choice: "required" }, "tool_choice"],
      [
        "/chat/completions",
        {
          tools: [weather],
          tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [chosen] } },
        },
        "tool_choice.allowed_tools.tools.0",
      ],
      ["/responses", { tools: [{ type: "mcp" }], tool_choice: "required" }, "tool_choice"],
      ["/responses", { tools: [{ type: "mcp" }], tool_choice: { type: "mcp" } }, "tool_choice"],
      [
        "/responses",
        {
          tools: [{ type: "function", name: "weather" }],
          tool_choice: {
            type: "allowed_tools",
            mode: "auto",
            tools: [{ type: "custom", name: "weather" }],
          },
        },
        "tool_choice.tools.0",
      ],
      [
        "/responses",
        { tool_choice: { type: "allowed_tools", mode: "required", tools: [] } },
        "tool_choice",
      ],
    ] as const) {
      const asked = path === "/responses" ? { input: "x" } : { messages: ask("x") };
      const response = await door.post(path, { model: door.names.chat, ...asked, ...fields });
      const { error } = (await response.json()) as { error: { param: string; message: string } };
      expect([response.status, error.param]).toEqual([400, param]);
      expect(error.message).toMatch(
        /^(“(tides|weather)” is not one|The tool “mcp” is|“tool_choice” req)/,
      );
    }
    expect(door.studio.openai.posts).toHaveLength(before);
  });

  it("legacy functions are called and answered in their own form", async () => {
    const functions = [{ name: "weather", parameters }, { name: "tides" }];
    const given = { model: door.names.chat, functions };
    const question = { role: "user", content: "Genoa?" };
    type Choice = { message: object; finish_reason: string };
    const choiceOf = async (fields: object): Promise<Choice> => {
      const response = await door.post("/chat/completions", {
        ...given,
        messages: [question],
        ...fields,
      });
      expect(response.headers.get("x-bottega-dropped")).toBeNull();
      return ((await response.json()) as { choices: Choice[] }).choices[0]!;
    };
    door.answerWithCall('{ "place": "Genoa" }');
    const { message, finish_reason } = await choiceOf({ function_call: { name: "weather" } });
    expect(lastBody()).toMatchObject({
      tools: [{ function: { name: "weather", parameters } }, { function: { name: "tides" } }],
      tool_choice: { function: { name: "weather" } },
      parallel_tool_calls: false,
    });
    expect([finish_reason, message]).toEqual([
      "function_call",
      {
        role: "assistant",
        content: null,
        refusal: null,
        reasoning_content: "Look first.",
        function_call: {
          name: "weather",
          arguments: '{ "place": "Genoa" }',
          id: expect.any(String),
        },
      },
    ]);
    const result = { role: "function", name: "weather", content: "rain" };
    await choiceOf({ messages: [question, message, result] });
    // Its reasoning and the provider's id are found by our id.
    expect(lastBody().messages.slice(1)).toMatchObject([
      { role: "assistant", reasoning_content: "Look first.", tool_calls: [{ id: "call_1" }] },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
    ]);
    const call = { role: "assistant", function_call: { name: "weather", arguments: "{}" } };
    await choiceOf({ messages: [question, call, result, call, result], function_call: "none" });
    const sent = lastBody() as unknown as {
      tool_choice: string;
      messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    };
    const [, first, firstResult, second, secondResult] = sent.messages;
    expect(sent.tool_choice).toBe("none");
    expect(firstResult!.tool_call_id).toBe(first!.tool_calls![0]!.id);
    expect(secondResult!.tool_call_id).toBe(second!.tool_calls![0]!.id);
    expect(first!.tool_calls![0]!.id).not.toBe(second!.tool_calls![0]!.id);
    const stray = await door.post("/chat/completions", { ...given, messages: [question, result] });
    expect([stray.status, await stray.json()]).toEqual([
      400,
      { error: expect.objectContaining({ param: "messages.1" }) },
    ]);
  });

  it("legacy functions stream as one call", async () => {
    door.studio.openai.script({
      text: [],
      toolCalls: [
        { name: "weather", input: { place: "Genoa" } },
        { name: "weather", input: { place: "Rome" } },
      ],
    });
    const stream = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("Genoa?"),
      functions: [{ name: "weather", parameters }],
      stream: true,
    });
    const choices = [];
    const asides: object[] = [];
    for await (const chunk of stream) {
      choices.push(...chunk.choices);
      const { bottega } = chunk as { bottega?: object };
      if (bottega) asides.push(bottega);
    }
    expect(asides).toMatchObject([
      { warnings: [expect.stringMatching(/^The model made 2 calls/)] },
    ]);
    expect(choices).toMatchObject([
      { delta: { function_call: { name: "weather", arguments: '{"place":"Genoa"}' } } },
      { delta: {}, finish_reason: "function_call" },
    ]);
    expect(JSON.stringify(choices)).not.toContain("tool_calls");
  });

  it("free-text tools work in chat completions, whole and streamed", async () => {
    const script = () =>
      door.studio.openai.script({
        text: [],
        toolCalls: [
          { name: "patch", input: { input: "*** Begin" } },
          { name: "weather", input: {} },
        ],
      });
    const format = {
      type: "grammar" as const,
      grammar: { syntax: "lark" as const, definition: "start: x" },
    };
    const patch = { type: "custom" as const, custom: { name: "patch", format } };
    const given = {
      model: door.names.chat,
      messages: ask("Mend it."),
      tools: [patch, weather],
      tool_choice: { type: "custom" as const, custom: { name: "patch" } },
    };
    script();
    const whole = await door.client.chat.completions.create(given);
    expect(lastBody()).toMatchObject({
      tools: [
        { function: { name: "patch", description: expect.stringContaining("start: x") } },
        {},
      ],
      tool_choice: { type: "function", function: { name: "patch" } },
    });
    const { message } = whole.choices[0]!;
    const calls = [
      { type: "custom", custom: { name: "patch", input: "*** Begin" } },
      { type: "function", function: { name: "weather", arguments: "{}" } },
    ];
    expect(message.tool_calls).toMatchObject(calls);
    script();
    const stream = await door.client.chat.completions.create({ ...given, stream: true });
    const streamed = [];
    for await (const chunk of stream) streamed.push(...(chunk.choices[0]?.delta.tool_calls ?? []));
    expect(streamed).toMatchObject(calls.map((call, index) => ({ index, ...call })));
    await door.client.chat.completions.create({
      ...given,
      messages: [
        ...given.messages,
        message,
        ...message.tool_calls!.map(({ id }) => ({
          role: "tool" as const,
          tool_call_id: id,
          content: "done",
        })),
      ],
    });
    expect(lastBody().messages.slice(1)).toMatchObject([
      {
        tool_calls: [
          { id: "call_1", function: { name: "patch", arguments: '{"input":"*** Begin"}' } },
          {},
        ],
      },
      { role: "tool", tool_call_id: "call_1" },
      { role: "tool" },
    ]);
  });

  it("groups of tools may have free-text tools, whose calls return to their group", async () => {
    const custom = { type: "custom", name: "sql", description: "Runs SQL." };
    const given = {
      model: door.names.chat,
      tools: [{ type: "namespace", name: "crm", description: "A CRM.", tools: [custom] }],
      tool_choice: {
        type: "allowed_tools",
        mode: "auto",
        tools: [{ type: "namespace", name: "crm" }],
      },
    };
    door.studio.openai.script({
      text: [],
      toolCalls: [{ name: "crm__sql", input: { input: "SELECT 1" } }],
    });
    const answer = await door.post("/responses", { ...given, input: "Count." });
    const { output } = (await answer.json()) as { output: Record<string, string>[] };
    expect(output).toMatchObject([
      { type: "custom_tool_call", namespace: "crm", name: "sql", input: "SELECT 1" },
    ]);
    const result = {
      type: "custom_tool_call_output",
      call_id: output[0]!.call_id,
      output: "1",
    };
    const asked = [{ role: "user", content: "Count." }, output[0], result];
    expect((await door.post("/responses", { ...given, input: asked })).status).toBe(200);
    expect(lastBody().messages[1]).toMatchObject({
      tool_calls: [{ function: { name: "crm__sql", arguments: '{"input":"SELECT 1"}' } }],
    });
  });

  it("tools in the input are offered with the others, and their calls return in their form", async () => {
    door.studio.openai.script({
      text: [],
      toolCalls: [{ name: "exec", input: { input: "ls" } }],
    });
    const own = { type: "function", name: "weather", parameters };
    const added = [
      { type: "custom", name: "exec" },
      { type: "namespace", name: "crm", tools: [{ type: "function", name: "find" }] },
    ];
    const item = { type: "additional_tools", role: "developer", tools: added };
    const response = await door.post("/responses", {
      model: door.names.chat,
      tools: [own],
      input: [item, { role: "user", content: "Look." }],
    });
    expect([response.status, response.headers.get("x-bottega-dropped")]).toEqual([200, null]);
    expect(await response.json()).toMatchObject({
      output: [{ type: "custom_tool_call", name: "exec", input: "ls" }],
    });
    expect(lastBody().messages.map(({ role }) => role)).toEqual(["user"]);
    expect(offered()[0]).toEqual(["weather", "exec", "crm__find"]);
    const many = Array.from({ length: 1_000 }, (_, i) => ({ type: "custom", name: `tool_${i}` }));
    const refused = await door.post("/responses", {
      model: door.names.chat,
      tools: [own],
      input: [
        { ...item, tools: many },
        { role: "user", content: "Look." },
      ],
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: "tools", message: expect.stringContaining("at most 1,000 tools") } },
    ]);
  });

  it("tools in the input are offered again in the responses that continue it, the newest of a name", async () => {
    const ask = async (fields: object) => {
      const response = await door.post("/responses", { model: door.names.chat, ...fields });
      expect(response.status).toBe(200);
      const answer = (await response.json()) as { id: string; output: object[]; tools: object[] };
      return { ...answer, previous_response_id: answer.id };
    };
    const custom = (name: string, description = "") => ({ type: "custom", name, description });
    const group = (name: string) => ({ type: "namespace", name: "crm", tools: [custom(name)] });
    const input = (...tools: object[]) => [
      { type: "additional_tools", role: "developer", tools },
      { role: "user", content: "Look." },
    ];
    const own = { type: "function", name: "weather", parameters };
    const first = await ask({ tools: [own], input: input(custom("exec"), group("find")) });
    const second = await ask({ previous_response_id: first.previous_response_id, input: "More." });
    // The tools of a request are its own.
    expect(offered()[0]).toEqual(["exec", "crm__find"]);
    door.studio.openai.script({ text: [], toolCalls: [{ name: "exec", input: { input: "ls" } }] });
    const third = await ask({
      previous_response_id: second.previous_response_id,
      tools: [custom("exec", "The newest.")],
      input: input(group("merge")),
    });
    expect(third.output).toMatchObject([{ type: "custom_tool_call", name: "exec", input: "ls" }]);
    expect(offered()[0]).toEqual(["exec", "crm__merge"]);
    expect(JSON.stringify(lastBody())).toContain("The newest.");
    expect(third.tools).toEqual([custom("exec", "The newest."), group("merge")]);
    // The run stores each of the request's tools once.
    const run = await getRun(door.studio.instance.store.read, third.id.replace("resp_", ""));
    const { asked } = run!.input as { asked: object };
    expect(JSON.stringify(asked).match(/"name":"(exec|merge)"/g)).toHaveLength(2);
  });

  it("the description of a group reaches the model once, with the first tool that it may call", async () => {
    const tool = (name: string) => ({ type: "function", name, description: `Runs ${name}.` });
    const group = {
      type: "namespace",
      name: "crm",
      description: "Everything about customers.",
      tools: [tool("find"), tool("merge")],
    };
    const describedWith = async (fields: object) => {
      const given = { model: door.names.chat, input: "Count.", tools: [weather.function, group] };
      const [own] = given.tools.map((one) => ({ type: "function", ...one }));
      const asked = { ...given, tools: [own, group], ...fields };
      expect((await door.post("/responses", asked)).headers.get("x-bottega-dropped")).toBeNull();
      const { tools } = lastBody() as unknown as {
        tools: { function: { description?: string } }[];
      };
      return tools.map((one) => one.function.description ?? "");
    };
    const about = "About the tools whose names begin with crm__: Everything about customers.";
    expect(await describedWith({})).toEqual(["", `${about}\n\nRuns find.`, "Runs merge."]);
    const merge = [{ type: "function", name: "merge" }];
    const allowed = { type: "allowed_tools", mode: "auto", tools: merge };
    expect(await describedWith({ tool_choice: allowed })).toEqual([`${about}\n\nRuns merge.`]);
  });

  it("a tool's description may have more than 10,000 characters, as qwen-code's do", async () => {
    const description = "Runs an agent. ".repeat(1_000);
    const messages = ask("Look.");
    const own = { name: "agent", description };
    const sent = async (path: string, body: object) => {
      const given = { model: door.names.chat, ...body };
      expect([path, (await door.post(path, given)).status]).toEqual([path, 200]);
      return JSON.stringify(lastBody());
    };
    const chat = [{ type: "function", function: { ...own, parameters } }];
    expect(await sent("/chat/completions", { messages, tools: chat })).toContain(description);
    const item = [{ type: "function", ...own, parameters }];
    expect(await sent("/responses", { input: "Look.", tools: item })).toContain(description);
    const claude = [{ ...own, input_schema: parameters }];
    expect(await sent("/messages", { messages, max_tokens: 9, tools: claude })).toContain(
      description,
    );
  });

  it("the tools of groups count toward the limit of a request", async () => {
    const group = (name: string) => ({
      type: "namespace",
      name,
      tools: Array.from({ length: 501 }, (_, i) => ({ type: "custom", name: `tool_${i}` })),
    });
    const response = await door.post("/responses", {
      model: door.names.chat,
      input: "Hello",
      tools: [group("one"), group("two")],
    });
    expect([response.status, ((await response.json()) as { error: object }).error]).toMatchObject([
      400,
      { param: "tools", message: expect.stringContaining("at most 1,000 tools") },
    ]);
  });

  it("the AI SDK's OpenAI provider runs a loop of tools, returning items by reference", async () => {
    door.studio.openai.script({
      reasoning: ["Look."],
      text: ["Let me look."],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const provider = createOpenAI({ baseURL: `${door.url}/v1`, apiKey: door.key.token });
    const { steps } = await generateText({
      model: provider(door.names.chat),
      prompt: "Genoa?",
      tools: {
        weather: tool({
          description: "The weather.",
          inputSchema: jsonSchema<{ place: string }>(parameters as object),
          execute: async () => "rain",
        }),
      },
      stopWhen: stepCountIs(3),
    });
    expect(steps).toHaveLength(2);
    expect(lastBody().messages.slice(1)).toMatchObject([
      {
        role: "assistant",
        reasoning_content: "Look.",
        content: "Let me look.",
        tool_calls: [{ function: { name: "weather" } }],
      },
      { role: "tool", content: "rain" },
    ]);
  });

  it("a result follows its call, whatever the request has between them", async () => {
    await door.post("/responses", {
      model: door.names.chat,
      input: [
        { role: "user", content: "Genoa?" },
        { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
        { role: "user", content: "Quickly." },
        { type: "function_call_output", call_id: "c1", output: "rain" },
      ],
      tools: [{ type: "function", name: "weather", parameters }],
    });
    expect(lastBody().messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  it("results of OpenAI's own tools in earlier answers are left out by name", async () => {
    const response = await door.post("/responses", {
      model: door.names.chat,
      input: [
        { role: "user", content: "Look it up." },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
        { role: "assistant", content: "A quay is a wharf." },
        { role: "user", content: "Thanks." },
      ],
    });
    expect([response.status, response.headers.get("x-bottega-dropped")]).toEqual([
      200,
      "input.1.web_search_call",
    ]);
    expect(lastBody().messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("further fields of items and tools change nothing of what these are", async () => {
    const call = { call_id: "call_1", name: "weather" };
    const response = await door.post("/responses", {
      model: door.names.chat,
      input: [
        { role: "user", content: "Genoa?" },
        { type: "function_call", ...call, arguments: "{}", role: "assistant", output: {} },
        { type: "function_call_output", call_id: "call_1", output: "rain", role: "tool" },
      ],
    });
    expect([response.status, response.headers.get("x-bottega-dropped")]).toEqual([200, null]);
    expect(lastBody().messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    for (const type of ["object", "namespace"]) {
      const tool = { type: "function", function: { ...weather.function, type } };
      const given = { model: door.names.chat, messages: ask("Genoa?") };
      expect((await door.post("/chat/completions", { ...given, tools: [tool] })).status).toBe(200);
      expect(offered()[0]).toEqual(["weather"]);
      const functions = [tool.function];
      expect((await door.post("/chat/completions", { ...given, functions })).status).toBe(200);
      expect(offered()[0]).toEqual(["weather"]);
    }
  });
});
