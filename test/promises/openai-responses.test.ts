import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachDatabase } from "../support/databases.ts";
import { type Door, openDoor } from "../support/openai-door.ts";

const weather = {
  type: "function" as const,
  name: "weather",
  strict: null,
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"], additionalProperties: false },
};

forEachDatabase((_, create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());

  it("a response of the official client is a run, with its words at hand", async () => {
    const answer = await door.client.responses.create({ model: door.names.chat, instructions: "Be brief.", input: "What is a quay?" });
    expect([answer.status, answer.output_text]).toEqual(["completed", "You said: What is a quay?"]);
    expect(answer.usage).toMatchObject({ total_tokens: answer.usage!.input_tokens + answer.usage!.output_tokens });
    expect(await door.runOf(answer.id)).toMatchObject({
      state: "succeeded",
      apiKeyId: door.key.id,
      input: { turns: [{ role: "system" }, {}] },
    });
  });

  it("a response streams as the official client reads it, thinking first", async () => {
    door.studio.openai.script({ reasoning: ["hm", " yes"], text: ["one", " two"] });
    const stream = door.client.responses.stream({ model: door.names.chat, input: [{ role: "user", content: "count" }] });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    const answer = await stream.finalResponse();
    expect(answer.output_text).toBe("one two");
    expect(answer.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(types.at(-1)).toBe("response.completed");
    expect(types).toContain("response.output_text.delta");
  });

  it("a response calls tools, and is told what they said", async () => {
    const input = [{ role: "user" as const, content: "How is it in Genoa?" }];
    door.studio.openai.script({ toolCalls: [{ name: "weather", input: { place: "Genoa" } }], text: [] });
    const asked = await door.client.responses.stream({ model: door.names.chat, input, tools: [weather] }).finalResponse();
    const call = asked.output.find((item) => item.type === "function_call")!;
    expect(call).toMatchObject({ name: "weather", arguments: '{"place":"Genoa"}' });
    const result = { type: "function_call_output" as const, call_id: call.call_id, output: "sunny" };
    await door.client.responses.create({ model: door.names.chat, input: [...input, ...asked.output, result] as never, tools: [weather] });
    const sent = door.studio.openai.posts.at(-1)!.body as { messages: { role: string }[] };
    expect(sent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("what a response can't do is refused by its name", async () => {
    for (const [fields, param] of [
      [{ previous_response_id: "resp_1" }, "previous_response_id"],
      [{ background: true }, "background"],
      [{ tools: [{ type: "web_search" }] }, "tools.0.type"],
    ] as const) {
      const response = await door.post("/responses", { model: door.names.chat, input: "x", ...fields });
      expect([response.status, await response.json()]).toEqual([400, { error: expect.objectContaining({ param }) }]);
    }
  });

  it("an answer that was cut says so", async () => {
    const answer = await door.client.responses.create({ model: door.names.chat, input: "one two three four", max_output_tokens: 2 });
    expect([answer.status, answer.incomplete_details]).toEqual(["incomplete", { reason: "max_output_tokens" }]);
  });
});
