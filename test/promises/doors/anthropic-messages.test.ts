import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "#engine/connections/connect.ts";
import { anthropic } from "#providers/services/anthropic/adapter.ts";
import { google } from "#providers/services/google/adapter.ts";
import { type Anthropic as Simulator, startAnthropic } from "../../simulators/anthropic.ts";
import { type Google, startGoogle } from "../../simulators/google.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { placesOfSimulators } from "../../support/databases/store-rows.ts";
import { until } from "../../support/server/instance.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";
import { testAdapters } from "../../support/studio/studio.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const weather = {
  name: "weather",
  description: "The weather of a place.",
  input_schema: {
    type: "object" as const,
    properties: { place: { type: "string" } },
    required: ["place"],
  },
};
const ask = (content: string) => ({ role: "user" as const, content });
type Wire = { messages: { role: string; content: unknown }[]; [field: string]: unknown };

onSqlite((create) => {
  let door: Door;
  let claude: Simulator;
  let gemini: Google;
  let client: Anthropic;
  beforeAll(async () => {
    [claude, gemini] = await Promise.all([startAnthropic(), startGoogle()]);
    door = await openDoor(await create(), {
      instance: { adapters: [...testAdapters, anthropic, google] },
    });
    await connect(door.studio.instance.engine.deps, {
      kind: "anthropic",
      name: "Claude",
      scope: "instance",
      userId: door.studio.person.user.id,
      values: { ...placesOfSimulators, api: claude.url, key: claude.key },
    });
    await connect(door.studio.instance.engine.deps, {
      kind: "google",
      name: "Gemini",
      scope: "instance",
      userId: door.studio.person.user.id,
      values: { ...placesOfSimulators, api: gemini.url, key: gemini.key },
    });
    client = new Anthropic({ baseURL: door.url, apiKey: door.key.token, maxRetries: 0 });
  });
  afterAll(async () => {
    await Promise.all([claude.stop(), gemini.stop()]);
    await door.studio.close();
  });
  const sentToOpenAi = (): Wire => door.studio.openai.posts.at(-1)!.body as Wire;
  const sentToClaude = (): Wire => claude.posts.at(-1)!.body as Wire;

  it("a message from Anthropic's client is a run of any chat model, whole and streamed", async () => {
    const answer = await client.messages.create({
      model: door.names.chat,
      max_tokens: 100,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [ask("What is a quay?")],
      stop_sequences: ["END"],
    });
    expect(answer).toMatchObject({
      type: "message",
      role: "assistant",
      model: door.names.chat,
      content: [{ type: "text", text: "You said: What is a quay?" }],
      stop_reason: "end_turn",
    });
    expect(sentToOpenAi()).toMatchObject({
      max_tokens: 100,
      stop: ["END"],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "What is a quay?" },
      ],
    });
    const run = await door.studio.runOf(answer.id.replace("msg_", ""));
    expect(run).toMatchObject({ state: "succeeded", apiKeyId: door.key.id, visibility: "author" });
    expect(answer.usage).toMatchObject({
      input_tokens: run.usage!.inputTokens,
      output_tokens: run.usage!.outputTokens,
    });

    door.studio.openai.script({ reasoning: ["hm", " yes"], text: ["one", " two"] });
    const stream = client.messages.stream({
      model: door.names.chat,
      max_tokens: 4_000,
      thinking: { type: "adaptive" },
      messages: [ask("count")],
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect((await stream.finalMessage()).content).toMatchObject([
      { type: "thinking", thinking: "hm yes" },
      { type: "text", text: "one two" },
    ]);
    door.studio.openai.script({ reasoning: ["hm"], text: ["one"] });
    const unasked = await client.messages.create({
      model: door.names.chat,
      max_tokens: 100,
      messages: [ask("count")],
    });
    expect(unasked.content).toMatchObject([{ type: "text", text: "one" }]);
    expect(types[0]).toBe("message_start");
    expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
  });

  it("thinking and its signature return to the provider with their call, by the call's ID alone", async () => {
    const model = "claude/claude-sim-1";
    const given = {
      model,
      max_tokens: 4_000,
      thinking: { type: "enabled" as const, budget_tokens: 2_000 },
      tools: [weather],
    };
    claude.script({
      reasoning: ["I should ", "look."],
      text: ["Let me look."],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const first = await client.messages
      .stream({ ...given, messages: [ask("How is it in Genoa?")] })
      .finalMessage();
    expect(first).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "I should look." },
        { type: "text", text: "Let me look." },
        { type: "tool_use", name: "weather", input: { place: "Genoa" } },
      ],
    });
    const call = first.content.find((block) => block.type === "tool_use")!;
    const result = {
      role: "user" as const,
      content: [
        { type: "tool_result" as const, tool_use_id: call.id, content: "rain", is_error: true },
      ],
    };
    const returned = [
      { type: "thinking", thinking: "I should look.", signature: "c2lnbmVk" },
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { place: "Genoa" } },
    ];
    for (const content of [first.content, [call]]) {
      await client.messages.create({
        ...given,
        messages: [ask("How is it in Genoa?"), { role: "assistant", content }, result],
      });
      const { messages } = sentToClaude();
      expect(messages[1]).toMatchObject({
        role: "assistant",
        content: content.length > 1 ? returned : [returned[0], returned[2]],
      });
      expect(messages[2]).toMatchObject({
        content: [{ type: "tool_result", tool_use_id: "toolu_1", is_error: true }],
      });
    }
  });

  it("OpenAI's chat works the same, although its clients return only the call's ID", async () => {
    const model = "claude/claude-sim-1";
    const fn = {
      type: "function" as const,
      function: { name: "weather", parameters: weather.input_schema },
    };
    claude.script({
      reasoning: ["Look."],
      text: [],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const given = { model, reasoning_effort: "low" as const, max_tokens: 4_000, tools: [fn] };
    const first = await door.client.chat.completions.create({
      ...given,
      messages: [ask("Genoa?")],
    });
    const [call] = first.choices[0]!.message.tool_calls!;
    await door.client.chat.completions.create({
      ...given,
      messages: [
        ask("Genoa?"),
        { role: "assistant", tool_calls: [call!] },
        { role: "tool", tool_call_id: call!.id, content: "rain" },
      ],
    });
    expect(sentToClaude().messages[1]).toMatchObject({
      content: [{ type: "thinking", signature: "c2lnbmVk" }, { type: "tool_use" }],
    });
  });

  it("reasoning returns only to the connection that signed it", async () => {
    claude.script({
      reasoning: ["Signed."],
      text: [],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const thinking = { type: "enabled" as const, budget_tokens: 2_000 };
    const given = { max_tokens: 4_000, thinking, tools: [weather] };
    const first = await client.messages.create({
      ...given,
      model: "claude/claude-sim-1",
      messages: [ask("Genoa?")],
    });
    const call = first.content.find((block) => block.type === "tool_use")!;
    const messages = [
      ask("Genoa?"),
      { role: "assistant" as const, content: [call] },
      {
        role: "user" as const,
        content: [{ type: "tool_result" as const, tool_use_id: call.id, content: "rain" }],
      },
    ];
    await client.messages.create({ ...given, model: door.names.chat, messages });
    expect(JSON.stringify(sentToOpenAi())).not.toContain("Signed.");
    expect(sentToOpenAi().messages[1]).toMatchObject({ tool_calls: [{ id: "toolu_1" }] });
  });

  it("another person's answer can't be looked up by a call's ID", async () => {
    claude.script({
      reasoning: ["Secret."],
      text: [],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const given = { model: "claude/claude-sim-1", max_tokens: 4_000, tools: [weather] };
    const first = await client.messages.create({ ...given, messages: [ask("Genoa?")] });
    const call = first.content.find((block) => block.type === "tool_use")!;
    const other = await door.studio.instance.createPerson("ben@example.org");
    const stranger = new Anthropic({
      baseURL: door.url,
      apiKey: (await door.studio.instance.createKey(other)).token,
    });
    await stranger.messages.create({
      ...given,
      messages: [
        ask("Genoa?"),
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "x" }] },
      ],
    });
    expect(JSON.stringify(sentToClaude())).not.toContain("Secret.");
  });

  it("disabled thinking is switched off where a model can, and is named where that is unknown", async () => {
    const send = (model: string, thinking: object) =>
      door.post("/messages", {
        model,
        max_tokens: 4_000,
        messages: [ask("hi")],
        thinking,
        metadata: { user_id: "u-1" },
      });
    const off = await send("claude/claude-sim-1", { type: "disabled" });
    expect(off.headers.get("x-bottega-dropped")).toBeNull();
    expect(sentToClaude()).toMatchObject({
      thinking: { type: "disabled" },
      metadata: { user_id: "u-1" },
    });
    const unknown = await send(door.names.chat, { type: "disabled" });
    expect(unknown.headers.get("x-bottega-dropped")).toBe("thinking");
    expect(sentToOpenAi()).not.toHaveProperty("reasoning_effort");
    const budget = { type: "enabled", budget_tokens: 2_000 };
    const counted = await send("claude/claude-sim-1", budget);
    expect(counted.headers.get("x-bottega-dropped")).toBeNull();
    // This model takes no budget, but one that does gets it.
    expect(sentToClaude()).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
    const { id } = (await counted.json()) as { id: string };
    const { input } = await door.studio.runOf(id.replace("msg_", ""));
    expect(input).toMatchObject({ passed: { thinking_budget: 2_000 } });
    const elsewhere = await send(door.names.chat, budget);
    expect(elsewhere.headers.get("x-bottega-dropped")).toBeNull();
    expect(sentToOpenAi()).toMatchObject({ reasoning_effort: "low" });
  });

  it("thinking signed by another service is left out and named", async () => {
    const response = await door.post("/messages", {
      model: door.names.chat,
      max_tokens: 100,
      messages: [
        ask("one"),
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "foreign", signature: "Zm9yZWlnbg==" },
            { type: "text", text: "two" },
          ],
        },
        ask("three"),
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-bottega-dropped")).toBe("messages.1.content.0");
    expect(sentToOpenAi().messages[1]).toEqual({ role: "assistant", content: "two" });
  });

  it("pictures, documents and mid-conversation instructions reach the model", async () => {
    const image = {
      type: "image" as const,
      source: { type: "base64" as const, media_type: "image/png" as const, data: pixel },
    };
    await door.post("/messages", {
      model: door.names.vision,
      max_tokens: 100,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Compare these." },
            image,
            {
              type: "document",
              title: "notes",
              source: { type: "text", media_type: "text/plain", data: "A pier is not a quay." },
            },
          ],
        },
        { role: "system", content: "Answer in Italian." },
      ],
    });
    const text = JSON.stringify(sentToOpenAi().messages);
    expect(text).toContain(`data:image/png;base64,${pixel}`);
    expect(text).toContain("A pier is not a quay.");
    expect(text).toContain("Answer in Italian.");
  });

  it("tools that Anthropic runs itself and unsupported parameters are left out by name", async () => {
    const response = await door.post("/messages", {
      model: "claude/claude-sim-1",
      max_tokens: 100,
      messages: [ask("x")],
      top_k: 5,
      min_p: 0.1,
      context_management: { edits: [] },
      tools: [weather, { type: "web_search_20250305", name: "web_search" }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-bottega-dropped")?.split(", ").sort()).toEqual([
      "context_management",
      "min_p",
      "tools.1.web_search_20250305",
    ]);
    expect(sentToClaude()).toMatchObject({
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      tools: [{ name: "weather" }],
    });
  });

  it("a parameter that the newer models of a service lack is named and not sent", async () => {
    const droppedBy = async (model: string) => {
      const given = { model, max_tokens: 100, messages: [ask("x")], frequency_penalty: 0.5 };
      const response = await door.post("/messages", given);
      expect(response.status).toBe(200);
      return response.headers.get("x-bottega-dropped");
    };
    for (const model of ["gemini/gemini-2.5-flash", "gemini/gemini-3.5-flash"]) {
      expect(await droppedBy(model)).toBe("frequency_penalty");
      expect(JSON.stringify(gemini.posts.at(-1)!.body)).not.toContain("frequencyPenalty");
    }
  });

  it("marks for the cache are met anyway, and only a longer time is named", async () => {
    const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
    const text = (words: string, ttl?: string) => ({ type: "text", text: words, ...mark(ttl) });
    const send = (ttl?: string) =>
      door.post("/messages", {
        model: "claude/claude-sim-1",
        max_tokens: 100,
        system: [text("Be brief.", ttl)],
        tools: [{ ...weather, ...mark(ttl) }],
        messages: [
          ask("x"),
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "toolu_1", content: [text("rain", ttl)] },
              text("And?", ttl),
            ],
          },
        ],
      });
    for (const ttl of [undefined, "5m"]) {
      const response = await send(ttl);
      expect([response.status, response.headers.get("x-bottega-dropped")]).toEqual([200, null]);
      expect(sentToClaude()).toMatchObject({ cache_control: { type: "ephemeral" } });
    }
    expect((await send("1h")).headers.get("x-bottega-dropped")?.split(", ")).toEqual([
      "system.0.cache_control.ttl",
      "tools.0.cache_control.ttl",
      "messages.2.content.0.content.0.cache_control.ttl",
      "messages.2.content.1.cache_control.ttl",
    ]);
  });

  it("a PDF, a picture by URL and a picture in a tool's result reach Claude", async () => {
    const pdf = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
    const response = await door.post("/messages", {
      model: "claude/claude-sim-1",
      max_tokens: 100,
      tools: [weather],
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: pdf },
            },
            { type: "image", source: { type: "url", url: `data:image/png;base64,${pixel}` } },
            { type: "text", text: "Compare." },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [
                {
                  type: "image",
                  source: { type: "base64", media_type: "image/png", data: pixel },
                },
              ],
            },
          ],
        },
      ],
    });
    expect([response.status, response.headers.get("x-bottega-dropped")]).toEqual([200, null]);
    const [question, , result] = sentToClaude().messages;
    expect(question!.content).toMatchObject([
      { type: "document", source: { media_type: "application/pdf", data: pdf } },
      { type: "image", source: { media_type: "image/png", data: pixel } },
      { type: "text", text: "Compare." },
    ]);
    expect(result!.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_1" },
      { type: "image", source: { data: pixel } },
    ]);
  });

  it("each text block of Claude has its own citations, whole and streamed, and none is empty", async () => {
    const script = () => claude.script({ text: ["Low: "], cites: true });
    const citations = { enabled: true };
    const pdf = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
    const documents: Anthropic.DocumentBlockParam[] = [
      {
        type: "document",
        title: "Report",
        context: "Of last week.",
        source: { type: "base64", media_type: "application/pdf", data: pdf },
        citations,
      },
      {
        type: "document",
        title: "Notes",
        source: { type: "text", media_type: "text/plain", data: "The tide is low." },
        citations,
      },
    ];
    const content = [...documents, { type: "text" as const, text: "How is the tide?" }];
    const messages = [{ role: "user" as const, content }];
    const given = { model: "claude/claude-sim-1", max_tokens: 100, messages };
    const cited = [
      { type: "text", text: "Low: " },
      {
        type: "text",
        text: "a passage",
        citations: [{ type: "page_location", document_index: 0, document_title: "Report" }],
      },
      { type: "text", text: " and " },
      {
        type: "text",
        text: "a passage",
        citations: [
          {
            type: "char_location",
            document_index: 1,
            document_title: "Notes",
            cited_text: "a passage",
            start_char_index: 0,
            end_char_index: 9,
          },
        ],
      },
    ];
    script();
    const { data, response } = await client.messages.create(given).withResponse();
    expect(response.headers.get("x-bottega-dropped")).toBeNull();
    expect(data.content).toMatchObject(cited);
    expect(JSON.stringify(sentToClaude().messages)).toContain("Of last week.");
    script();
    expect((await client.messages.stream(given).finalMessage()).content).toMatchObject(cited);
    // Their block ends before the block of a call begins.
    const input = { place: "Genoa" };
    claude.script({ text: ["Low: "], cites: true, toolCalls: [{ name: "weather", input }] });
    const called = await client.messages.stream({ ...given, tools: [weather] }).finalMessage();
    expect(called.content).toMatchObject([...cited, { type: "tool_use", input }]);
    // A program that doesn't ask for them gets none, and a model without them says so.
    script();
    const plain = documents.map(({ citations: _, ...document }) => document);
    const unasked = await client.messages.create({
      ...given,
      messages: [{ role: "user", content: [...plain, content[2]!] }],
    });
    expect(unasked.content).toEqual([{ type: "text", text: "Low: a passage" }]);
    const none = await client.messages
      .create({
        ...given,
        model: door.names.chat,
        messages: [{ role: "user", content: [documents[1]!, content[2]!] }],
      })
      .withResponse();
    expect(none.response.headers.get("x-bottega-dropped")).toBe("messages.0.content.0.citations");
    // A text alone in its message isn't a document for Claude.
    const bare = await client.messages
      .create({
        ...given,
        messages: [
          { role: "user", content: [documents[1]!] },
          { role: "user", content: "How is the tide?" },
        ],
      })
      .withResponse();
    expect(bare.response.headers.get("x-bottega-dropped")).toBe("messages.0.content.0.citations");
    // OpenAI's streams have no blocks, and no empty words where one ends.
    const file = { filename: "report.pdf", file_data: `data:application/pdf;base64,${pdf}` };
    const text = "How is the tide?";
    const chat = [
      { type: "file", file },
      { type: "text", text },
    ];
    const items = [
      { type: "input_file", ...file },
      { type: "input_text", text },
    ];
    for (const [path, body] of [
      ["/chat/completions", { messages: [{ role: "user", content: chat }] }],
      ["/responses", { input: [{ role: "user", content: items }] }],
    ] as const) {
      script();
      const answer = await door.post(path, { model: given.model, stream: true, ...body });
      const streamed = await answer.text();
      expect(streamed).toContain("a passage");
      expect(streamed).not.toMatch(/"(content|delta)":""/);
    }
  });

  it("Anthropic's client lists chat models in its own form, page by page, and reads one", async () => {
    const listed: Anthropic.ModelInfo[] = [];
    for await (const model of client.models.list({ limit: 1 })) listed.push(model);
    const names = listed.map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(["claude/claude-sim-1", door.names.chat]));
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain(door.names.image);
    const page = await client.models.list({ limit: 2, before_id: names[2]! });
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([names.slice(0, 2), false]);
    const model = await client.models.retrieve("claude/claude-sim-1");
    expect(model).toMatchObject({
      type: "model",
      display_name: "Claude Sim 1",
      max_tokens: 64_000,
    });
    expect(listed.find(({ id }) => id === model.id)).toEqual(model);
    expect(Date.parse(model.created_at)).toBeGreaterThan(0);
    await expect(client.models.list({ after_id: "nobody/none" })).rejects.toMatchObject({
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error" } },
    });
    const openai = (await door.client.models.list()).data;
    expect(openai.find(({ id }) => id === door.names.image)).toMatchObject({ object: "model" });
  });

  it("every answer names its request, as the clients of both APIs read it", async () => {
    const messages = [ask("x")];
    const counted = await client.messages
      .countTokens({ model: door.names.chat, messages })
      .withResponse();
    const listed = await client.models.list().withResponse();
    const read = await client.models.retrieve(door.names.chat).withResponse();
    const answered = await client.messages
      .create({ model: door.names.chat, max_tokens: 10, messages })
      .withResponse();
    const ids = [counted, listed, read, answered].map((one) => one.request_id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(answered.data.id).toBe(`msg_${answered.request_id}`);
    const refused = await client.models.retrieve("nobody/none").catch((error: unknown) => error);
    const { requestID, error } = refused as InstanceType<typeof Anthropic.APIError>;
    expect(requestID).toMatch(/^[0-9a-f-]{36}$/);
    expect(error).toMatchObject({ request_id: requestID });

    const get = async (path: string, headers: Record<string, string> = {}) =>
      (
        await fetch(`${door.url}/v1${path}`, {
          headers: { authorization: `Bearer ${door.key.token}`, ...headers },
        })
      ).headers;
    const [list, none] = [await get("/models"), await get("/nothing")];
    expect(list.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(none.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(list.get("request-id")).toBeNull();
  });

  it("Anthropic's client gets Anthropic's errors from every address", async () => {
    const typeOf = async (asked: PromiseLike<unknown>) =>
      ((await Promise.resolve(asked).catch((error: unknown) => error)) as Refused).error.error.type;
    type Refused = { error: { error: { type: string } } };
    expect(await typeOf(client.models.retrieve("nobody/none"))).toBe("not_found_error");
    expect(await typeOf(client.beta.files.list())).toBe("not_found_error");
    const stranger = new Anthropic({ baseURL: door.url, apiKey: "sk-none", maxRetries: 0 });
    expect(await typeOf(stranger.models.list())).toBe("authentication_error");
    const twice = new Anthropic({ baseURL: `${door.url}/v1`, apiKey: door.key.token });
    const asked = { model: door.names.chat, max_tokens: 1, messages: [ask("x")] };
    await expect(twice.messages.create(asked)).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("/v1 twice"),
      error: { type: "error" },
    });
  });

  it("what earlier answers of Anthropic's own tools left is left out by name, and found tools are told", async () => {
    const response = await door.post("/messages", {
      model: "claude/claude-sim-1",
      max_tokens: 100,
      cache_control: { type: "ephemeral", ttl: "1h" },
      output_config: { effort: "low", task_budget: { type: "tokens", total: 20_000 } },
      tools: [weather, { type: "mcp_toolset", mcp_server_name: "crm" }],
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "A quay." },
              citations: { enabled: true },
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "toolu_1", name: "weather", input: { place: "Genoa" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [
                { type: "tool_reference", tool_name: "tides" },
                {
                  type: "search_result",
                  source: "https://tides.example",
                  title: "Tides",
                  content: [{ type: "text", text: "High at six." }],
                  citations: { enabled: true },
                },
              ],
            },
          ],
        },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-bottega-dropped")?.split(", ").sort()).toEqual([
      "cache_control.ttl",
      "messages.0.content.0.citations",
      "messages.1.content.0.server_tool_use",
      "messages.1.content.1.web_search_tool_result",
      "messages.2.content.0.citations",
      "output_config.task_budget",
      "tools.1.mcp_toolset",
    ]);
    expect(sentToClaude().messages[2]).toMatchObject({
      content: [{ type: "tool_result", content: expect.stringContaining("tides is available") }],
    });
  });

  it("a form under its older name and five stop sequences reach Claude, whose answer names the one that ended it", async () => {
    const schema = {
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
      additionalProperties: false,
    };
    const stop_sequences = ["a1", "b2", "c3", "d4", "e5"];
    const given = { model: "claude/claude-sim-1", max_tokens: 4_000, messages: [ask("x")] };
    await door.post("/messages", {
      ...given,
      stop_sequences,
      output_format: { type: "json_schema", schema },
    });
    expect(sentToClaude()).toMatchObject({
      stop_sequences,
      output_config: { format: { type: "json_schema", schema } },
    });
    claude.script({ text: ["Yes"], finishReason: "stop_sequence" });
    expect(await client.messages.create({ ...given, stop_sequences })).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "a1",
    });
    claude.script({ text: ["Yes"], finishReason: "stop_sequence" });
    expect(await client.messages.stream({ ...given, stop_sequences }).finalMessage()).toMatchObject(
      { stop_reason: "stop_sequence", stop_sequence: "a1" },
    );
  });

  it("omitted thinking has only its signature, whole and streamed", async () => {
    const given = { model: "claude/claude-sim-1", max_tokens: 4_000, messages: [ask("x")] };
    const thinking = { type: "adaptive" as const, display: "omitted" as const };
    for (const ask of [
      () => client.messages.create({ ...given, thinking }),
      () => client.messages.stream({ ...given, thinking }).finalMessage(),
    ]) {
      claude.script({ reasoning: ["Hm."], text: ["Yes."] });
      expect(await ask()).toMatchObject({
        content: [
          { type: "thinking", thinking: "", signature: expect.stringMatching(/^bottega_/) },
          { type: "text", text: "Yes." },
        ],
      });
    }
  });

  it("a tool choice that no tool of the request can meet is refused", async () => {
    const refusalOf = async (fields: object) => {
      const given = { model: door.names.chat, max_tokens: 10, messages: [ask("x")], ...fields };
      const response = await door.post("/messages", given);
      const { error } = (await response.json()) as { error: { message: string } };
      return [response.status, error.message];
    };
    const search = { type: "web_search_20250305", name: "web_search" };
    for (const [fields, words] of [
      [
        { tools: [search], tool_choice: { type: "tool", name: "web_search" } },
        /not available here/,
      ],
      [{ tools: [weather], tool_choice: { type: "tool", name: "tides" } }, /one of this request’s/],
      [{ tools: [search], tool_choice: { type: "any" } }, /offers none/],
    ] as const)
      expect(await refusalOf(fields)).toEqual([400, expect.stringMatching(words)]);
  });

  it("tokens are counted without a run", async () => {
    const before = (await door.listRuns()).length;
    const { input_tokens } = await client.messages.countTokens({
      model: door.names.chat,
      messages: [ask("x".repeat(4_000))],
      tools: [weather],
    });
    expect(input_tokens).toBeGreaterThan(1_000);
    expect(input_tokens).toBeLessThan(1_200);
    expect(await door.listRuns()).toHaveLength(before);
  });

  it("Claude's own free count is requested, with an estimate if it is refused or files are attached", async () => {
    const [before, posts] = [(await door.listRuns()).length, claude.posts.length];
    const count = async (...messages: Anthropic.MessageParam[]) =>
      (
        await client.messages.countTokens({
          model: "claude/claude-sim-1",
          system: "Be brief.",
          messages,
          tools: [weather],
        })
      ).input_tokens;
    const use = { type: "tool_use" as const, id: "call_1", name: "weather", input: { place: "a" } };
    const thinking = { type: "thinking" as const, thinking: "hm", signature: "ours" };
    const result = { type: "tool_result" as const, tool_use_id: "call_1", content: "Rain." };
    expect(
      await count(
        ask("Rain?"),
        { role: "assistant", content: [thinking, use] },
        { role: "user", content: [result] },
      ),
    ).toBeGreaterThan(1_000_000);
    const picture = {
      type: "image" as const,
      source: { type: "base64" as const, media_type: "image/png" as const, data: pixel },
    };
    expect(await count({ role: "user", content: [picture] })).toBeLessThan(10_000);
    // A call without its result, which Anthropic refuses.
    expect(await count(ask("Rain?"), { role: "assistant", content: [use] })).toBeLessThan(10_000);
    expect(await door.listRuns()).toHaveLength(before);
    expect(claude.posts).toHaveLength(posts);
  });

  it("errors have Anthropic's names, and an invalid part is named by its position", async () => {
    const refused = async (fields: object) =>
      (await client.messages
        .create({ model: door.names.chat, max_tokens: 100, messages: [ask("x")], ...fields })
        .catch((error: unknown) => error)) as InstanceType<typeof Anthropic.APIError>;
    expect(await refused({ model: "nobody/none" })).toMatchObject({
      status: 404,
      error: { type: "error", error: { type: "not_found_error" } },
    });
    const wrong = await refused({
      messages: [{ role: "user", content: [{ type: "image", source: { type: "file" } }] }],
    });
    expect(wrong).toMatchObject({
      status: 400,
      error: { error: { type: "invalid_request_error" } },
    });
    expect(wrong.message).toContain("messages.0.content.0.source");
    const stranger = new Anthropic({ baseURL: door.url, apiKey: "sk-none", maxRetries: 0 });
    await expect(
      stranger.messages.create({ model: door.names.chat, max_tokens: 1, messages: [ask("x")] }),
    ).rejects.toMatchObject({ status: 401, error: { error: { type: "authentication_error" } } });
    for (const [status, expected, type] of [
      [401, 403, "permission_error"],
      [403, 403, "permission_error"],
      [500, 503, "api_error"],
    ] as const) {
      const body = { error: { message: "Not now.", type: "some_error" } };
      door.studio.openai.script({ fault: { kind: "status", status, body } });
      expect(await refused({})).toMatchObject({ status: expected, error: { error: { type } } });
      await door.studio.forgetFailures();
    }
  });

  it("a paused model is overloaded in Anthropic's words, at once and with the time to retry", async () => {
    const { studio, names } = door;
    await studio.leaveAlone(studio.models.openai.connectionId);
    const posts = studio.openai.posts.length;
    for (const stream of [false, true]) {
      const refused = await door.post("/messages", {
        ...{ model: names.chat, max_tokens: 100, messages: [ask("anybody")], stream },
      });
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([503, "true"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({
        type: "error",
        error: { type: "overloaded_error" },
      });
    }
    expect(studio.openai.posts).toHaveLength(posts);
    await studio.forgetFailures();
  });

  it("a program that hangs up stops its message at the provider", async () => {
    const { studio, names } = door;
    studio.openai.script({ text: ["first", " last"], gate: { name: "left message", at: 1 } });
    const stream = client.messages.stream({
      ...{ model: names.chat, max_tokens: 100, messages: [ask("leaving")] },
    });
    stream.on("text", () => stream.abort());
    await expect(stream.done()).rejects.toThrow();
    await until("the provider sees it", async () =>
      studio.openai.posts.at(-1)!.state === "client-left" ? true : undefined,
    );
    studio.openai.open("left message");
    const [run] = await door.listRuns();
    expect((await studio.ended(run!.id)).state).toBe("cancelled");
  });

  it("the AI SDK's Anthropic provider runs a loop of tools", async () => {
    door.studio.openai.script({
      reasoning: ["Look."],
      text: [],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const provider = createAnthropic({ baseURL: `${door.url}/v1`, authToken: door.key.token });
    const { text, steps } = await generateText({
      model: provider(door.names.chat),
      prompt: "Genoa?",
      tools: {
        weather: tool({
          description: "The weather.",
          inputSchema: jsonSchema<{ place: string }>(weather.input_schema),
          execute: async () => "rain",
        }),
      },
      stopWhen: stepCountIs(3),
    });
    expect(steps).toHaveLength(2);
    expect(text).not.toBe("");
  });
});
