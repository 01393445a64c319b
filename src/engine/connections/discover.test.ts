import { expect, it, onTestFinished } from "vitest";
import { startLlama } from "../../../test/simulators/llamacpp.ts";
import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { services } from "../../../test/simulators/presets.ts";
import { startVllm } from "../../../test/simulators/vllm.ts";
import { identifyServer, localServers } from "./discover.ts";

/** The kinds that a server's responses would be recognized as. */
async function doorsOf(origin: string): Promise<string[]> {
  const kinds = localServers.map(async (server) => {
    const response = await fetch(`${origin}${server.ask}`);
    const body: unknown = await response.json();
    const door = identifyServer(server, response.status, response.headers, body);
    return door ? [door === "open" ? server.kind : `${server.kind}, ${door}`] : [];
  });
  return [...new Set((await Promise.all(kinds)).flat())];
}

async function takenFor(service: Parameters<typeof startOpenAiCompatible>[0]): Promise<string[]> {
  const simulator = await startOpenAiCompatible(service);
  onTestFinished(() => simulator.stop());
  return doorsOf(new URL(simulator.url).origin);
}

async function llamaTakenFor(options: Parameters<typeof startLlama>[0]): Promise<string[]> {
  const simulator = await startLlama(options);
  onTestFinished(() => simulator.stop());
  return doorsOf(new URL(simulator.url).origin);
}

it.each(["lmstudio", "llamacpp", "vllm"])(
  "%s is recognized by its answers, and not mistaken for another",
  async (kind) => {
    expect(await takenFor(services[kind])).toEqual([kind]);
  },
);

it("LocalAI is recognized by its loaded models", async () => {
  const own = { questions: { "/system": { backends: ["llama-cpp"], loaded_models: [] } } };
  expect(await takenFor({ ...services.localai, own })).toEqual(["localai"]);
});

it("a server with only the common API is recognized as none of them", async () => {
  expect(await takenFor({ key: null })).toEqual([]);
});

it("a program with other answers at those addresses is recognized as none of them", async () => {
  const questions = {
    "/props": {},
    "/system": { backends: [] },
    "/system_stats": [],
    "/api/version": null,
    "/api/v0/models": { data: [] },
  };
  expect(await takenFor({ key: null, own: { questions } })).toEqual([]);
});

it("llama.cpp is looked for at its current and its former port", () => {
  const ports = localServers
    .filter(({ kind }) => kind === "llamacpp")
    .map(({ address }) => new URL(address).port);
  expect(ports).toEqual(["9931", "8080"]);
});

it("a llama.cpp router is recognized as llama.cpp", async () => {
  expect(await llamaTakenFor({ isRouter: true })).toEqual(["llamacpp"]);
  expect(await llamaTakenFor({ isLoading: true })).toEqual(["llamacpp, loading"]);
});

it("a server that requires a key is recognized, together with that requirement", async () => {
  expect(await llamaTakenFor({ key: "secret" })).toContain("llamacpp, locked");
  expect(await takenFor({ ...services.lmstudio, key: "secret" })).toContain("lmstudio, locked");
  const vllm = await startVllm({ key: "secret" });
  onTestFinished(() => vllm.stop());
  expect(await doorsOf(new URL(vllm.url).origin)).toEqual(["vllm, locked"]);
});
