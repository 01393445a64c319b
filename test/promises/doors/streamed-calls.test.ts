import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchema, streamText, tool } from "ai";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { listRunEvents } from "#store/runs/run-lists.ts";
import { appendRunEvents } from "#store/runs/runs.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

/** Arguments as no serializer would write them. */
const written =
  '{ "path" : "boat \\ud83d\\ude22.ts",\n\t"id": 12345678901234567890, "text": "é 🙂\\u0041" } ';
const parameters = { type: "object" as const, properties: { path: { type: "string" } } };
const write = { type: "function" as const, function: { name: "write", parameters } };
const call = { name: "write", input: {}, written };
const ask = (content: string) => [{ role: "user" as const, content }];
type CallDelta = {
  index: number;
  id?: string;
  type?: string;
  function?: { name?: string; arguments?: string };
};
type ResponseEvent = {
  type: string;
  sequence_number: number;
  output_index?: number;
  delta?: string;
  item?: { type: string; name?: string };
};

onSqlite((create) => {
  let door: Door;
  let anthropic: Anthropic;
  let gates = 0;
  beforeAll(async () => {
    door = await openDoor(await create());
    anthropic = new Anthropic({ baseURL: door.url, apiKey: door.key.token, maxRetries: 0 });
  });
  afterAll(() => door.studio.close());

  /** Makes the provider wait before the last piece of its answer's calls. */
  function holdCall(
    behaviour: { toolCalls?: { name: string; input: object }[]; splitBytes?: number } = {},
  ) {
    const name = `call ${++gates}`;
    door.studio.openai.script({
      text: ["Let me write it."],
      toolCalls: [call],
      gate: { name, at: "call" },
      ...behaviour,
    });
    const open = () => door.studio.openai.open(name);
    onTestFinished(open);
    return { open };
  }

  /** Makes the run's last unit wait until `open`. */
  function holdCommit() {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { deps } = door.studio.instance.engine;
    Object.assign(deps, {
      failpoints: {
        has: () => false,
        at(name: string) {
          if (name !== "answer.whole") return undefined;
          reach();
          return promise;
        },
      },
    });
    const end = () => {
      Object.assign(deps, { failpoints: undefined });
      open();
    };
    onTestFinished(end);
    return { reached, open: end };
  }

  async function streamChat(given: object = {}) {
    const stream = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("Write it."),
      tools: [write],
      stream: true,
      ...given,
    });
    const deltas: CallDelta[] = [];
    const reasons: (string | null)[] = [];
    let id = "";
    const ended = (async () => {
      for await (const chunk of stream) {
        id = chunk.id;
        deltas.push(...((chunk.choices[0]?.delta.tool_calls ?? []) as CallDelta[]));
        reasons.push(...chunk.choices.map(({ finish_reason: reason }) => reason));
      }
    })();
    ended.catch(() => undefined);
    return {
      ended,
      deltas,
      id: () => id,
      reasons: () => reasons.filter(Boolean),
      argumentsOf: (index: number) =>
        deltas
          .filter((delta) => delta.index === index)
          .map((delta) => delta.function?.arguments ?? "")
          .join(""),
    };
  }

  it("chat: a call's arguments arrive while the model writes, byte for byte, after its ID and name", async () => {
    // Each byte of the provider's answer in a packet of its own.
    const held = holdCall({ splitBytes: 1 });
    const chat = await streamChat();
    await until("the arguments begin", async () => chat.argumentsOf(0).length > 1);
    expect(written.startsWith(chat.argumentsOf(0))).toBe(true);
    expect(chat.argumentsOf(0).length).toBeLessThan(written.length);
    held.open();
    await chat.ended;
    expect(chat.argumentsOf(0)).toBe(written);
    const [first, ...more] = chat.deltas;
    const runId = chat.id().replace("chatcmpl-", "");
    expect(first).toMatchObject({
      id: `call_${runId.replaceAll("-", "")}_0`,
      type: "function",
      function: { name: "write" },
    });
    for (const delta of more) expect(delta).not.toHaveProperty("id");
    expect(chat.reasons()).toEqual(["tool_calls"]);
  });

  it("chat: the end of a call waits for the unit that saves it", async () => {
    const commit = holdCommit();
    door.studio.openai.script({ text: [], toolCalls: [call] });
    const chat = await streamChat();
    await commit.reached;
    await until("all arguments arrive", async () => chat.argumentsOf(0) === written);
    expect(chat.reasons()).toEqual([]);
    expect(await door.runOf(chat.id())).toMatchObject({ state: "submitting" });
    commit.open();
    await chat.ended;
    expect(chat.argumentsOf(0)).toBe(written);
    expect(chat.reasons()).toEqual(["tool_calls"]);
    const { result } = await door.runOf(chat.id());
    expect(result).toMatchObject({ toolCalls: [{ written }] });
  });

  it("chat: calls keep their order, and one in the old form streams as well", async () => {
    const second = { name: "write", input: { path: "b" } };
    const held = holdCall({ toolCalls: [call, second] });
    const chat = await streamChat();
    // The first call is whole, so the second one follows it.
    await until("the second call begins", async () => chat.argumentsOf(1).length > 1);
    expect(chat.argumentsOf(0)).toBe(written);
    held.open();
    await chat.ended;
    expect(chat.argumentsOf(1)).toBe('{"path":"b"}');
    const places = chat.deltas.map(({ index }) => index);
    expect(places).toEqual(places.toSorted());
    expect(new Set(chat.deltas.flatMap(({ id }) => id ?? [])).size).toBe(2);

    door.studio.openai.script({ text: [], toolCalls: [call] });
    const stream = await door.client.chat.completions.create({
      model: door.names.chat,
      messages: ask("Write it."),
      functions: [{ name: "write", parameters }],
      stream: true,
    });
    const calls: { name?: string; arguments?: string }[] = [];
    for await (const chunk of stream)
      for (const { delta } of chunk.choices)
        calls.push(...(delta.function_call ? [delta.function_call] : []));
    expect(calls[0]).toMatchObject({ name: "write" });
    expect(calls.map((piece) => piece.arguments ?? "").join("")).toBe(written);
  });

  it("responses: arguments arrive while the model writes, and nothing ends before the unit that saves the call", async () => {
    const commit = holdCommit();
    door.studio.openai.script({
      text: ["Let me", " see."],
      toolCalls: [call, { name: "write", input: {} }],
    });
    const stream = await door.client.responses.create({
      model: door.names.chat,
      input: "Write it.",
      tools: [{ type: "function", name: "write", parameters, strict: false }],
      stream: true,
    });
    const events: ResponseEvent[] = [];
    const ended = (async () => {
      for await (const event of stream) events.push(event as ResponseEvent);
    })();
    await commit.reached;
    const argumentsAt = (index: number) =>
      events
        .filter(({ type, output_index: at }) => /arguments\.delta$/.test(type) && at === index)
        .map(({ delta }) => delta)
        .join("");
    await until("all arguments arrive", async () => argumentsAt(2) === "{}");
    expect(argumentsAt(1)).toBe(written);
    expect(events.filter(({ type }) => /done|completed/.test(type))).toEqual([]);
    commit.open();
    await ended;
    expect(argumentsAt(1)).toBe(written);
    const ends = events.filter(({ type }) => /item\.done|arguments\.done|completed/.test(type));
    expect(ends.map(({ type, output_index: at }) => `${type} ${at ?? ""}`.trim())).toEqual([
      "response.output_item.done 0",
      "response.function_call_arguments.done 1",
      "response.output_item.done 1",
      "response.function_call_arguments.done 2",
      "response.output_item.done 2",
      "response.completed",
    ]);
    const added = events.filter(({ type }) => type === "response.output_item.added");
    expect(added.map(({ item }) => [item?.type, item?.name])).toEqual([
      ["message", undefined],
      ["function_call", "write"],
      ["function_call", "write"],
    ]);
    const numbers = events.map(({ sequence_number: number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it("responses: a stream resumes in the middle of a call, while the model writes and later", async () => {
    const held = holdCall();
    const begun = await door.client.responses.create({
      model: door.names.chat,
      input: "Write it.",
      tools: [{ type: "function", name: "write", parameters, strict: false }],
      background: true,
      stream: true,
    });
    const seen: ResponseEvent[] = [];
    const argumentsIn = (events: readonly ResponseEvent[]) =>
      events.flatMap(({ type, delta }) => (/arguments\.delta$/.test(type) ? [delta] : [])).join("");
    let id = "";
    for await (const event of begun) {
      if (event.type === "response.created") id = event.response.id;
      seen.push(event as ResponseEvent);
      if (argumentsIn(seen) !== "") break;
    }
    const readAfter = async (after?: number) => {
      const rest: ResponseEvent[] = [];
      const stream = await door.client.responses.retrieve(id, {
        stream: true,
        ...(after !== undefined && { starting_after: after }),
      });
      for await (const event of stream) rest.push(event as ResponseEvent);
      return rest;
    };
    const { sequence_number: last } = seen.at(-1)!;
    const resumed = readAfter(last);
    held.open();
    expect(argumentsIn(seen) + argumentsIn(await resumed)).toBe(written);
    expect(argumentsIn(seen) + argumentsIn(await readAfter(last))).toBe(written);
    const all = await readAfter();
    expect(argumentsIn(all)).toBe(written);
    for (const { sequence_number: after } of all) {
      const before = all.filter(({ sequence_number: number }) => number <= after);
      expect(argumentsIn(before) + argumentsIn(await readAfter(after))).toBe(written);
    }
  });

  it("messages: the first call's arguments arrive while the model writes, and its block ends after the unit that saves it", async () => {
    const commit = holdCommit();
    const second = { name: "write", input: { path: "b" } };
    door.studio.openai.script({ text: ["Let me see."], toolCalls: [call, second] });
    const stream = await anthropic.messages.create({
      model: door.names.chat,
      max_tokens: 1_000,
      messages: [{ role: "user", content: "Write it." }],
      tools: [{ name: "write", input_schema: parameters }],
      stream: true,
    });
    const events: Anthropic.MessageStreamEvent[] = [];
    const ended = (async () => {
      for await (const event of stream) events.push(event);
    })();
    const inputOf = (index: number) =>
      events
        .flatMap((event) =>
          event.type === "content_block_delta" &&
          event.index === index &&
          event.delta.type === "input_json_delta"
            ? [event.delta.partial_json]
            : [],
        )
        .join("");
    await commit.reached;
    await until("the first call arrives", async () => inputOf(1) === written);
    expect(events.at(-1)).toMatchObject({ type: "content_block_delta", index: 1 });
    commit.open();
    await ended;
    expect([inputOf(1), inputOf(2)]).toEqual([written, '{"path":"b"}']);
    // Blocks never overlap.
    const blocks = events.flatMap((event) =>
      event.type === "content_block_start" || event.type === "content_block_stop"
        ? [`${event.type.slice(14)} ${event.index}`]
        : [],
    );
    expect(blocks).toEqual(["start 0", "stop 0", "start 1", "stop 1", "start 2", "stop 2"]);
    expect(events.slice(-2)).toMatchObject([
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ]);
  });

  it("published clients assemble the pieces", async () => {
    const big = { path: "é 🙂", text: "line\n".repeat(200) };
    const script = () =>
      door.studio.openai.script({
        text: ["Now."],
        toolCalls: [{ name: "write", input: big }],
        splitBytes: 7,
      });
    const given = { model: door.names.chat, tools: [write], messages: ask("Write it.") };
    script();
    const completion = await door.client.chat.completions.stream(given).finalChatCompletion();
    const [first] = completion.choices[0]!.message.tool_calls!;
    expect(JSON.parse((first as { function: { arguments: string } }).function.arguments)).toEqual(
      big,
    );
    script();
    const message = await anthropic.messages
      .stream({
        model: door.names.chat,
        max_tokens: 1_000,
        messages: [{ role: "user", content: "Write it." }],
        tools: [{ name: "write", input_schema: parameters }],
      })
      .finalMessage();
    expect(message.content).toMatchObject([{ type: "text" }, { type: "tool_use", input: big }]);
    script();
    const response = await door.client.responses
      .stream({
        model: door.names.chat,
        input: "Write it.",
        tools: [{ type: "function", name: "write", parameters, strict: false }],
      })
      .finalResponse();
    expect(response.output).toMatchObject([
      { type: "message" },
      { type: "function_call", arguments: JSON.stringify(big) },
    ]);
    for (const model of [
      door.ai(door.names.chat),
      createOpenAI({ baseURL: `${door.url}/v1`, apiKey: door.key.token })(door.names.chat),
      createAnthropic({ baseURL: `${door.url}/v1`, authToken: door.key.token })(door.names.chat),
    ]) {
      script();
      const { toolCalls, finishReason } = streamText({
        model,
        prompt: "Write it.",
        tools: { write: tool({ inputSchema: jsonSchema<typeof big>(parameters) }) },
      });
      expect(await toolCalls).toMatchObject([{ toolName: "write", input: big }]);
      expect(await finishReason).toBe("tool-calls");
    }
  });

  it("a lost attempt's call is never continued by another attempt", async () => {
    const { studio } = door;
    const held = holdCall({ toolCalls: [call] });
    const chat = await streamChat();
    await until("the arguments begin", async () => chat.argumentsOf(0).length > 1);
    const begun = chat.argumentsOf(0);
    const restart = async (id: string) => {
      const run = await door.runOf(id);
      await studio.instance.commit((unit) =>
        appendRunEvents(unit, run, [{ type: "run-started", payload: { attempt: 2 } }], {}),
      );
    };
    await restart(chat.id());
    await expect(chat.ended).rejects.toMatchObject({ code: "provider_interrupted" });
    expect(chat.argumentsOf(0)).toBe(begun);
    held.open();

    const again = holdCall();
    const stream = await door.client.responses.create({
      model: door.names.chat,
      input: "Write it.",
      tools: [{ type: "function", name: "write", parameters, strict: false }],
      background: true,
      stream: true,
    });
    let id = "";
    let after = 0;
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      after = event.sequence_number;
      if (event.type === "response.function_call_arguments.delta") break;
    }
    await restart(id);
    const resumed = await door.client.responses.retrieve(id, {
      stream: true,
      starting_after: after,
    });
    again.open();
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of resumed) types.push(event.type);
    })();
    await reading.catch(() => undefined);
    expect(types.filter((type) => type !== "response.failed")).toEqual([]);
  });

  it("a program that joins after a lost attempt gets the output of the next one", async () => {
    const { instance, openai } = door.studio;
    openai.script({ text: ["Lost,", " and found."], gate: { name: "found", at: 1 } });
    onTestFinished(() => openai.open("found"));
    const join = () =>
      door.client.chat.completions.create(
        { model: door.names.chat, messages: ask("Say it."), stream: true },
        { headers: { "idempotency-key": "after a lost attempt" } },
      );
    const first = await join();
    let id = "";
    for await (const chunk of first) {
      ({ id } = chunk);
      break;
    }
    const run = await door.runOf(id);
    await until("its text is saved", async () =>
      (await listRunEvents(instance.engine.deps.store.read, run.id, 0, 200)).some(
        ({ type }) => type === "text-delta",
      ),
    );
    const events = [{ type: "run-started", payload: { attempt: 2 } } as const];
    await instance.commit((unit) => appendRunEvents(unit, run, events, { attempts: 2 }));
    openai.open("found");
    const second = await join();
    let text = "";
    for await (const { choices } of second) text += choices[0]?.delta.content ?? "";
    expect(text).toBe(" and found.");
  });

  it("a connection lost in a call fails the run, and no next model answers", async () => {
    const { studio } = door;
    const models = [studio.models.openai, studio.models.ollama];
    await studio.person.call("createAlias", { body: { name: "writer", task: "chat", models } });
    const before = studio.ollama.posts.length;
    studio.openai.script({ text: [], toolCalls: [call], fault: { kind: "reset", at: "call" } });
    const chat = await streamChat({ model: "writer" });
    await expect(chat.ended).rejects.toMatchObject({ code: "provider_interrupted" });
    expect(chat.argumentsOf(0)).not.toBe("");
    expect(written.startsWith(chat.argumentsOf(0))).toBe(true);
    expect(await door.runOf(chat.id())).toMatchObject({ state: "failed" });
    expect(studio.ollama.posts.length).toBe(before);
    await studio.forgetFailures();
  });
});
