import { expect, it } from "vitest";
import { buildFile, buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { buildAttempt } from "../../../../test/support/services/openai-compatible.ts";
import type { ChatTurn } from "../../adapter.ts";
import { answerChat } from "./chat.ts";

const lastMessages = (posts: { body: unknown }[]) =>
  (posts.at(-1)!.body as { messages: unknown[] }).messages;
const withFiles = (...files: ReturnType<typeof buildFile>[]): ChatTurn[] => [
  {
    role: "user",
    parts: [
      { type: "text", text: "look" },
      ...files.map((file) => ({ type: "file" as const, file })),
    ],
  },
];

it("an answer streams its reasoning and text, ends with its usage, and is one POST", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  simulator.script({ text: ["Hello", " wide", " world"], reasoning: ["Let me", " think."] });
  const answer = await collect(answerChat(buildRequest(), context));
  expect(answer).toMatchObject({
    text: "Hello wide world",
    reasoning: "Let me think.",
    error: null,
  });
  expect(answer.parts.filter((part) => part.type === "text")).toHaveLength(3);
  expect(answer.parts.at(-1)).toEqual({
    type: "finish",
    reason: "stop",
    usage: { inputTokens: 2, outputTokens: 5, reasoningTokens: 2 },
  });
  expect(simulator.posts).toMatchObject([
    { path: "/chat/completions", state: "answered", billed: true },
  ]);
  expect(warnings).toEqual([]);
});

it("each delta is emitted as it arrives, before the next exists", async () => {
  const { simulator, context } = await buildAttempt();
  simulator.script({ text: ["one", "two"], gate: { name: "second", at: 1 } });
  const parts = answerChat(buildRequest(), context)[Symbol.asyncIterator]();
  expect((await parts.next()).value).toEqual({ type: "text", text: "one" });
  simulator.open("second");
  expect((await parts.next()).value).toEqual({ type: "text", text: "two" });
});

it("consecutive answers reuse connections", async () => {
  const { simulator, context } = await buildAttempt({ outbound: { onePost: false } });
  for (let count = 0; count < 6; count++) await collect(answerChat(buildRequest(), context));
  // Two rather than one, because the end of one answer may still be in transit when the next
  // request is sent.
  expect(simulator.connections()).toBeLessThanOrEqual(2);
});

it("settings use the API's names, and unset ones are not sent", async () => {
  const { simulator, context } = await buildAttempt();
  const input = {
    maxOutputTokens: 7,
    temperature: 0.5,
    topP: 0.9,
    seed: 3,
    stop: ["END", ""],
    reasoningEffort: "low",
  };
  await collect(answerChat(buildRequest({ input }), context));
  expect(simulator.posts[0]!.body).toEqual({
    model: "sim-chat",
    messages: [{ role: "user", content: "hello there" }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 7,
    temperature: 0.5,
    top_p: 0.9,
    seed: 3,
    stop: ["END"],
    reasoning_effort: "low",
  });
});

it("the output limit has the name that the connection chose", async () => {
  const { simulator, context } = await buildAttempt({
    connection: { options: { outputLimitField: "max_completion_tokens" } },
  });
  const answer = await collect(
    answerChat(buildRequest({ input: { maxOutputTokens: 1 } }), context),
  );
  expect(simulator.posts[0]!.body).toMatchObject({ max_completion_tokens: 1 });
  expect(simulator.posts[0]!.body).not.toHaveProperty("max_tokens");
  expect(answer.finish).toMatchObject({ reason: "length" });
});

it("a setting that the model is known to refuse is left out with a warning", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  const model = {
    id: "sim-chat",
    inputSchema: null,
    capabilities: { seed: false, reasoning: false },
  };
  await collect(
    answerChat(buildRequest({ model, input: { seed: 1, reasoningEffort: "high" } }), context),
  );
  expect(simulator.posts[0]!.body).not.toHaveProperty("seed");
  expect(simulator.posts[0]!.body).not.toHaveProperty("reasoning_effort");
  expect(warnings.map((warning) => [warning.type, warning.feature])).toEqual([
    ["unsupported", "reasoningEffort"],
    ["unsupported", "seed"],
  ]);
});

it("the conversation is sent in order, without the reasoning of earlier answers", async () => {
  const { simulator, context } = await buildAttempt();
  const turns: ChatTurn[] = [
    { role: "system", parts: [{ type: "text", text: "Be brief." }] },
    { role: "user", parts: [{ type: "text", text: "one" }] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "two" },
      ],
    },
    { role: "user", parts: [{ type: "text", text: "three" }] },
    { role: "assistant", parts: [{ type: "text", text: "fo" }] },
  ];
  await collect(answerChat(buildRequest({ turns }), context));
  expect(lastMessages(simulator.posts)).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "one" },
    { role: "assistant", content: "two" },
    { role: "user", content: "three" },
    { role: "assistant", content: "fo" },
  ]);
});

it("a picture is sent as a data URL, a text file as a text part, a PDF if the model reads it", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  const turns = withFiles(
    buildFile("a.png", "image/png", "png-bytes"),
    buildFile("notes.md", "text/markdown", "# Títle\n```js\n1\n```"),
    buildFile("b.pdf", "application/pdf", "%PDF-1.7"),
  );
  const model = {
    id: "sim-chat",
    inputSchema: null,
    capabilities: { imageInput: true, pdfInput: true },
  };
  const answer = await collect(answerChat(buildRequest({ turns, model }), context));
  expect(answer.error).toBeNull();
  expect(lastMessages(simulator.posts)).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        {
          type: "image_url",
          image_url: {
            url: `data:image/png;base64,${Buffer.from("png-bytes").toString("base64")}`,
          },
        },
        { type: "text", text: "notes.md:\n````\n# Títle\n```js\n1\n```\n````" },
        {
          type: "file",
          file: {
            filename: "b.pdf",
            file_data: `data:application/pdf;base64,${Buffer.from("%PDF-1.7").toString("base64")}`,
          },
        },
      ],
    },
  ]);
  expect(warnings).toEqual([]);
});

