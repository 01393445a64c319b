import { expect, it } from "vitest";
import { naturalKey } from "./natural-key.ts";

it("orders numbers by value wherever they are in a text", () => {
  const texts = ["take 10", "take 2", "take", "img1200b", "img300c", "2 boats", "10 boats"];
  const ordered = texts.toSorted((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1));
  expect(ordered).toEqual([
    "2 boats",
    "10 boats",
    "img300c",
    "img1200b",
    "take",
    "take 2",
    "take 10",
  ]);
});

it("has keys of a limited length for numbers of any length", () => {
  expect(naturalKey("007")).toBe(naturalKey("7"));
  expect(naturalKey(`a${"1".repeat(200)}b`)).toBe(`a${"1".repeat(20)}b`);
});
