import { expect, it } from "vitest";
import { costOfUsage } from "#domain/money/prices.ts";
import { readOwnPrice, writeOwnPrice } from "./own-price.ts";

const chat = { tasks: ["chat" as const] };
const picture = { tasks: ["image" as const] };
const nothing = { input: "", output: "", unit: "image" as const, amount: "" };
const priced = (prices: { unit: string; micros: string }[]) =>
  prices.map((price) => ({ ...price, source: "person", at: 0 }));

it("dollars per million tokens equal micro-dollars per token, and cost the same", () => {
  const prices = readOwnPrice(chat, { ...nothing, input: "0.15", output: "3" })!;
  expect(costOfUsage(priced(prices), { inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(
    3_150_000,
  );
});

it("dollars per unit equal micro-dollars per unit", () => {
  expect(readOwnPrice(picture, { ...nothing, unit: "megapixel", amount: "0.025" })).toEqual([
    { unit: "megapixel", micros: "25000" },
  ]);
});

it("an incomplete price is no price", () => {
  expect(readOwnPrice(chat, { ...nothing, input: "1" })).toBeUndefined();
  expect(readOwnPrice(picture, { ...nothing, amount: "a few cents" })).toBeUndefined();
});

it("a price is shown as typed", () => {
  const typed = { ...nothing, input: "0.15", output: "3" };
  expect(writeOwnPrice({ ...chat, prices: priced(readOwnPrice(chat, typed)!) })).toMatchObject({
    input: "0.15",
    output: "3",
  });
  const each = { ...nothing, unit: "megapixel" as const, amount: "0.025" };
  expect(writeOwnPrice({ ...picture, prices: priced(readOwnPrice(picture, each)!) })).toMatchObject(
    { unit: "megapixel", amount: "0.025" },
  );
});
