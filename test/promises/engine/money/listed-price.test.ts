import { expect, it } from "vitest";
import { connect } from "#engine/connections/connect.ts";
import { usableModel } from "#engine/connections/usable-model.ts";
import type { Adapter, ModelFacts } from "#providers/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import type { listModels } from "#store/models/list-models.ts";
import { createTestDatabase } from "../../../support/databases/databases.ts";
import { createInstance } from "../../../support/server/instance.ts";

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

/** OpenAI's own address, without calling it. */
const unpriced: Adapter = {
  ...openaiCompatible,
  check: async () => ({ message: "It answers." }),
  async *models() {
    yield [facts, { ...facts, id: "gpt-4o", prices: told }, { ...facts, id: "unheard-of" }];
  },
};

it("a model without a provider price has the listed one, a priced one keeps its own, and an unknown one has none", async () => {
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    adapters: [unpriced],
    endsWithTest: true,
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const values = { api: "https://api.openai.com/v1", key: "k" };
  await connect(instance.engineDeps, {
    kind: "openai-compatible",
    name: "OpenAI",
    scope: "instance",
    userId: person.user.id,
    values,
  });
  const { body } = await person.call<Awaited<ReturnType<typeof listModels>>>("listModels", {
    query: { projectId: person.projectId },
  });
  const pricesOf = (id: string) => body.models.find(({ modelId }) => modelId === id)?.prices;
  expect(pricesOf("gpt-4o-mini")).toContainEqual({
    unit: "output token",
    micros: "0.6",
    source: "genai-prices",
    at: expect.any(Number),
  });
  expect(pricesOf("gpt-4o")).toEqual(told);
  expect(pricesOf("unheard-of")).toEqual([]);
});

it.each([
  ["a hosted address has the listed price", "https://api.openai.com/v1", "0.6"],
  ["an address of one's own costs nothing", "http://127.0.0.1:8000/v1", "0"],
])("the software of a free server at %s", async (_, api, micros) => {
  const server: Adapter = { ...unpriced, free: true };
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    adapters: [server],
    endsWithTest: true,
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const asked = {
    kind: server.kind,
    name: "GPU",
    scope: "instance",
    userId: person.user.id,
    values: { api, key: "k" },
  } as const;
  const { connection } = await connect(instance.engineDeps, asked);
  const ref = { connectionId: connection.id, modelId: "gpt-4o-mini" };
  const model = await usableModel(
    instance.engineDeps,
    { userId: person.user.id },
    person.projectId,
    ref,
  );
  expect(model.prices).toContainEqual(expect.objectContaining({ micros }));
  expect(model.prices.every((price) => price.micros === "0")).toBe(micros === "0");
});
