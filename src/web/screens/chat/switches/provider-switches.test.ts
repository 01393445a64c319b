import { expect, it } from "vitest";
import { type OfferingModel, providerToolsOf } from "./provider-switches.ts";

const model = (tools: string[], prices: Record<string, string> = {}): OfferingModel => ({
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(tools.map((tool) => [tool, { type: "boolean" }])),
  },
  prices: Object.entries(prices).map(([unit, micros]) => ({ unit, micros, source: "test", at: 0 })),
});

it("a switch is offered for what every model that is asked has at its provider", () => {
  const both = model(["webSearch", "codeInterpreter"]);
  expect(providerToolsOf([both]).map(({ tool }) => tool)).toEqual(["webSearch", "codeInterpreter"]);
  expect(providerToolsOf([both, model(["webSearch"])]).map(({ tool }) => tool)).toEqual([
    "webSearch",
  ]);
  expect(providerToolsOf([both, { inputSchema: null, prices: [] }])).toEqual([]);
  expect(providerToolsOf([])).toEqual([]);
});

it("its price is the highest of them, and unknown where one of them has none", () => {
  const cheap = model(["webSearch"], { "web search": "10000" });
  const dear = model(["webSearch"], { "web search": "25000" });
  expect(providerToolsOf([cheap, dear])).toEqual([{ tool: "webSearch", micros: 25_000 }]);
  expect(providerToolsOf([cheap, model(["webSearch"])])).toEqual([
    { tool: "webSearch", micros: null },
  ]);
});