it("text with text files stays one plain string, which every server accepts", async () => {
  const { simulator, context } = await buildAttempt();
  await collect(
    answerChat(buildRequest({ turns: withFiles(buildFile("a.csv", "text/csv", "a,b")) }), context),
  );
  expect(lastMessages(simulator.posts)).toEqual([
    { role: "user", content: "look\n\na.csv:\n```\na,b\n```" },
  ]);
});

it("unreadable files are left out with a warning, and the text is still sent", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  const turns = withFiles(
    buildFile("a.png", "image/png", "x"),
    buildFile("b.pdf", "application/pdf", "x"),
    buildFile("c.heic", "image/heic", "x"),
    buildFile("d.mp4", "video/mp4", "x"),
  );
  const model = { id: "sim-chat", inputSchema: null, capabilities: { imageInput: false } };
  await collect(answerChat(buildRequest({ turns, model }), context));
  expect(lastMessages(simulator.posts)).toEqual([{ role: "user", content: "look" }]);
  expect(warnings.map((warning) => warning.feature)).toEqual([
    "image/png",
    "application/pdf",
    "image/heic",
    "video/mp4",
  ]);
});

it("a message with only unreadable files is refused before anything is sent", async () => {
  const { simulator, context } = await buildAttempt();
  const turns: ChatTurn[] = [
    { role: "user", parts: [{ type: "file", file: buildFile("d.mp4", "video/mp4", "x") }] },
  ];
  const { error } = await collect(answerChat(buildRequest({ turns }), context));
  expect(error).toMatchObject({ code: "provider_invalid_input", accepted: "no" });
  expect(simulator.posts).toEqual([]);
});

it("a text file over 1 MB is cut at a whole character with a warning", async () => {
  const { simulator, context, warnings } = await buildAttempt();
  const turns = withFiles(buildFile("long.txt", "text/plain", `x${"é".repeat(600_000)}`));
  await collect(answerChat(buildRequest({ turns }), context));
  expect((lastMessages(simulator.posts)[0] as { content: string }).content).not.toContain("\ufffd");
  expect(warnings).toMatchObject([{ type: "changed" }]);
});

it("a provider's cost is saved in micro-dollars, an implausible one isn't", async () => {
  const { simulator, context } = await buildAttempt({ outbound: { onePost: false } });
  for (const [cost, expected] of [
    [0.001234, 1234],
    [-1, undefined],
    ["2", undefined],
  ] as const) {
    simulator.script({ usage: { prompt_tokens: 1, completion_tokens: 1, cost } });
    const { finish } = await collect(answerChat(buildRequest(), context));
    expect(finish).toHaveProperty("type", "finish");
    expect((finish as { costMicros?: number }).costMicros).toBe(expected);
  }
});

it.each([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["tool_calls", "tool-calls"],
  ["model_length", "length"],
  ["eos", "stop"],
  ["sim-made-up", "other"],
])("the finish %s is %s", async (finishReason, reason) => {
  const { simulator, context } = await buildAttempt();
  simulator.script({ finishReason });
  expect((await collect(answerChat(buildRequest(), context))).finish).toMatchObject({ reason });
});

it("pictures and sources inside a stream become files and sources", async () => {
  const { simulator, context } = await buildAttempt();
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
  simulator.script({
    fault: {
      kind: "raw",
      body:
        chunk({ content: "See" }) +
        chunk({
          images: [{ type: "image_url", image_url: { url: "data:image/png;base64,cG5n" } }],
        }) +
        chunk({
          annotations: [
            { type: "url_citation", url_citation: { url: "https://a.test/", title: "A" } },
          ],
        }) +
        chunk({}, { finish_reason: "stop" }) +
        "data: [DONE]\n\n",
    },
  });
  const answer = await collect(answerChat(buildRequest(), context));
  expect(answer.error).toBeNull();
  expect(answer.files).toEqual([
    { name: "picture-1", mime: "image/png", bytes: Buffer.from("png") },
  ]);
  expect(answer.parts).toContainEqual({ type: "source", title: "A", url: "https://a.test/" });
});

it("a server that ignores stream and answers whole is understood", async () => {
  const { simulator, context } = await buildAttempt();
  simulator.script({
    fault: {
      kind: "status",
      status: 200,
      body: {
        choices: [{ message: { role: "assistant", content: "whole" }, finish_reason: "stop" }],
      },
    },
  });
  expect(await collect(answerChat(buildRequest(), context))).toMatchObject({
    text: "whole",
    error: null,
    finish: { reason: "stop" },
  });
});

it("unfamiliar lines, an empty error field and a line after the finish don't end an answer", async () => {
  const { simulator, context } = await buildAttempt();
  simulator.script({
    fault: {
      kind: "raw",
      body: [
        ": a sign of life",
        'data: {"type":"ping"}',
        'data: {"choices":[{"delta":{"content":"fine"}}],"error":null}',
        'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
        'data: {"timings":{"ms":3}}',
        "",
      ].join("\n\n"),
    },
  });
  expect(await collect(answerChat(buildRequest(), context))).toMatchObject({
    text: "fine",
    error: null,
    finish: { reason: "stop" },
  });
});
