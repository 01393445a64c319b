import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "The weather of a place.",
    parameters: {
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
      additionalProperties: false,
    },
  },
};
const ask = (text: string) => [{ role: "user" as const, content: text }];
type Wire = {
  messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
  [field: string]: unknown;
};

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());
  const lastBody = (): Wire => door.studio.openai.posts.at(-1)!.body as Wire;

  it("the official client lists models by connection and name, including slashes", async () => {
    const ids = (await door.client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([door.names.chat, door.names.vision, door.names.fal]),
    );
    expect(await door.client.models.retrieve(door.names.vision)).toMatchObject({
      id: door.names.vision,
      object: "model",
    });
    // Like curl would send it.
    const headers = { authorization: `Bearer ${door.key.token}` };
    expect(
      await (await fetch(`${door.url}/v1/models/${door.names.vision}`, { headers })).json(),
    ).toMatchObject({ id: door.names.vision });
  });

  it("an unknown model is OpenAI's 404, which names similar ones", async () => {
    const asked = door.client.chat.completions.create({
      model: door.names.chat.replace("sim-chat", "sim-chart"),
      messages: ask("x"),
    });
    const error = (await asked.catch((thrown) => thrown)) as InstanceType<
      typeof OpenAI.NotFoundError
    >;
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
      type: "invalid_request_error",
    });
    expect(error.message).toContain(door.names.chat);
  });

  it("an answer is a run of the key's owner, logged with its input and output", async () => {
    const answer = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: [{ role: "system", content: "Be brief." }, ...ask("What is a quay?")],
      max_tokens: 100,
      temperature: 0.5,
      stop: "END",
    });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "You said: What is a quay?" },
    });
    expect(answer.usage!.total_tokens).toBe(
      answer.usage!.prompt_tokens + answer.usage!.completion_tokens,
    );
    expect(lastBody()).toMatchObject({ max_tokens: 100, temperature: 0.5, stop: ["END"] });
    const run = await door.runOf(answer.id);
    expect(run).toMatchObject({
      state: "succeeded",
      task: "chat",
      apiKeyId: door.key.id,
      visibility: "author",
      messageId: null,
    });
    expect(run.usage).toMatchObject({
      inputTokens: answer.usage!.prompt_tokens,
      outputTokens: answer.usage!.completion_tokens,
    });
    expect(run.input.turns).toMatchObject([
      { role: "system" },
      { role: "user", parts: [{ type: "text", text: "What is a quay?" }] },
    ]);
    expect(run.result).toMatchObject({
      parts: [{ type: "text", text: "You said: What is a quay?" }],
    });
    // A list has the latest question, not the whole conversation sent with it.
    const listed = (await door.listRuns()).find(({ id }) => id === run.id);
    expect(listed).toMatchObject({
      state: "succeeded",
      input: { turns: [{ role: "user", parts: [{ text: "What is a quay?" }] }] },
    });
    expect(listed?.result).toEqual({ finishReason: "stop" });
    const shown = await door.key.call("getRun", { params: { runId: run.id } });
    expect(shown.body).toMatchObject({
      apiKey: { id: door.key.id, name: "a key" },
      run: { result: run.result },
    });
  });

  it("an answer streams in chunks, and reports usage only on request", async () => {
    door.studio.openai.script({ text: ["one", " two", " three"], reasoning: ["hm"] });
    const stream = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("count"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(
      chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? "")).join(""),
    ).toBe("one two three");
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number) },
    });
    const plain = await (
      await door.post("/chat/completions", {
        model: door.names.chat,
        messages: ask("x"),
        stream: true,
      })
    ).text();
    expect(plain).toMatch(/data: \[DONE\]\n\n$/);
    expect(plain).not.toContain('"usage"');
  });

  it("tools reach the model, calls return whole or streamed, and results continue the conversation", async () => {
    const calls = [{ name: "weather", input: { place: "Genoa" } }];
    const given = {
      model: door.names.chat,
      messages: ask("How is it in Genoa?"),
      tools: [weather],
    };
    door.studio.openai.script({ text: ["Let me look."], toolCalls: calls });
    const whole = await door.client.chat.completions.create({ ...given, tool_choice: "required" });
    expect(lastBody()).toMatchObject({
      tools: [{ function: { name: "weather" } }],
      tool_choice: "required",
    });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: "Let me look." },
    });
    const [call] = whole.choices[0]!.message.tool_calls!;
    expect(call).toMatchObject({
      type: "function",
      function: { name: "weather", arguments: '{"place":"Genoa"}' },
    });

    door.studio.openai.script({ toolCalls: calls, text: [] });
    const streamed = await door.client.chat.completions.stream(given).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { arguments: '{"place":"Genoa"}' },
    });

    const messages = [
      ...given.messages,
      whole.choices[0]!.message,
      { role: "tool" as const, tool_call_id: call!.id, content: "sunny" },
    ];
    await door.client.chat.completions.create({ ...given, messages });
    expect(lastBody().messages.slice(1)).toMatchObject([
      // With the provider's ids.
      { role: "assistant", tool_calls: [{ id: "call_1" }] },
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
    ]);
    const stray = [
      ...given.messages,
      { role: "tool" as const, tool_call_id: "none", content: "x" },
    ];
    await expect(
      door.client.chat.completions.create({ ...given, messages: stray }),
    ).rejects.toMatchObject({
      status: 400,
      param: "messages.1",
    });
  });

  it("a picture is accepted as a data URL and saved once, however often it is sent", async () => {
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url: pixel } },
    ];
    const given = { model: door.names.vision, messages: [{ role: "user" as const, content }] };
    const first = await door.client.chat.completions.create(given);
    await door.client.chat.completions.create(given);
    expect(lastBody().messages[0]?.content).toMatchObject([
      { type: "text" },
      { type: "image_url", image_url: { url: pixel } },
    ]);
    const uploads = await door.key.call<{ assets: { id: string }[] }>("listAssets", {
      query: { projectId: door.studio.person.projectId, source: "uploaded" },
    });
    expect(uploads.body.assets).toHaveLength(1);
    expect((await door.runOf(first.id)).input).toMatchObject({
      turns: [{ parts: [{}, { type: "file", assetId: uploads.body.assets[0]!.id }] }],
    });
  });

  it("an address within the network is never fetched", async () => {
    const before = door.studio.openai.posts.length;
    for (const url of [
      `${door.url}/healthz`,
      "http://[::ffff:127.0.0.1]/x",
      "http://169.254.169.254/latest",
      "file:///etc/passwd",
    ]) {
      const content = [{ type: "image_url" as const, image_url: { url } }];
      const asked = door.client.chat.completions.create({
        model: door.names.vision,
        messages: [{ role: "user", content }],
      });
      await expect(asked).rejects.toMatchObject({ status: 400, param: "messages.0.content.0" });
    }
    expect(door.studio.openai.posts).toHaveLength(before);
  });

  it("an answer has the requested format", async () => {
    door.studio.openai.script({ text: ['{"name":"quay"}'] });
    const schema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    };
    await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("x"),
      response_format: {
        type: "json_schema",
        json_schema: { name: "place", schema, strict: true },
      },
    });
    expect(lastBody().response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "place", schema },
    });
  });

  it("unsupported fields are refused by name, and fields without effect are reported as such", async () => {
    const refused: [object, string][] = [
      [{ n: 17 }, "n"],
      [{ functions: [{ name: "weather" }], tools: [weather] }, "functions"],
      [{ functions: [{ name: "weather" }], function_call: { name: "tides" } }, "function_call"],
      [{ function_call: { name: "tides" } }, "function_call"],
      [{ modalities: ["text", "audio"] }, "modalities.1"],
      [{ messages: [] }, "messages"],
      [{ max_tokens: 0 }, "max_tokens"],
      [{ stop: ["a", "b", "c", "d", "e"] }, "stop"],
    ];
    const before = (await door.listRuns()).length;
    for (const [fields, param] of refused) {
      const response = await door.post("/chat/completions", {
        model: door.names.chat,
        messages: ask("x"),
        ...fields,
      });
      expect([
        param,
        response.status,
        ((await response.json()) as { error: { param: string } }).error.param,
      ]).toEqual([param, 400, param]);
    }
    expect(await door.listRuns()).toHaveLength(before);
    const labelled = await door.post("/chat/completions", {
      model: door.names.chat,
      messages: ask("x"),
      metadata: { a: "b" },
      n: 1,
      logprobs: false,
    });
    expect(await labelled.json()).toMatchObject({
      bottega: { warnings: ["The parameter “metadata” has no effect."] },
    });
  });

  it("n answers are n runs: admitted together, indexed in the stream, their usage summed", async () => {
    const before = door.studio.openai.posts.length;
    for (const text of ["one", "two", "three"]) door.studio.openai.script({ text: [text] });
    const whole = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("count"),
      n: 3,
    });
    expect(door.studio.openai.posts).toHaveLength(before + 3);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(whole.choices.map(({ message }) => message.content).sort()).toEqual([
      "one",
      "three",
      "two",
    ]);
    const { bottega } = whole as unknown as {
      bottega: { run_id: string; further: { run_id: string }[] };
    };
    const ids = [bottega.run_id, ...bottega.further.map(({ run_id }) => run_id)];
    const runs = await Promise.all(ids.map((id) => door.studio.runOf(id)));
    const usage = runs.map((run) => run.usage as { inputTokens: number; outputTokens: number });
    expect(whole.usage).toMatchObject({
      prompt_tokens: usage.reduce((sum, one) => sum + one.inputTokens, 0),
      completion_tokens: usage.reduce((sum, one) => sum + one.outputTokens, 0),
    });
    const stream = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("again"),
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    });
    const said: Record<number, string> = {};
    let total: number | undefined;
    for await (const chunk of stream) {
      for (const { index, delta } of chunk.choices)
        said[index] = (said[index] ?? "") + (delta.content ?? "");
      total = chunk.usage?.completion_tokens ?? total;
    }
    expect(said).toEqual({ 0: "You said: again", 1: "You said: again" });
    expect(total).toBe(6);
  });

  it("a failed answer doesn't affect the others, and a repeat with its key is the same runs", async () => {
    const given = { model: door.names.chat, messages: ask("twice"), n: 2 };
    const headers = { "idempotency-key": "two answers" };
    door.studio.openai.script({ fault: { kind: "status", status: 400 } });
    const first = (await (await door.post("/chat/completions", given, headers)).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(first.choices.map(({ message }) => message.content)).toEqual(["You said: twice"]);
    const before = door.studio.openai.posts.length;
    expect(await (await door.post("/chat/completions", given, headers)).json()).toEqual(first);
    expect(door.studio.openai.posts).toHaveLength(before);
  });

  it("the service's log probabilities return whole and streamed", async () => {
    const given = {
      model: door.names.chat,
      messages: ask("likely"),
      logprobs: true,
      top_logprobs: 2,
    };
    const whole = await door.client.chat.completions.create(given);
    expect(lastBody()).toMatchObject({ logprobs: true, top_logprobs: 2 });
    const tokens = whole.choices[0]!.logprobs!.content!;
    expect(tokens.map(({ token }) => token).join("")).toBe("You said: likely");
    expect(tokens[0]!.top_logprobs).toHaveLength(2);
    const streamed = await door.client.chat.completions.stream(given).finalChatCompletion();
    expect(streamed.choices[0]!.logprobs!.content).toEqual(tokens);
  });

  it("the same Idempotency-Key and request is the same run and answer, whole and streamed", async () => {
    const before = door.studio.openai.posts.length;
    const given = { model: door.names.chat, messages: ask("once, please") };
    const headers = { "idempotency-key": "once" };
    const [one, two] = await Promise.all([
      door.post("/chat/completions", given, headers),
      door.post("/chat/completions", given, headers),
    ]);
    const bodies = (await Promise.all([one.json(), two.json()])) as {
      id: string;
      choices: unknown;
    }[];
    expect(bodies[1]).toEqual(bodies[0]);
    expect(door.postsSince(before)).toHaveLength(1);
    const streamed = { ...given, stream: true };
    const told = async () =>
      (await door.post("/chat/completions", streamed, { "idempotency-key": "stream" })).text();
    const wordsOf = (events: string) =>
      [...events.matchAll(/"content":"([^"]*)"/g)].map(([, words]) => words).join("");
    const once = await told();
    expect([wordsOf(once), wordsOf(await told())]).toEqual([
      "You said: once, please",
      "You said: once, please",
    ]);
    expect(door.postsSince(before)).toHaveLength(2);
    const other = await door.post(
      "/chat/completions",
      { ...given, messages: ask("another") },
      headers,
    );
    expect([other.status, other.headers.get("x-should-retry")]).toEqual([400, "false"]);
  });

  it("no client is advised to retry a possibly accepted request", async () => {
    const status = { kind: "status" as const, status: 502, body: "<html>Bad gateway</html>" };
    const before = door.studio.openai.posts.length;
    door.studio.openai.script({ fault: status });
    const failed = await door.client.chat.completions
      .create({ model: door.names.chat, messages: ask("lost") })
      .catch((error) => error);
    expect(failed).toMatchObject({ status: 424, code: "provider_failed" });
    expect((failed as { headers: Headers }).headers.get("x-should-retry")).toBe("false");
    expect(door.postsSince(before)).toHaveLength(1);
    await door.studio.forgetFailures();
    door.studio.openai.script({ fault: status });
    await expect(
      generateText({ model: door.ai(door.names.chat), prompt: "lost again" }),
    ).rejects.toThrow(/returned 502/);
    expect(door.postsSince(before)).toHaveLength(2);
    await door.studio.forgetFailures();
  });

  it("of several failed answers, one that may have been accepted keeps clients from repeating all", async () => {
    const own = { error: { message: "Try later.", type: "server_error" } };
    door.studio.openai.script({ fault: { kind: "status", status: 500, body: own } });
    door.studio.openai.script({ fault: { kind: "status", status: 502, body: "<html>Bad</html>" } });
    const given = { model: door.names.chat, messages: ask("both lost"), n: 2 };
    const failed = await door.post("/chat/completions", given);
    expect([failed.status, failed.headers.get("x-should-retry")]).toEqual([424, "false"]);
    await door.studio.forgetFailures();
  });

  it.each([429, 529])(
    "a request that this server retried four times isn't repeated by clients, which learn when to come again (%i)",
    async (status) => {
      const fault = {
        kind: "status" as const,
        status,
        body: { error: { message: "Later.", type: "overloaded_error" } },
        headers: { "retry-after": "0" },
      };
      const before = door.studio.openai.posts.length;
      for (let sent = 0; sent < 4; sent++) door.studio.openai.script({ fault });
      const failed = await door.client.chat.completions
        .create({ model: door.names.chat, messages: ask("busy") })
        .catch((error) => error);
      const { headers } = failed as { headers: Headers };
      expect([headers.get("x-should-retry"), Number(headers.get("retry-after-ms")) > 0]).toEqual([
        "false",
        true,
      ]);
      expect(door.postsSince(before)).toHaveLength(4);
      await door.studio.forgetFailures();
    },
  );

  it("a provider's refusal before acceptance keeps its own status", async () => {
    const tooLong = {
      error: {
        message: "too long",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    };
    door.studio.openai.script({ fault: { kind: "status", status: 400, body: tooLong } });
    const asked = door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("long"),
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      code: "context_length_exceeded",
      type: "invalid_request_error",
    });
    await door.studio.forgetFailures();
  });

  it.each([
    [401, 403, "permission_error", "provider_auth"],
    [403, 403, "permission_error", "provider_forbidden"],
    [500, 503, "server_error", "provider_failed"],
  ])(
    "a provider's own %i is told apart from the program's errors and from a lost connection",
    async (status, expected, type, code) => {
      const body = { error: { message: "Not now.", type: "some_error" } };
      door.studio.openai.script({ fault: { kind: "status", status, body } });
      const before = door.studio.openai.posts.length;
      const asked = { model: door.names.chat, messages: ask(`own ${status}`) };
      const refused = await door.post("/chat/completions", asked);
      await door.studio.forgetFailures();
      expect([refused.status, await refused.json()]).toMatchObject([
        expected,
        { error: { type, code } },
      ]);
      expect(refused.headers.get("x-should-retry")).toBe(String(expected >= 500));
      expect(door.postsSince(before)).toHaveLength(1);
    },
  );

  it("a broken stream reports it in its last event, and the text so far is saved", async () => {
    door.studio.openai.script({
      text: ["half", " an", " answer"],
      fault: { kind: "reset", at: 2 },
    });
    const stream = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("x"),
      stream: true,
    });
    let text = "";
    let id = "";
    const reading = (async () => {
      for await (const chunk of stream) {
        id = chunk.id;
        text += chunk.choices[0]?.delta.content ?? "";
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "provider_interrupted" });
    expect(text).toMatch(/^half/);
    expect(await door.runOf(id)).toMatchObject({
      state: "failed",
      result: { parts: [{ type: "text", text }] },
    });
    await door.studio.forgetFailures();
  });

  /** Requests a stream and disconnects after its first word. */
  async function hangUp(gate: string, headers: Record<string, string> = {}): Promise<string> {
    door.studio.openai.script({ text: ["first", " last"], gate: { name: gate, at: 1 } });
    const stream = await door.client.chat.completions.create(
      { model: door.names.chat, messages: ask("x"), stream: true },
      { headers },
    );
    let id = "";
    for await (const chunk of stream) {
      id = chunk.id;
      break;
    }
    stream.controller.abort();
    return id;
  }

  it("a program that disconnects stops its answer at the provider, and the text so far is saved", async () => {
    const id = await hangUp("hung-up");
    const run = await until("the run ends", async () => {
      const now = await door.runOf(id);
      return now.state === "cancelled" && now;
    });
    expect(run.result).toMatchObject({ parts: [{ text: "first" }] });
    expect(run.costMicros === null || run.costMicros >= 0).toBe(true);
    await until("the provider sees it", async () =>
      door.studio.openai.posts.at(-1)!.state === "client-left" ? true : undefined,
    );
    door.studio.openai.open("hung-up");
  });

  it("a request can stop with its program although its key keeps others running", async () => {
    const { token } = await door.studio.instance.createKey(door.studio.person, {
      keepsRunning: true,
    });
    const id = await hangUp("stopped by header", {
      authorization: `Bearer ${token}`,
      "x-bottega-keep-running": "false",
    });
    await until("the run ends", async () => (await door.runOf(id)).state === "cancelled");
    door.studio.openai.open("stopped by header");
  });

  it("a call whose program disconnects while it waits for a place is never sent", async () => {
    const { studio } = door;
    const { connectionId } = studio.models.openai;
    const setPlaces = (text: number) =>
      studio.instance.commit(({ tx }) => updateConnection(tx, connectionId, { places: { text } }));
    await setPlaces(1);
    studio.openai.script({ text: ["one", " two"], gate: { name: "in front", at: 1 } });
    const { run: held } = await studio.ask("in front");
    await studio.openai.reached("in front");
    const leaving = new AbortController();
    const left = door.client.chat.completions
      .create({ model: door.names.chat, messages: ask("left") }, { signal: leaving.signal })
      .catch(() => null);
    const queued = await until("the call is queued", async () =>
      (await door.listRuns()).find(({ id, state }) => id !== held.id && state === "queued"),
    );
    leaving.abort();
    await left;
    await until(
      "its run ends",
      async () => (await studio.runOf(queued.id)).state === "cancelled" || undefined,
    );
    expect(await studio.runOf(queued.id)).toMatchObject({ attempts: 0, costMicros: 0 });
    studio.openai.open("in front");
    await studio.ended(held.id);
    await setPlaces(64);
    expect(JSON.stringify(studio.openai.posts.map(({ body }) => body))).not.toContain('"left"');
  });

  it("a program that sent a key or asked to store its run gets the answer later", async () => {
    const keepers = await door.studio.instance.createKey(door.studio.person, {
      keepsRunning: true,
    });
    const withSetting = { authorization: `Bearer ${keepers.token}` };
    for (const [gate, headers] of [
      ["keyed", { "idempotency-key": "hung up" }],
      ["kept", { "x-bottega-keep-running": "true" }],
      ["kept by its key", withSetting],
    ] as const) {
      const id = await hangUp(gate, headers);
      door.studio.openai.open(gate);
      const run = await until("the run ends", async () => {
        const now = await door.runOf(id);
        return now.state === "succeeded" && now;
      });
      expect(run.result).toMatchObject({ parts: [{ text: "first last" }] });
    }
  });

  it("a revoked key receives nothing more of an answer in progress", async () => {
    const key = await door.studio.instance.createKey(door.studio.person);
    door.studio.openai.script({ text: ["first", " secret"], gate: { name: "revoked", at: 1 } });
    const stream = await door
      .clientOf(key)
      .chat.completions.create({ model: door.names.chat, messages: ask("x"), stream: true });
    let text = "";
    const reading = (async () => {
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        if (text === "first")
          await door.studio.person.call("revokeKey", { params: { keyId: key.id } });
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "invalid_api_key" });
    door.studio.openai.open("revoked");
    expect(text).toBe("first");
  });

  it("an answer can be requested again from its run", async () => {
    const answer = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("again"),
    });
    await door.studio.instance.store.db
      .updateTable("run")
      .set({ state: "failed" })
      .where("id", "=", answer.id.slice(9))
      .execute();
    const again = await door.key.call<{ run: { id: string } }>("tryAgain", {
      params: { runId: answer.id.slice(9) },
      body: {},
    });
    expect(again.status).toBe(200);
    expect(await door.studio.ended(again.body.run.id)).toMatchObject({
      state: "succeeded",
      result: { parts: [{ text: "You said: again" }] },
    });
  });

  it("a local server's model answers through the same API", async () => {
    const answer = await door.client.chat.completions.create({
      model: door.names.ollama,
      messages: ask("hello"),
    });
    expect(answer.choices[0]?.message.content).not.toBe("");
    expect((await door.runOf(answer.id)).costMicros).toBe(0);
    const given = { model: door.names.ollama, messages: ask("hello") };
    door.studio.ollama.meet({
      text: [],
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
    });
    const called = await door.client.chat.completions.create({ ...given, tools: [weather] });
    expect(called.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "weather" } }] },
    });
    expect(
      (
        await door.client.chat.completions.create({
          ...given,
          response_format: { type: "json_object" },
        })
      ).choices,
    ).toHaveLength(1);
    expect(door.studio.ollama.ledger.posts.at(-1)!.body.format).toMatchObject({ type: "object" });
  });

  it("a model without tool support isn't called with the tools removed", async () => {
    const before = door.studio.ollama.posts.length;
    const model = door.names.ollama.replace(/[^/]+$/, "gemma3:4b");
    const asked = door.client.chat.completions.create({
      model,
      messages: ask("hello"),
      tools: [weather],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "tools" });
    expect(door.studio.ollama.posts).toHaveLength(before);
  });

  it("the AI SDK works unchanged: text, streams, tools and formats", async () => {
    const model = door.ai(door.names.chat);
    expect((await generateText({ model, prompt: "hello there" })).text).toBe(
      "You said: hello there",
    );
    const streamed = streamText({ model, prompt: "hello stream" });
    expect(await streamed.text).toBe("You said: hello stream");
    expect((await streamed.usage).outputTokens).toBeGreaterThan(0);

    door.studio.openai.script({
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
      text: [],
    });
    const looked: string[] = [];
    const tools = {
      weather: tool({
        description: "The weather of a place.",
        inputSchema: jsonSchema<{ place: string }>(weather.function.parameters as never),
        execute: async ({ place }) => {
          looked.push(place);
          return "sunny";
        },
      }),
    };
    const answered = await generateText({
      model,
      prompt: "How is it?",
      tools,
      stopWhen: stepCountIs(2),
    });
    expect([looked, answered.steps.length]).toEqual([["Genoa"], 2]);

    door.studio.openai.script({ text: ['{"name":"quay"}'] });
    const schema = jsonSchema<{ name: string }>({
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    });
    const { output } = await generateText({
      model,
      prompt: "x",
      output: Output.object({ schema }),
    });
    expect(output).toEqual({ name: "quay" });
  });
});
