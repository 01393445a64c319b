import { expect, it, onTestFinished } from "vitest";
import { startCohere } from "../../../../test/simulators/cohere.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import {
  keepsTheMediaContract,
  toMedia,
} from "../../../../test/support/contracts/media-contract.ts";
import type { ModelFacts, RunRequest } from "../../adapter.ts";
import { cohere } from "./adapter.ts";

async function start() {
  const simulator = await startCohere();
  const connection = {
    kind: "cohere",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  return { simulator, origin: simulator.url, connection };
}
async function build() {
  const { simulator, origin, connection } = await start();
  onTestFinished(() => simulator.stop());
  const { context, warnings } = buildContext({ origin, connection });
  return {
    simulator,
    context,
    warnings,
    ask: (request: RunRequest) => collect(cohere.answer!(request, context)),
  };
}

keepsTheChatContract({
  adapter: cohere,
  start,
  model: "command-sim",
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "wrong-key-of-somebody",
});

it("a text file is sent as a document, and its citations come back as sources", async () => {
  const { simulator, ask } = await build();
  const file = buildFile("notes.txt", "text/plain", "Foxes sleep by day.");
  const turns: RunRequest["turns"] = [
    {
      role: "user",
      parts: [
        { type: "text", text: "when?" },
        { type: "file", file },
      ],
    },
  ];
  const { error, parts } = await ask(
    buildRequest({ model: { id: "command-sim", inputSchema: null, capabilities: {} }, turns }),
  );
  expect(error).toBeNull();
  expect(simulator.posts).toMatchObject([
    {
      body: {
        messages: [{ role: "user", content: "when?" }],
        documents: [{ data: { title: "notes.txt", text: "Foxes sleep by day." } }],
      },
    },
  ]);
  expect(parts.filter(({ type }) => type === "source")).toEqual([
    { type: "source", title: "notes.txt", document: "notes.txt" },
  ]);
  const shaped = {
    ...buildRequest({ turns }),
    answerShape: { name: "a", schema: { type: "object", properties: {} } },
  };
  expect((await (await build()).ask(shaped)).error).toBeNull();
});

it("a program's penalties are sent, and those outside Cohere's range are left out by name", async () => {
  const { simulator, ask, warnings } = await build();
  const { error } = await ask({
    ...buildRequest({ model: { id: "command-sim", inputSchema: null, capabilities: {} } }),
    passed: { top_k: 5, frequency_penalty: 0.5, presence_penalty: -1 },
  });
  expect(error).toBeNull();
  expect(simulator.posts[0]!.body).toMatchObject({ k: 5, frequency_penalty: 0.5 });
  expect(simulator.posts[0]!.body).not.toHaveProperty("presence_penalty");
  expect(warnings).toMatchObject([{ type: "unsupported", feature: "presence_penalty" }]);
});

it("an embedding is one POST with its purpose", async () => {
  const { simulator, ask } = await build();
  const request = buildRequest({
    task: "embedding",
    model: { id: "embed-sim", inputSchema: null, capabilities: {} },
    turns: [],
    input: { input: "a fox", inputType: "clustering", outputDimension: 256 },
  });
  const { files, finish, error } = await ask(request);
  expect(error).toBeNull();
  expect(JSON.parse(String(files[0]!.bytes))).toMatchObject({ embedding: [0.1, 0.2, 0.3] });
  expect(finish).toMatchObject({ usage: { inputTokens: 4 } });
  expect(simulator.posts).toMatchObject([
    { body: { texts: ["a fox"], input_type: "clustering", output_dimension: 256 } },
  ]);
});

it("models follow from their endpoints and features, over every page", async () => {
  const { context } = await build();
  const models: ModelFacts[] = [];
  for await (const page of cohere.models(context)) models.push(...page);
  expect(models).toMatchObject([
    {
      id: "command-sim",
      tasks: ["chat"],
      limits: { contextTokens: 256_000 },
      capabilities: { imageInput: true, tools: true, reasoning: true },
    },
    { id: "embed-sim", tasks: ["embedding"] },
  ]);
});

keepsTheMediaContract({
  adapter: cohere,
  start,
  requests: [
    ["a vector", toMedia("embedding", "embed-sim", { input: "a fox", inputType: "clustering" })],
  ],
});

it("several inputs are one request, and one file with a packed vector each", async () => {
  const { simulator, ask } = await build();
  const { files, error } = await ask(
    buildRequest({
      task: "embedding",
      model: { id: "embed-sim", inputSchema: null, capabilities: {} },
      turns: [],
      input: { input: ["fox", "badger"], inputType: "search_document" },
    }),
  );
  expect(error).toBeNull();
  expect(simulator.posts).toHaveLength(1);
  expect(JSON.parse(files[0]!.bytes!.toString())).toEqual({
    model: "embed-sim",
    dimensions: 3,
    encoding: "base64",
    embeddings: [expect.any(String), expect.any(String)],
  });
});
