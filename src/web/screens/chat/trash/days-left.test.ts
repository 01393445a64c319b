import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { daysLeft } from "./days-left.ts";

const dayMs = 24 * 60 * 60_000;
const trashedAt = 1_795_000_000_000;

it.each([
  ["a moment before it was moved, by a clock of half minutes", -20_000, 30],
  ["at once", 0, 30],
  ["a day and a second later", dayMs + 1_000, 29],
  ["on its last day", limits.trashMs - 1, 1],
  ["once its time is over", limits.trashMs, 0],
  ["long after", limits.trashMs * 2, 0],
])("%s", (_, laterMs, days) => {
  expect(daysLeft({ trashedAt }, trashedAt + laterMs)).toBe(days);
});
