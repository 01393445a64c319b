import OpenAI from "openai";
import { expect, it, onTestFinished } from "vitest";
import { startOpenAi } from "../../../../test/simulators/openai.ts";

async function start() {
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  return {
    simulator,
    client: new OpenAI({ apiKey: simulator.key, baseURL: simulator.url, maxRetries: 0 }),
  };
}

it("OpenAI's own client reads a streamed response, its reasoning and its calls", async () => {
  const { simulator, client } = await start();
  simulator.script({
    text: ["one", " two"],
    reasoning: ["hm"],
    toolCalls: [{ name: "weather", input: { place: "Rome" } }],
  });
  const stream = client.responses.stream({
    model: "gpt-5.5",
    input: "hello",
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low", summary: "auto" },
    tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: false }],
  });
  let text = "";
  let thought = "";
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.reasoning_summary_text.delta") thought += event.delta;
  }
  const { output, usage } = await stream.finalResponse();
  expect([text, thought]).toEqual(["one two", "hm"]);
  expect(output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  expect(usage).toMatchObject({ output_tokens: 2 });
});

it("OpenAI's own client polls a background response to its end, or cancels it", async () => {
  const { simulator, client } = await start();
  const ask = () =>
    client.responses.create({
      model: "gpt-5.5-pro",
      input: "hello there",
      background: true,
      store: true,
    });
  let response = await ask();
  while (response.status === "queued" || response.status === "in_progress")
    response = await client.responses.retrieve(response.id);
  expect(response).toMatchObject({ status: "completed", output_text: "You said: hello there" });
  simulator.script({ gate: { name: "held", at: 0 } });
  expect(await client.responses.cancel((await ask()).id)).toMatchObject({ status: "cancelled" });
});

it("OpenAI's own client streams a picture with its previews", async () => {
  const { client } = await start();
  const stream = await client.images.generate({
    model: "gpt-image-2",
    prompt: "a fox",
    stream: true,
    partial_images: 2,
  });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  expect(types).toEqual([
    "image_generation.partial_image",
    "image_generation.partial_image",
    "image_generation.completed",
  ]);
});

it("requests outside the reference are refused", async () => {
  const { client } = await start();
  const wrong = { model: "gpt-5.5", input: "hello", max_tokens: 5 };
  await expect(client.responses.create(wrong as never)).rejects.toMatchObject({ status: 400 });
  const unasked = {
    model: "gpt-5.5",
    input: [{ type: "function_call_output", call_id: "call_1", output: "x" }],
  };
  await expect(client.responses.create(unasked as never)).rejects.toMatchObject({ status: 400 });
});
