import { expect, it } from "vitest";
import { costOfUsage } from "#domain/money/prices.ts";
import { listedPrices } from "./listed-prices.ts";

const at = Date.UTC(2026, 10, 21, 12);
const rate = (api: string, model: string, unit: string) =>
  listedPrices(api, model, at).find((price) => price.unit === unit);

it("a model is priced at its provider's own address, with its cached tokens", () => {
  const prices = listedPrices("https://api.openai.com/v1", "gpt-4o-mini", at);
  expect(prices).toContainEqual({
    unit: "input token",
    micros: "0.15",
    source: "genai-prices",
    at,
  });
  expect(prices).toContainEqual({
    unit: "cached input token",
    micros: "0.075",
    source: "genai-prices",
    at,
  });
  expect(prices).toContainEqual({
    unit: "output token",
    micros: "0.6",
    source: "genai-prices",
    at,
  });
  expect(
    costOfUsage(prices, {
      inputTokens: 1_000_000,
      cachedInputTokens: 400_000,
      outputTokens: 100_000,
    }),
  ).toBe(180_000);
});

it("a cloud model is priced at each region's address, and through a profile over it", () => {
  const api = "https://bedrock-runtime.eu-central-1.amazonaws.com";
  expect(rate(api, "amazon.nova-pro-v1:0", "input token")).toMatchObject({ micros: "0.8" });
  expect(rate(api, "eu.amazon.nova-pro-v1:0", "output token")).toMatchObject({ micros: "3.2" });
});

it("a rate that rises with the input keeps its tiers", () => {
  const api = "https://generativelanguage.googleapis.com/v1beta/openai";
  expect(rate(api, "gemini-2.5-pro", "input token")).toMatchObject({
    micros: "1.25",
    tiers: [{ fromInputTokens: 200_000, micros: "2.5" }],
  });
});

it("unlisted servers and models, and units that we don't count (sound, pictures), have no price", () => {
  expect(listedPrices("http://127.0.0.1:8080/v1", "gpt-4o-mini", at)).toEqual([]);
  expect(listedPrices("https://api.openai.com/v1", "no-such-model", at)).toEqual([]);
  expect(listedPrices("https://api.openai.com/v1", "gpt-image-1", at)).toEqual([]);
  expect(listedPrices("https://api.groq.com/openai/v1", "whisper-large-v3", at)).toEqual([]);
});

it("Gemini's own API counts sound and pictures separately and has their rates; through another API such a model has no price", () => {
  const api = "https://generativelanguage.googleapis.com/v1beta";
  expect(rate(api, "gemini-2.5-flash", "input audio token")).toMatchObject({ micros: "1" });
  expect(
    rate("https://aiplatform.googleapis.com", "gemini-2.5-flash", "input token"),
  ).toMatchObject({ micros: "0.3" });
  expect(rate(api, "gemini-2.5-flash-image", "output image token")).toMatchObject({ micros: "30" });
  expect(listedPrices(`${api}/openai`, "gemini-2.5-flash-image", at)).toEqual([]);
});
