import { expect, it } from "vitest";
import type { Adapter, ModelFacts } from "#providers/adapter.ts";
import { openaiCompatible } from "#providers/openai-compatible/adapter.ts";
import type { listModels } from "#store/list-models.ts";
import { createTestDatabase } from "../../support/databases.ts";
import { createInstance } from "../../support/instance.ts";

const facts: ModelFacts = {
  id: "gpt-4o-mini",
  name: "gpt-4o-mini",
  tasks: ["chat"],
  inputModalities: ["text"],
  outputModalities: ["text"],
  inputSchema: null,
  capabilities: {},
  limits: {},
  price: null,
  status: "active",
};
const told = [{ unit: "input token", micros: "7", source: "the provider", at: 0 }];

/** OpenAI's own address, without a call to it. */
const unpriced: Adapter = {
  ...openaiCompatible,
  check: async () => ({ message: "It answers." }),
  async *models() {
    yield [facts, { ...facts, id: "gpt-4o", prices: told }, { ...facts, id: "unheard-of" }];
  },
};

it("a model that its provider does not price has the listed price, one that it prices keeps that, and an unknown one has none", async () => {
  const instance = await createInstance(await createTestDatabase("sqlite"), { adapters: [unpriced], endsWithTest: true });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const values = { api: "https://api.openai.com/v1", key: "k" };
  await instance.engine.connect({ kind: "openai-compatible", name: "OpenAI", scope: "instance", userId: person.user.id, values });
  const { body } = await person.call<Awaited<ReturnType<typeof listModels>>>("listModels", { query: { projectId: person.projectId } });
  const pricesOf = (id: string) => body.models.find(({ modelId }) => modelId === id)?.prices;
  expect(pricesOf("gpt-4o-mini")).toContainEqual({ unit: "output token", micros: "0.6", source: "genai-prices", at: expect.any(Number) });
  expect(pricesOf("gpt-4o")).toEqual(told);
  expect(pricesOf("unheard-of")).toEqual([]);
});
