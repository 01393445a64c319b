import { expect, it } from "vitest";
import { type OfferingModel, providerToolsOf } from "./provider-switches.ts";

const model = (tools: string[], prices: Record<string, string> = {}): OfferingModel => ({
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(tools.map((tool) => [tool, { type: "boolean" }])),
  },
  prices: Object.entries(prices).map(([unit, micros]) => ({ unit, micros, source: "test", at: 0 })),
});

const offered = (models: OfferingModel[], on: string[] = []) =>
  providerToolsOf(models, (tool) => on.includes(tool));

it("a switch is offered if every selected model's provider has it", () => {
  const both = model(["webSearch", "codeInterpreter"]);
  expect(offered([both]).map(({ tool }) => tool)).toEqual(["webSearch", "codeInterpreter"]);
  expect(offered([both, model(["webSearch"])]).map(({ tool }) => tool)).toEqual(["webSearch"]);
  expect(offered([both, { inputSchema: null, prices: [] }])).toEqual([]);
  expect(offered([])).toEqual([]);
});

it("a switch that is on is offered even if one of the models lacks it", () => {
  const paints = model(["imageTool"], { "tool picture": "40000" });
  expect(offered([paints, model([])])).toEqual([]);
  expect(offered([paints, model([])], ["imageTool"])).toEqual([
    { tool: "imageTool", micros: 40_000 },
  ]);
  expect(offered([model([])], ["imageTool"])).toEqual([]);
});

it("a switch's price is the highest of them, and unknown if one has none", () => {
  const cheap = model(["webSearch"], { "web search": "10000" });
  const dear = model(["webSearch"], { "web search": "25000" });
  expect(offered([cheap, dear])).toEqual([{ tool: "webSearch", micros: 25_000 }]);
  expect(offered([cheap, model(["webSearch"])])).toEqual([{ tool: "webSearch", micros: null }]);
});
