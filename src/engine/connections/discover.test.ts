import { expect, it, onTestFinished } from "vitest";
import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { services } from "../../../test/simulators/presets.ts";
import { localServers } from "./discover.ts";

/** Which kinds a server would be taken for, by what it answers to each question. */
async function takenFor(service: Parameters<typeof startOpenAiCompatible>[0]): Promise<string[]> {
  const simulator = await startOpenAiCompatible(service);
  onTestFinished(() => simulator.stop());
  const { origin } = new URL(simulator.url);
  const kinds = localServers.map(async ({ kind, ask, isIt }) => {
    const response = await fetch(`${origin}${ask}`);
    return response.ok && isIt(await response.json()) ? [kind] : [];
  });
  return (await Promise.all(kinds)).flat();
}

it.each(["lmstudio", "llamacpp", "vllm"])(
  "%s is known by what it answers, and taken for nothing else",
  async (kind) => {
    expect(await takenFor(services[kind])).toEqual([kind]);
  },
);

it("LocalAI is known by what it has loaded", async () => {
  const own = { questions: { "/system": { backends: ["llama-cpp"], loaded_models: [] } } };
  expect(await takenFor({ ...services.localai, own })).toEqual(["localai"]);
});

it("a server with the same API and no more is none of them", async () => {
  expect(await takenFor({ key: null })).toEqual([]);
});

it("a program that answers something else at those addresses is none of them", async () => {
  const questions = {
    "/props": {},
    "/system": { backends: [] },
    "/system_stats": [],
    "/api/version": null,
    "/api/v0/models": { data: [] },
  };
  expect(await takenFor({ key: null, own: { questions } })).toEqual([]);
});
