import { expect, it, onTestFinished } from "vitest";
import { startVllm } from "../../../test/simulators/vllm.ts";
import { buildContext, buildRequest, collect } from "../../../test/support/contracts/attempt.ts";
import { toAdapter } from "./adapter.ts";
import { vllm } from "./local.ts";

const adapter = toAdapter(vllm);

async function build(options: Parameters<typeof startVllm>[0] = {}) {
  const server = await startVllm(options);
  onTestFinished(() => server.stop());
  const connection = {
    kind: "vllm",
    addresses: { api: server.url },
    options: {},
    secret: options.key ?? null,
  };
  const { context } = buildContext({
    origin: new URL(server.url).origin,
    connection,
    outbound: { onePost: true },
  });
  const tasks = async () =>
    (await Array.fromAsync(adapter.models(context))).flat().flatMap((model) => model.tasks);
  return { server, context, tasks };
}

it("a model's task follows from the paths that its server registered", async () => {
  const tasksOf = async (options: Parameters<typeof startVllm>[0]) =>
    (await build(options)).tasks();
  expect(await tasksOf({ serves: "generate", id: "bge-chat" })).toEqual(["chat"]);
  expect(await tasksOf({ serves: "embed" })).toEqual(["embedding"]);
  expect(await tasksOf({ serves: "transcription" })).toEqual(["transcription"]);
  expect(await tasksOf({ serves: "rerank" })).toEqual([]);
});

it("if a server registers all paths, the model's name decides", async () => {
  const tasksOf = async (id: string) => (await build({ id, isOld: true })).tasks();
  expect(await tasksOf("qwen3-8b")).toEqual(["chat"]);
  expect(await tasksOf("bge-m3")).toEqual(["embedding"]);
});

it("its own parameters are sent unchanged", async () => {
  const { server, context } = await build();
  const answer = adapter.answer!(
    buildRequest({
      model: { id: "sim-chat", inputSchema: null, capabilities: {} },
      input: { repeatPenalty: 1.1 },
      passed: { min_tokens: 4, structured_outputs: { choice: ["yes", "no"] } },
    }),
    context,
  );
  expect((await collect(answer)).error).toBeNull();
  expect(adapter.passes).toEqual(expect.arrayContaining(["min_tokens", "structured_outputs"]));
  expect(server.posts.at(-1)!.body).toMatchObject({ min_tokens: 4, repetition_penalty: 1.1 });
});
