import { expect, it } from "vitest";
import { costOfUsage } from "#domain/money/prices.ts";
import { readOwnPrice, writeOwnPrice } from "./own-price.ts";

const chat = { tasks: ["chat" as const] };
const picture = { tasks: ["image" as const] };
const nothing = { input: "", output: "", unit: "image" as const, amount: "" };
const priced = (prices: { unit: string; micros: string }[]) =>
  prices.map((price) => ({ ...price, source: "person", at: 0 }));

it("dollars for a million tokens are micros for each, and cost what was meant", () => {
  const prices = readOwnPrice(chat, { ...nothing, input: "0.15", output: "3" })!;
  expect(costOfUsage(priced(prices), { inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(
    3_150_000,
  );
});

it("dollars for a unit are micros for the unit", () => {
  expect(readOwnPrice(picture, { ...nothing, unit: "megapixel", amount: "0.025" })).toEqual([
    { unit: "megapixel", micros: "25000" },
  ]);
});

it("a price that is not whole is none", () => {
  expect(readOwnPrice(chat, { ...nothing, input: "1" })).toBeUndefined();
  expect(readOwnPrice(picture, { ...nothing, amount: "a few cents" })).toBeUndefined();
});

it("what was set is written as it was typed", () => {
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
