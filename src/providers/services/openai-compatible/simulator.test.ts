import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { expect, it, onTestFinished } from "vitest";
import {
  type SimulatorOptions,
  startOpenAiCompatible,
} from "../../../../test/simulators/openai-compatible.ts";

async function start(options?: SimulatorOptions) {
  const simulator = await startOpenAiCompatible(options);
  onTestFinished(() => simulator.stop());
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${simulator.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${simulator.key}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  return { simulator, post };
}

const messages = [{ role: "user", content: "hello" }];

it("the AI SDK's client understands the simulator", async () => {
  const { simulator } = await start();
  const model = createOpenAICompatible({
    name: "other",
    baseURL: simulator.url,
    apiKey: simulator.key,
    includeUsage: true,
  }).chatModel("sim-chat");
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "hello there" }] }],
    maxOutputTokens: 50,
  });
  let text = "";
  let finish: unknown;
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "finish") finish = part.finishReason.unified;
  }
  expect(text).toBe("You said: hello there");
  expect(finish).toBe("stop");
});

it.each([
  ["/chat/completions", { model: "m", messages, maxTokens: 1 }],
  ["/chat/completions", { model: "m", messages: [] }],
  [
    "/chat/completions",
    { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
  ],
  ["/chat/completions", { messages }],
  ["/chat/completions", { model: "m", messages, temperature: "1" }],
  ["/images/generations", { model: "m", prompt: "x", n: 0 }],
  ["/images/generations", { model: "m", prompt: "x", negative_prompt: "y" }],
  ["/audio/speech", { model: "m", input: "x" }],
  ["/embeddings", { model: "m", input: "" }],
])("%s refuses %j, and the ledger shows that nothing is billed", async (path, body) => {
  const { simulator, post } = await start();
  expect((await post(path, body)).status).toBe(400);
  expect(simulator.posts).toMatchObject([{ state: "refused", billed: false }]);
});

it("a missing key, another body type and an unknown path are refused", async () => {
  const { post } = await start();
  expect(
    (await post("/chat/completions", { model: "m", messages }, { authorization: "Bearer other" }))
      .status,
  ).toBe(401);
  expect(
    (await post("/chat/completions", { model: "m", messages }, { "content-type": "text/plain" }))
      .status,
  ).toBe(400);
  expect((await post("/audio/transcriptions", { model: "m" })).status).toBe(400);
  expect((await post("/responses", {})).status).toBe(404);
});

it("a server without a key doesn't require one", async () => {
  const { post } = await start({ key: null });
  expect(
    (await post("/embeddings", { model: "m", input: "x" }, { authorization: "" })).status,
  ).toBe(200);
});

it("another process can script it, open its gates and read its ledger", async () => {
  const { simulator, post } = await start();
  const control = new URL("/_control/", simulator.url);
  const tell = (action: string, body: unknown) =>
    fetch(new URL(action, control), { method: "POST", body: JSON.stringify(body) });
  await tell("script", { text: ["a", "b"], gate: { name: "g", at: 0 } });
  const answer = post("/chat/completions", { model: "m", messages, stream: true }).then(
    (response) => response.text(),
  );
  await simulator.reached("g");
  expect(await (await fetch(new URL("posts", control))).json()).toMatchObject([
    { path: "/chat/completions", state: "open", billed: true },
  ]);
  await tell("open", { gate: "g" });
  expect(await answer).toContain('"content":"b"');
});

it("a picture returned as an address is a real PNG of the requested size", async () => {
  const { post } = await start();
  const response = await post("/images/generations", {
    model: "m",
    prompt: "x",
    size: "20x10",
    response_format: "url",
  });
  const { data } = (await response.json()) as { data: { url: string }[] };
  const png = Buffer.from(await (await fetch(data[0]!.url)).arrayBuffer());
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([20, 10]);
});
