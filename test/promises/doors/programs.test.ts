import type { FunctionTool } from "openai/resources/responses/responses";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { getAnswers } from "#store/runs/run-lists.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor, openDoorToOpenAi } from "../../support/studio/openai-door.ts";
import { buildWav } from "../../support/wav.ts";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const wav = buildWav({
  samples: Buffer.alloc(3_200),
  samplesPerSecond: 16_000,
  channels: 1,
  bits: 16,
}).toString("base64");
const parameters = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
};
const weather = { type: "function" as const, function: { name: "weather", parameters } };
const ask = (content: string) => [{ role: "user" as const, content }];
type ResponseWire = {
  tools: Record<string, unknown>[];
  text: { format: Record<string, unknown> };
};
type Wire = { messages: Record<string, unknown>[]; [field: string]: unknown };

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());
  const lastBody = (): Wire => door.studio.openai.posts.at(-1)!.body as Wire;

  it("reasoning returns in its original field, even if the program returned only the call", async () => {
    door.answerWithCall('{"place":"Genoa"}');
    const given = { model: door.names.chat, tools: [weather] };
    const { choices } = await door.client.chat.completions.create({
      ...given,
      messages: ask("Genoa?"),
    });
    const { id, function: asked } = choices[0]!.message.tool_calls![0] as {
      id: string;
      function: { name: string; arguments: string };
    };
    const call = { id, type: "function" as const, function: asked };
    await door.client.chat.completions.create({
      ...given,
      messages: [
        ...ask("Genoa?"),
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: id, content: "rain" },
      ],
    });
    expect(lastBody().messages[1]).toMatchObject({ reasoning_content: "Look first." });
  });

  it("an earlier answer of more than 1 MB is parsed in another thread, and one of more than 16 MB refused", async () => {
    door.answerWithCall('{"place":"Genoa"}');
    const given = { model: door.names.chat, tools: [weather] };
    const completion = await door.client.chat.completions.create({
      ...given,
      messages: ask("Genoa?"),
    });
    const { id: runId, result, userId, projectId } = await door.runOf(completion.id);
    const { store } = door.studio.instance;
    const writeResult = async (bytes: number): Promise<string> => {
      const written = JSON.stringify({ ...(result as object), logprobs: ["x".repeat(bytes)] });
      await store.write((tx) =>
        tx.updateTable("run").set({ result: written }).where("id", "=", runId).execute(),
      );
      return written;
    };
    const written = await writeResult(2 ** 20);
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const [call] = completion.choices[0]!.message.tool_calls!;
    const proceed = () =>
      door.client.chat.completions.create({
        ...given,
        messages: [
          ...ask("Genoa?"),
          { role: "assistant", content: null, tool_calls: [call!] },
          { role: "tool", tool_call_id: call!.id, content: "rain" },
        ],
      });
    await proceed();
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    expect(longest).toBeLessThan(2 ** 20);
    expect(lastBody().messages[1]).toMatchObject({ reasoning_content: "Look first." });
    const own = { ids: [runId], userId, projectId };
    expect(await getAnswers(store.read, { ...own, maxBytes: written.length - 1 })).toBeUndefined();
    expect(await getAnswers(store.read, { ...own, maxBytes: written.length })).toHaveLength(1);
    await writeResult(16 * 2 ** 20);
    await expect(proceed()).rejects.toMatchObject({ status: 413 });
  });

  it("web pages that an answer cites return in each API's form, whole and streamed", async () => {
    const url = "https://example.org/quays";
    const annotations = [{ type: "url_citation", url_citation: { url, title: "Quays" } }];
    const script = () =>
      door.studio.openai.script({
        fault: {
          kind: "raw",
          body: [
            { choices: [{ delta: { content: "A wharf." } }] },
            { choices: [{ delta: { annotations }, finish_reason: "stop" }] },
          ]
            .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
            .join(""),
        },
      });
    const citation = { url, title: "Quays", start_index: 0, end_index: 8 };
    const chat = { model: door.names.chat, messages: ask("What is a quay?") };
    const noted = { annotations: [{ type: "url_citation", url_citation: citation }] };
    script();
    const whole = await door.client.chat.completions.create(chat);
    expect(whole.choices[0]!.message).toMatchObject(noted);
    script();
    const deltas = [];
    for await (const { choices } of await door.client.chat.completions.create({
      ...chat,
      stream: true,
    }))
      deltas.push(choices[0]?.delta);
    expect(deltas).toContainEqual(noted);

    const asked = { model: door.names.chat, input: "What is a quay?" };
    const text = { text: "A wharf.", annotations: [{ type: "url_citation", ...citation }] };
    script();
    const response = await door.client.responses.create(asked);
    expect(response.output).toMatchObject([{ type: "message", content: [text] }]);
    script();
    const events = [];
    for await (const event of await door.client.responses.create({ ...asked, stream: true }))
      events.push(event);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "response.output_text.annotation.added",
        annotation_index: 0,
        annotation: text.annotations[0],
      }),
    );
    expect(events.at(-1)).toMatchObject({ response: { output: [{ content: [text] }] } });

    script();
    const message = await door.post("/messages", { ...chat, max_tokens: 100 });
    expect(await message.json()).toMatchObject({
      content: [
        {
          text: "A wharf.",
          citations: [{ type: "web_search_result_location", url, title: "Quays" }],
        },
      ],
    });
  });

  it("a citation has its place in the text if the service states it, and a page each of its citations", async () => {
    const [url, other] = ["https://example.org/quays", "https://example.org/wharfs"];
    const at = (start_index: number, end_index: number) => ({ start_index, end_index });
    const cite = (fields: object) => ({ type: "url_citation", url_citation: fields });
    const given = [
      cite({ url, title: "Quays", ...at(0, 8) }),
      cite({ url, title: "Quays", ...at(9, 14) }),
      cite({ url: other, ...at(3, 3) }),
    ];
    const chunks = [
      { choices: [{ delta: { content: "A wharf. Stone." } }] },
      { choices: [{ delta: { annotations: given } }] },
      { choices: [{ delta: { annotations: [given[0]] }, finish_reason: "stop" }] },
    ];
    const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    door.studio.openai.script({ fault: { kind: "raw", body } });
    const { choices } = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("What is a quay?"),
    });
    expect(choices[0]!.message.annotations).toEqual([
      given[0],
      given[1],
      cite({ url: other, title: other, ...at(0, 15) }),
    ]);
  });

  it("parameters go to services that accept them, and others are left out by name", async () => {
    const response = await door.post("/chat/completions", {
      model: door.names.chat,
      messages: ask("x"),
      frequency_penalty: 0.5,
      top_k: 5,
      logprobs: true,
      mirostat: 2,
      presence_penalty: 0,
      frobnicate: 1,
      store: true,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-bottega-dropped")?.split(", ").sort()).toEqual([
      "frobnicate",
      "mirostat",
    ]);
    expect(lastBody()).toMatchObject({ frequency_penalty: 0.5, top_k: 5, logprobs: true });
    for (const name of ["mirostat", "presence_penalty", "frobnicate", "store"])
      expect(lastBody()).not.toHaveProperty(name);
  });

  it("what the model behind an alias lacks is left out by name, with one warning each", async () => {
    const { models, person } = door.studio;
    const body = {
      name: "either",
      task: "chat",
      models: [
        { connectionId: models.ollama.connectionId, modelId: models.ollama.modelId },
        { connectionId: models.openai.connectionId, modelId: "sim-chat" },
      ],
    };
    expect((await person.call("createAlias", { body })).status).toBe(200);
    const response = await door.post("/chat/completions", {
      model: "either",
      messages: ask("x"),
      top_k: 5,
      logit_bias: { 1: 2 },
      frobnicate: 1,
      user: "x",
    });
    expect(response.status).toBe(200);
    const dropped = response.headers.get("x-bottega-dropped")?.split(", ").sort();
    expect(dropped).toEqual(["frobnicate", "logit_bias"]);
    const { bottega } = (await response.json()) as { bottega: { warnings: string[] } };
    for (const name of dropped!)
      expect(bottega.warnings.filter((warning) => warning.includes(name))).toHaveLength(1);
  });

  it("an answer of any JSON stays json_object, and strict is the program's choice", async () => {
    await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("json"),
      response_format: { type: "json_object" },
      tools: [{ type: "function", function: { name: "weather", parameters, strict: true } }],
    });
    expect(lastBody()).toMatchObject({
      response_format: { type: "json_object" },
      tools: [{ function: { strict: true } }],
    });
    await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("json"),
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: parameters, strict: false },
      },
    });
    expect(lastBody()).toMatchObject({ response_format: { json_schema: { strict: false } } });
    await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("json"),
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: parameters } },
      tools: [weather],
    });
    expect(lastBody()).toMatchObject({
      response_format: { json_schema: { name: "answer", schema: parameters } },
    });
    expect(JSON.stringify(lastBody())).not.toContain('"strict"');
  });

  it("what a program doesn't say of strict is left to OpenAI's Responses API, or not enforced", async () => {
    const { own, simulator } = await openDoorToOpenAi(await create());
    const sent = () => simulator.posts.at(-1)!.body as ResponseWire;
    const model = "pictures/gpt-5.5";
    const format = { name: "answer", schema: parameters };
    for (const strict of [undefined, true, false]) {
      const said = strict === undefined ? {} : { strict };
      await own.client.responses.create({
        model,
        input: "x",
        tools: [{ type: "function", name: "weather", parameters, ...said } as FunctionTool],
        text: { format: { type: "json_schema", ...format, ...said } },
      });
      expect(sent().tools[0]).toEqual({
        type: "function",
        name: "weather",
        description: "",
        parameters,
        ...said,
      });
      expect(sent().text.format.strict).toBe(strict ?? false);
    }
    await own.client.chat.completions.create({
      model,
      messages: ask("x"),
      tools: [weather],
      response_format: { type: "json_schema", json_schema: format },
    });
    expect(sent().tools[0]!.strict).toBe(false);
    expect(sent().text.format.strict).toBe(false);
  });

  it("each known field of OpenAI's requests is sent, left out by name, without effect, or refused with the reason", async () => {
    const warnedOf = async (path: string, fields: object) => {
      const asked = path === "/responses" ? { input: "x" } : { messages: ask("x") };
      const response = await door.post(path, { model: door.names.chat, ...asked, ...fields });
      const { error, bottega } = (await response.json()) as {
        error?: { param: string; message: string };
        bottega?: { warnings: string[] };
      };
      const dropped = response.headers.get("x-bottega-dropped");
      return error ? [error.param, error.message] : [dropped, bottega!.warnings.length];
    };
    const hosted = { tools: [weather, { type: "web_search" }] };
    expect(await warnedOf("/chat/completions", hosted)).toEqual(["tools.1.web_search", 1]);
    for (const [path, name, value] of [
      ["/chat/completions", "audio", { voice: "alloy" }],
      ["/chat/completions", "prediction", { type: "content", content: "x" }],
      ["/chat/completions", "service_tier", "flex"],
      ["/chat/completions", "web_search_options", {}],
      ["/responses", "context_management", [{ type: "compaction" }]],
      ["/responses", "max_tool_calls", 3],
      ["/responses", "service_tier", "flex"],
      ["/responses", "truncation", "auto"],
    ] as const)
      expect([name, await warnedOf(path, { [name]: value })]).toEqual([name, [name, 1]]);
    for (const [name, value] of [
      ["prompt_cache_key", "x"],
      ["prompt_cache_retention", "24h"],
      ["safety_identifier", "x"],
      ["user", "x"],
    ] as const)
      for (const path of ["/chat/completions", "/responses"])
        expect(await warnedOf(path, { [name]: value })).toEqual([null, 0]);
    for (const [fields, param, reason] of [
      [{ conversation: "conv_1" }, "conversation", /Use previous_response_id/],
      [{ prompt: { id: "pmpt_1" } }, "prompt", /Send their text/],
      [{ prompt: { id: "pmpt_1" }, input: undefined }, "prompt", /Send their text/],
      [{ input: undefined }, "input", /Send a text, or a list of items/],
      [
        { input: [{ type: "compaction" }] },
        "input.0.type",
        /“compaction”.*Only OpenAI can read it/,
      ],
      [{ input: [{ type: "shell_call" }] }, "input.0.type", /“shell_call”.*Offer it as a function/],
      [{ input: [{ type: "computer_call_output" }] }, "input.0.type", /“computer_call_output”/],
      [{ input: [{ type: "apply_patch_call" }] }, "input.0.type", /“apply_patch_call”/],
      [{ input: [{ type: "program" }] }, "input.0.type", /“program”.*Send messages/],
      [{ input: [{ type: "custom_tool_call_output", call_id: "a" }] }, "input.0.output", /./],
      [
        { input: [{ role: "user", content: [{ type: "input_image", file_id: "a" }] }] },
        "input.0.content.0.image_url",
        /There are no files by id/,
      ],
    ] as const)
      expect(await warnedOf("/responses", fields)).toEqual([param, expect.stringMatching(reason)]);
  });

  it("message parts without a place in a turn are left out by name, each kind once", async () => {
    const picture = { type: "image_url", image_url: { url: pixel, detail: "low" } };
    const messages = [
      { role: "system", content: "Be brief.", name: "rules" },
      { role: "user", content: "Hello", name: "ada" },
      { role: "assistant", content: "Hi", audio: { id: "audio_1" }, name: "bob" },
      { role: "user", content: [{ type: "text", text: "See?" }, picture], name: "" },
    ];
    const named = await door.post("/chat/completions", { model: door.names.vision, messages });
    expect(named.headers.get("x-bottega-dropped")).toBe(
      "messages.name, messages.audio, messages.image_url.detail",
    );
    const plain = await door.post("/chat/completions", {
      model: door.names.vision,
      messages: [
        { role: "assistant", content: "Hi", audio: null },
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: pixel, detail: "auto" } }],
        },
      ],
    });
    expect([plain.status, plain.headers.get("x-bottega-dropped")]).toEqual([200, null]);
    const content = [{ type: "input_image", image_url: pixel, detail: "high" }];
    const response = await door.post("/responses", {
      model: door.names.vision,
      input: [{ role: "user", content }],
      truncation: "auto",
    });
    expect(response.headers.get("x-bottega-dropped")).toBe("truncation, input.input_image.detail");
    expect(await response.json()).toMatchObject({ truncation: "disabled" });
  });

  it("an unknown address names the right one, in its API's format", async () => {
    const say = async (method: string, path: string) => {
      const response = await fetch(`${door.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${door.key.token}` },
      });
      const { error } = (await response.json()) as { error: { type: string; message: string } };
      expect([path, response.status, response.headers.get("x-should-retry")]).toEqual([
        path,
        404,
        "false",
      ]);
      return [error.type, error.message];
    };
    for (const [method, path, words] of [
      ["POST", "/v1/completions", /message to \/v1\/chat\/completions/],
      ["POST", "/v1/moderations", /\/v1\/chat\/completions/],
      ["POST", "/v1/audio/translations", /\/v1\/audio\/transcriptions/],
      ["POST", "/v1/images/variations", /\/v1\/images\/edits/],
      ["POST", "/v1/files", /data URL/],
      ["GET", "/v1/files/file_1/content", /data URL/],
      ["POST", "/v1/batches", /Send each request alone/],
      ["POST", "/v1/threads/t/runs", /previous_response_id/],
      ["POST", "/v1/rerank", /\/v1\/embeddings/],
      ["POST", "/v1/responses/input_tokens", /\/v1\/messages\/count_tokens/],
      ["POST", "/v1/v1/chat/completions", /\/v1 twice/],
      ["GET", "/v1/chat/completions", /Use \/v1\/responses/],
      ["GET", "/v1/chat/completions/chatcmpl-1/messages", /Use \/v1\/responses/],
      ["POST", "/v1/responses/compact", /Ask a model for a summary/],
      ["POST", "/v1/fine_tuning/jobs", /at the provider/],
      ["POST", "/v1/containers", /data URL/],
      ["POST", "/v1/skills", /Run the agent yourself/],
      ["GET", "/v1/organization/costs", /\/api\/v1/],
      ["POST", "/v1/live/sessions", /\/v1\/audio\/speech/],
      ["POST", "/v1/models", /only supports GET/],
      ["GET", "/v1/nothing", /use one of these: .*\/v1\/chat\/completions.*\/v1\/messages/],
      ["POST", "/chat/completions", /Add \/v1/],
    ] as const)
      expect([path, ...(await say(method, path))]).toEqual([
        path,
        "invalid_request_error",
        expect.stringMatching(words),
      ]);
    expect(await say("POST", "/v1/messages/batches")).toEqual([
      "not_found_error",
      expect.stringMatching(/Send each request alone/),
    ]);
    await expect(
      door.client.completions.create({ model: door.names.chat, prompt: "Once" }),
    ).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("/v1/chat/completions"),
    });
  });

  it("fields of items, messages and tools that no model gets are named", async () => {
    const droppedBy = async (path: string, given: object) => {
      const response = await door.post(path, { model: door.names.chat, ...given });
      expect([path, response.status]).toEqual([path, 200]);
      return response.headers.get("x-bottega-dropped");
    };
    const items = [
      { role: "user", content: "Hello" },
      { type: "message", id: "msg_1", status: "completed", role: "assistant", content: "Hi" },
      { role: "assistant", phase: "commentary", content: "Let me look." },
      { role: "assistant", phase: "final_answer", content: "All is well." },
      { role: "user", phase: null, content: "Thanks" },
    ];
    const tool = { type: "function", name: "weather", parameters };
    expect(await droppedBy("/responses", { input: items })).toBe("input.phase");
    expect(
      await droppedBy("/responses", {
        input: "Hello",
        tools: [{ ...tool, defer_loading: true, output_schema: {} }],
        reasoning: { summary: "auto", context: "all_turns" },
      }),
    ).toBe("reasoning.context, tools.defer_loading, tools.output_schema");
    expect(
      await droppedBy("/chat/completions", {
        messages: [
          { role: "user", content: "Hello" },
          { role: "assistant", content: null, refusal: "I can't.", annotations: [{}] },
          { role: "user", content: "Why?", cache: true },
        ],
        tools: [{ type: "function", function: { ...weather.function, examples: ["Genoa"] } }],
      }),
    ).toBe("tools.examples, messages.refusal, messages.cache");
    const marked = { tone: "dry", cache_control: { type: "ephemeral" } };
    expect(
      await droppedBy("/chat/completions", {
        messages: [{ role: "user", content: [{ type: "text", text: "x", ...marked }] }],
        tools: [{ ...weather, defer_loading: true }],
      }),
    ).toBe("tools.defer_loading, messages.content.tone");
    const echoed = { type: "output_text", text: "Hi", annotations: [{}], logprobs: [{}] };
    const asked = { type: "input_text", text: "x", tone: "dry" };
    expect(
      await droppedBy("/responses", {
        input: [
          { role: "assistant", content: [echoed] },
          { role: "user", content: [asked] },
        ],
      }),
    ).toBe("input.content.tone");
    expect(
      await droppedBy("/messages", {
        max_tokens: 100,
        messages: ask("Hello"),
        tools: [{ name: "weather", input_schema: parameters, defer_loading: true }],
      }),
    ).toBe("tools.defer_loading");
    const use = { type: "tool_use", id: "toolu_1", name: "weather", input: { place: "Genoa" } };
    const found = { type: "text", text: "rain", tone: "wet", content: [null] };
    expect(
      await droppedBy("/messages", {
        max_tokens: 100,
        messages: [
          { role: "user", content: [{ type: "text", text: "x", ...marked }] },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Let me look.", citations: [{}] },
              { ...use, caller: { type: "direct" } },
            ],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [found] }],
          },
        ],
      }),
    ).toBe("messages.content.tone");
  });

  it("fields deep in files, calls and sources, and beside a message's role, are named", async () => {
    const droppedBy = async (path: string, given: object) => {
      const response = await door.post(path, { model: door.names.vision, ...given });
      expect([path, response.status]).toEqual([path, 200]);
      return response.headers.get("x-bottega-dropped")?.split(", ").sort();
    };
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const url = `data:image/png;base64,${png}`;
    const data = `data:text/plain;base64,${Buffer.from("A quay.").toString("base64")}`;
    const called = { name: "weather", arguments: "{}" };
    const call = {
      id: "call_1",
      type: "function",
      function: { ...called, strict: true },
      index: 0,
    };
    expect(
      await droppedBy("/chat/completions", {
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url, detail: "auto", width: 1 } },
              { type: "file", file: { file_data: data, filename: "a.txt", pages: "1-2" } },
            ],
          },
          { role: "assistant", tool_calls: [{ ...call, extra_content: { google: {} } }] },
          { role: "tool", tool_call_id: "call_1", content: "rain" },
          { role: "assistant", function_call: { ...called, thought: "x" } },
          { role: "function", name: "weather", content: "rain" },
        ],
      }),
    ).toEqual([
      "messages.content.file.pages",
      "messages.content.image_url.width",
      "messages.function_call.thought",
      "messages.tool_calls.extra_content",
      "messages.tool_calls.function.strict",
    ]);
    const source = { type: "base64", media_type: "image/png", data: png };
    expect(
      await droppedBy("/messages", {
        max_tokens: 100,
        messages: [
          {
            role: "user",
            content: [{ type: "image", source: { ...source, width: 1 } }],
            id: "msg_1",
            tone: null,
          },
        ],
      }),
    ).toEqual(["messages.content.source.width", "messages.id"]);
  });

  it("in Responses, only reasoning of another service is left out by name", async () => {
    const ours = "rs_01a21e2d-c309-76a7-932c-6127787a45bf";
    const response = await door.post("/responses", {
      model: door.names.chat,
      input: [
        { role: "user", content: "Hello" },
        { type: "reasoning", id: "rs_0af", summary: [], encrypted_content: "gAAAAA" },
        { type: "reasoning", id: ours, summary: [], encrypted_content: ours },
        { role: "assistant", content: "Hi" },
        { role: "user", content: "How are you?" },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-bottega-dropped")).toBe("input.1.reasoning");
  });

  it("a value of the wrong type is answered with the right ones, an array that is too long with its limit", async () => {
    const refusalOf = async (fields: object) => {
      const given = { model: door.names.chat, messages: ask("x"), ...fields };
      return ((await (await door.post("/chat/completions", given)).json()) as Refusal).error;
    };
    type Refusal = { error: { message: string; param: string } };
    expect(await refusalOf({ messages: [{ role: "user", content: 1 }] })).toMatchObject({
      param: "messages.0.content",
      message: "messages.0.content: Expected string or array.",
    });
    const many = Array.from({ length: 65 }, (_, i) => `${i}`);
    expect(await refusalOf({ stop: many })).toMatchObject({
      param: "stop",
      message: expect.stringContaining("64"),
    });
    expect(await refusalOf({ stop: many.slice(0, 5) })).toMatchObject({
      param: "stop",
      message: expect.stringContaining("5 > 4"),
    });
  });

  it("a repeat under one key is the same request, even if its files left its body under other names", async () => {
    const large = `data:text/plain;base64,${Buffer.from("word ".repeat(20_000)).toString("base64")}`;
    const send = () =>
      door.post(
        "/chat/completions",
        {
          model: door.names.chat,
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "Read." },
                { type: "file", file: { filename: "a.txt", file_data: large } },
              ],
            },
          ],
        },
        { "idempotency-key": "with a file" },
      );
    const ids: string[] = [];
    for (const response of [await send(), await send()]) {
      expect(response.status).toBe(200);
      ids.push(((await response.json()) as { id: string }).id);
    }
    expect(ids[0]).toBe(ids[1]);
  });

  it("a recording is accepted as input_audio, and a model without audio input says so", async () => {
    const model = door.names.chat;
    const recording = { type: "input_audio", input_audio: { data: wav, format: "wav" } };
    const said = (type: string) => [
      { role: "user", content: [{ type, text: "What is said?" }, recording] },
    ];
    for (const [path, asked] of [
      ["/chat/completions", { model, messages: said("text") }],
      ["/responses", { model, input: said("input_text") }],
    ] as const) {
      const response = await door.post(path, asked);
      const { bottega } = (await response.json()) as { bottega: { warnings: string[] } };
      expect([response.status, bottega.warnings.join()]).toEqual([
        200,
        expect.stringContaining("recording.wav"),
      ]);
      expect(JSON.stringify(lastBody().messages)).not.toContain(wav.slice(0, 40));
    }
  });

  it("uncounted tokens are estimated, and unknown usage is not reported", async () => {
    const body = { choices: [{ delta: { content: "Yes." }, finish_reason: "stop" }] };
    door.studio.openai.script({
      fault: { kind: "raw", body: `data: ${JSON.stringify(body)}\n\ndata: [DONE]\n\n` },
    });
    const estimated = await door.post("/chat/completions", {
      model: door.names.chat,
      messages: ask("x"),
    });
    const { usage } = (await estimated.json()) as { usage: { completion_tokens: number } };
    expect(usage.completion_tokens).toBeGreaterThan(0);
    const request = { model: door.names.chat, messages: ask("uncounted") };
    const key = { "idempotency-key": "uncounted" };
    const counted = (await (await door.post("/chat/completions", request, key)).json()) as {
      id: string;
    };
    const { id } = await door.runOf(counted.id);
    await door.studio.instance.store.write((tx) =>
      tx.updateTable("run").set({ usage: "{}" }).where("id", "=", id).execute(),
    );
    const whole = await door.post("/chat/completions", request, key);
    expect(await whole.json()).toMatchObject({ id: counted.id, usage: null });
  });

  it("an error names the invalid part", async () => {
    const response = await door.post("/chat/completions", {
      model: door.names.chat,
      messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }] }],
    });
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, "messages.0.content.1.image_url"]);
  });

  it("a local model gets a context that holds the request if its usual one doesn't", async () => {
    const contextFor = async (characters: number): Promise<unknown> => {
      await door.post("/chat/completions", {
        model: door.names.ollama,
        messages: ask("word ".repeat(characters / 5)),
      });
      return (door.studio.ollama.posts.at(-1)!.body as { options?: { num_ctx?: number } }).options
        ?.num_ctx;
    };
    expect(await contextFor(100)).toBeUndefined();
    expect(await contextFor(20_000)).toBe(8_192);
  });

  it("a program may allow a longer answer than its model can write", async () => {
    const response = await door.post("/chat/completions", {
      model: door.names.chat,
      messages: ask("x"),
      max_tokens: 10_000_000,
    });
    expect(response.status).toBe(200);
  });

  it("a failed Responses stream says so in an event with a type, as Codex reads it", async () => {
    door.studio.openai.script({ text: ["one", " two"], fault: { kind: "reset", at: 1 } });
    const response = await door.post("/responses", {
      model: door.names.chat,
      input: "x",
      stream: true,
    });
    const last = (await response.text()).trim().split("\n\n").at(-1)!;
    expect(last).toMatch(/^event: response.failed\n/);
    expect(JSON.parse(last.slice(last.indexOf("data: ") + 6))).toMatchObject({
      type: "response.failed",
      error: { message: expect.any(String) },
      response: { status: "failed", error: { code: expect.any(String) } },
    });
  });
});
