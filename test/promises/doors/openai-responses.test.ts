import type OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

const weather = {
  type: "function" as const,
  name: "weather",
  strict: null,
  parameters: {
    type: "object",
    properties: { place: { type: "string" } },
    required: ["place"],
    additionalProperties: false,
  },
};

/** The turns in the provider's latest request. */
function sentTurns(door: Door): [role: string, text: unknown][] {
  const { messages } = door.studio.openai.posts.at(-1)!.body as {
    messages: { role: string; content: unknown }[];
  };
  return messages.map(({ role, content }) => [role, content]);
}

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());

  it("a response of the official client is a run, with its text included", async () => {
    const answer = await door.client.responses.create({
      model: door.names.chat,
      instructions: "Be brief.",
      input: "What is a quay?",
    });
    expect([answer.status, answer.output_text]).toEqual(["completed", "You said: What is a quay?"]);
    expect(answer.usage).toMatchObject({
      total_tokens: answer.usage!.input_tokens + answer.usage!.output_tokens,
    });
    expect(await door.runOf(answer.id)).toMatchObject({
      state: "succeeded",
      apiKeyId: door.key.id,
      input: { turns: [{ role: "system" }, {}] },
    });
  });

  it("log probabilities come whole and at a stream's end, and are named as missing if the service has none", async () => {
    const include = ["message.output_text.logprobs" as const];
    const given = { model: door.names.chat, input: "likely", include, top_logprobs: 2 };
    const logprobsOf = (answer: { output: { type: string }[] }) => {
      const [message] = answer.output as OpenAI.Responses.ResponseOutputMessage[];
      const [part] = message!.content as OpenAI.Responses.ResponseOutputText[];
      return part!.logprobs!;
    };
    const whole = logprobsOf(await door.client.responses.create(given));
    expect(door.studio.openai.posts.at(-1)!.body).toMatchObject({
      logprobs: true,
      top_logprobs: 2,
    });
    expect(whole.map(({ token }) => token).join("")).toBe("You said: likely");
    expect(whole[0]!.top_logprobs).toHaveLength(2);
    const streamed = await door.client.responses.stream(given).finalResponse();
    expect(logprobsOf(streamed)).toEqual(whole);
    const unasked = await door.client.responses.create({ model: door.names.chat, input: "x" });
    expect(logprobsOf(unasked)).toEqual([]);
    const lacking = await door.post("/responses", {
      ...given,
      model: door.names.ollama,
      include: [...include, "file_search_call.results"],
    });
    expect(lacking.headers.get("x-bottega-dropped")).toBe(
      "top_logprobs, message.output_text.logprobs, file_search_call.results",
    );
  });

  it("a response streams as the official client reads it, thinking first", async () => {
    door.studio.openai.script({ reasoning: ["hm", " yes"], text: ["one", " two"] });
    const stream = door.client.responses.stream({
      model: door.names.chat,
      input: [{ role: "user", content: "count" }],
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    const answer = await stream.finalResponse();
    expect(answer.output_text).toBe("one two");
    expect(answer.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(types.at(-1)).toBe("response.completed");
    expect(types).toContain("response.output_text.delta");
  });

  it("a response calls tools and receives their results", async () => {
    const input = [{ role: "user" as const, content: "How is it in Genoa?" }];
    door.studio.openai.script({
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
      text: [],
    });
    const asked = await door.client.responses
      .stream({ model: door.names.chat, input, tools: [weather] })
      .finalResponse();
    const call = asked.output.find((item) => item.type === "function_call")!;
    expect(call).toMatchObject({ name: "weather", arguments: '{"place":"Genoa"}' });
    const result = {
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: "sunny",
    };
    await door.client.responses.create({
      model: door.names.chat,
      input: [...input, ...asked.output, result] as never,
      tools: [weather],
    });
    const sent = door.studio.openai.posts.at(-1)!.body as { messages: { role: string }[] };
    expect(sent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("unsupported features of a response are refused by name", async () => {
    for (const [fields, param] of [
      [{ background: true, store: false }, "background"],
      [{ conversation: "conv_1" }, "conversation"],
      [{ tools: [{ type: "function", name: "a b" }] }, "tools.0.name"],
    ] as const) {
      const response = await door.post("/responses", {
        model: door.names.chat,
        input: "x",
        ...fields,
      });
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: expect.objectContaining({ param }) },
      ]);
    }
  });

  it("a response continues the one that it names, with its messages and without its instructions", async () => {
    const first = await door.client.responses.create({
      model: door.names.chat,
      instructions: "Be brief.",
      input: "What is a quay?",
    });
    const second = await door.client.responses.create({
      model: door.names.chat,
      instructions: "Be long.",
      input: "And a pier?",
      previous_response_id: first.id,
    });
    expect(second.previous_response_id).toBe(first.id);
    expect(sentTurns(door)).toEqual([
      ["system", "Be long."],
      ["user", "What is a quay?"],
      ["assistant", "You said: What is a quay?"],
      ["user", "And a pier?"],
    ]);
    await door.client.responses
      .stream({ model: door.names.chat, input: "And?", previous_response_id: second.id })
      .finalResponse();
    expect(sentTurns(door).map(([role]) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect((await door.runOf(second.id)).input).toMatchObject({ turns: [{}, {}, {}, {}] });
  });

  it("a tool result for the previous response needs nothing else", async () => {
    door.studio.openai.script({
      toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
      text: [],
    });
    const asked = await door.client.responses.create({
      model: door.names.chat,
      input: "How is it in Genoa?",
      tools: [weather],
    });
    const call = asked.output.find((item) => item.type === "function_call")!;
    await door.client.responses.create({
      model: door.names.chat,
      input: [{ type: "function_call_output", call_id: call.call_id, output: "sunny" }],
      previous_response_id: asked.id,
      tools: [weather],
    });
    expect(sentTurns(door).map(([role]) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("a stored response reads as it was returned, and a deleted one is gone, its run without text", async () => {
    const made = await door.client.responses.create({
      model: door.names.chat,
      input: "a secret quay",
      metadata: { page: "7" },
    });
    const read = await door.client.responses.retrieve(made.id);
    expect(read).toEqual(made);
    expect([read.metadata, read.output_text]).toEqual([{ page: "7" }, "You said: a secret quay"]);
    await door.client.responses.delete(made.id);
    await expect(door.client.responses.retrieve(made.id)).rejects.toMatchObject({
      status: 404,
      type: "invalid_request_error",
    });
    await expect(door.client.responses.delete(made.id)).rejects.toMatchObject({ status: 404 });
    const run = await door.runOf(made.id);
    expect(run).toMatchObject({ state: "succeeded", usage: { inputTokens: expect.any(Number) } });
    expect(JSON.stringify([run, await door.studio.events(run.id)])).not.toContain("secret quay");
  });

  it("a response's input items are listed by page, and can be sent again", async () => {
    const pixel =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const first = await door.client.responses.create({
      model: door.names.vision,
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_image", image_url: pixel, detail: "auto" }] },
        {
          type: "function_call",
          call_id: "call_1",
          name: "weather",
          arguments: '{"place":"Rome"}',
        },
        { type: "function_call_output", call_id: "call_1", output: "sunny" },
      ],
      tools: [weather],
    });
    const made = await door.client.responses.create({
      model: door.names.vision,
      input: "And tomorrow?",
      previous_response_id: first.id,
    });
    const listed = await Array.fromAsync(
      door.client.responses.inputItems.list(made.id, { order: "asc", limit: 2 }),
    );
    expect(listed).toMatchObject([
      {
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: expect.stringMatching(/^asset:/) }],
      },
      { type: "function_call", call_id: "call_1", arguments: '{"place":"Rome"}' },
      { type: "function_call_output", call_id: "call_1", output: "sunny" },
      { type: "message", role: "assistant", content: [{ type: "output_text" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "And tomorrow?" }] },
    ]);
    expect(JSON.stringify(listed)).not.toContain("Be brief.");
    const latest = await door.client.responses.inputItems.list(made.id, { limit: 1 });
    expect([latest.data, latest.has_more]).toEqual([[listed.at(-1)], true]);
    await door.client.responses.create({
      model: door.names.vision,
      input: listed as unknown as OpenAI.Responses.ResponseInput,
    });
    expect(sentTurns(door).map(([role]) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    await expect(
      door.client.responses.inputItems.list(made.id, { after: "item_x" }),
    ).rejects.toMatchObject({ status: 400, param: "after" });
  });

  it("a response in progress says so, can't be continued or deleted, and has its text at the end", async () => {
    const gate = `held ${Math.random()}`;
    door.studio.openai.script({ text: ["late"], gate: { name: gate, at: "head" } });
    const making = door.client.responses.create({ model: door.names.chat, input: "wait" });
    await door.studio.openai.reached(gate);
    const [run] = await door.listRuns();
    const id = `resp_${run!.id}`;
    expect((await door.client.responses.retrieve(id)).status).toBe("in_progress");
    const goesOn = door.client.responses.create({
      model: door.names.chat,
      input: "go on",
      previous_response_id: id,
    });
    await expect(goesOn).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
    await expect(door.client.responses.delete(id)).rejects.toMatchObject({ status: 400 });
    door.studio.openai.open(gate);
    expect(await door.client.responses.retrieve((await making).id)).toMatchObject({
      status: "completed",
      output_text: "late",
    });
  });

  it("missing, unstored, foreign and other-kind responses all look alike", async () => {
    const { instance, person } = door.studio;
    const made = await door.client.responses.create({ model: door.names.chat, input: "mine" });
    const unkept = await door.client.responses.create({
      model: door.names.chat,
      input: "not kept",
      store: false,
    });
    expect(unkept).toMatchObject({ store: false });
    const picture = await door.studio.make("a picture");
    const stranger = await instance.createPerson(`bob${Math.random()}@example.org`);
    const elsewhere = (
      await person.call<{ project: { id: string } }>("createProject", {
        body: { name: "elsewhere" },
      })
    ).body.project.id;
    const colleague = await instance.createPerson(`eve${Math.random()}@example.org`);
    const { projectId } = person;
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: colleague.user.id, role: "manager", at: 0 }),
    );
    const foreign: [string, string][] = [
      [(await instance.createKey(stranger)).token, made.id],
      [(await instance.createKey(colleague, { projectId })).token, made.id],
      [(await instance.createKey(person, { projectId: elsewhere })).token, made.id],
      [door.key.token, unkept.id],
      [door.key.token, `resp_${picture.id}`],
      [door.key.token, "resp_1"],
    ];
    for (const [token, id] of foreign) {
      const client = door.clientOf({ token });
      await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
      await expect(client.responses.delete(id)).rejects.toMatchObject({ status: 404 });
      await expect(client.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
      await expect(client.responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
      const goesOn = client.responses.create({
        model: door.names.chat,
        input: "go on",
        previous_response_id: id,
      });
      await expect(goesOn).rejects.toMatchObject({
        status: 400,
        param: "previous_response_id",
        code: "previous_response_not_found",
      });
    }
    // Another key of the same person and project has access too.
    const again = door.clientOf(await instance.createKey(person));
    expect((await again.responses.retrieve(made.id)).output_text).toBe("You said: mine");
  });

  /** An answer that stops at a gate before its word with this index. */
  function hold(text: string[], at: number) {
    const name = `gate ${Math.random()}`;
    door.studio.openai.script({ text, gate: { name, at } });
    return {
      reached: () => door.studio.openai.reached(name),
      open: () => door.studio.openai.open(name),
    };
  }
  const untilEnded = async (id: string) => {
    await door.studio.ended(id.slice("resp_".length));
    return door.client.responses.retrieve(id);
  };

  it("a background response returns its state at once, continues without its caller, and is read later", async () => {
    const gate = hold(["one", " two"], 1);
    const begun = await door.client.responses.create({
      model: door.names.chat,
      input: "count",
      background: true,
    });
    expect(begun).toMatchObject({ background: true, output: [] });
    expect(["queued", "in_progress"]).toContain(begun.status);
    await gate.reached();
    expect((await door.client.responses.retrieve(begun.id)).status).toBe("in_progress");
    gate.open();
    expect(await untilEnded(begun.id)).toMatchObject({
      status: "completed",
      output_text: "one two",
      background: true,
    });
  });

  it("a response is canceled by its ID, and stays as it was if it had ended", async () => {
    const gate = hold(["one", " two"], 1);
    const begun = await door.client.responses.create({
      model: door.names.chat,
      input: "count",
      background: true,
    });
    await gate.reached();
    const canceled = await door.client.responses.cancel(begun.id);
    gate.open();
    expect(canceled.status).toBe("cancelled");
    expect((await door.runOf(begun.id)).state).toBe("cancelled");
    const ended = await door.client.responses.create({ model: door.names.chat, input: "done" });
    expect(await door.client.responses.cancel(ended.id)).toMatchObject({
      status: "completed",
      output_text: "You said: done",
    });
  });

  type Numbered = { type: string; sequence_number: number; delta?: string };
  async function numbersOf(stream: AsyncIterable<unknown>): Promise<Numbered[]> {
    const all: Numbered[] = [];
    for await (const event of stream) all.push(event as Numbered);
    return all;
  }
  const wordsOf = (events: readonly Numbered[]): string =>
    events
      .filter(({ type }) => type === "response.output_text.delta")
      .map(({ delta }) => delta)
      .join("");

  it("a stream resumes after any of its events, while running and later", async () => {
    const gate = hold(["one", " two", " three"], 2);
    const stream = await door.client.responses.create({
      model: door.names.chat,
      input: "count",
      background: true,
      stream: true,
    });
    const seen: Numbered[] = [];
    let id = "";
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      seen.push(event as Numbered);
      if (wordsOf(seen) === "one two") break;
    }
    const rest = door.client.responses.retrieve(id, {
      stream: true,
      starting_after: seen.at(-1)!.sequence_number,
    });
    const resumed = numbersOf(await rest);
    gate.open();
    expect(wordsOf(await resumed)).toBe(" three");
    await untilEnded(id);
    const whole = await numbersOf(await door.client.responses.retrieve(id, { stream: true }));
    expect(wordsOf(whole)).toBe("one two three");
    const last = whole.at(-1)!;
    expect(last.type).toBe("response.completed");
    for (let after = 0; after < last.sequence_number; after += 1) {
      const part = await numbersOf(
        await door.client.responses.retrieve(id, { stream: true, starting_after: after }),
      );
      expect(part.every(({ sequence_number: number }) => number > after)).toBe(true);
      expect(part.at(-1)!.sequence_number).toBe(last.sequence_number);
      const begins = whole.filter(({ sequence_number: number }) => number <= after);
      const words = wordsOf(part);
      expect("one two three".endsWith(words)).toBe(true);
      expect(words.length).toBeLessThanOrEqual(13 - wordsOf(begins).length);
    }
    // The first stream's part and the rest together are the whole.
    const behind = await numbersOf(
      await door.client.responses.retrieve(id, {
        stream: true,
        starting_after: seen.at(-1)!.sequence_number,
      }),
    );
    expect(wordsOf(seen) + wordsOf(behind)).toBe("one two three");
  });

  it("a program that hangs up stops a response that isn't stored at the provider", async () => {
    const { studio, names, client } = door;
    studio.openai.script({ text: ["first", " last"], gate: { name: "left response", at: 1 } });
    const leaving = new AbortController();
    const stream = await client.responses.create(
      { model: names.chat, input: "leaving", stream: true, store: false },
      { signal: leaving.signal },
    );
    for await (const event of stream)
      if (event.type === "response.output_text.delta") leaving.abort();
    await until("the provider sees it", async () =>
      studio.openai.posts.at(-1)!.state === "client-left" ? true : undefined,
    );
    studio.openai.open("left response");
    const [run] = await door.listRuns();
    expect((await studio.ended(run!.id)).state).toBe("cancelled");
  });

  it("a truncated answer says so", async () => {
    const answer = await door.client.responses.create({
      model: door.names.chat,
      input: "one two three four",
      max_output_tokens: 2,
    });
    expect([answer.status, answer.incomplete_details]).toEqual([
      "incomplete",
      { reason: "max_output_tokens" },
    ]);
  });
});
