import { validate, version } from "uuid";
import { expect, test } from "vitest";
import { createIds } from "./ids.ts";

test("IDs are UUIDs of version 7, unique, and sort in order of creation", () => {
  const moments = [1_000, 1_000, 1_001, 999, 500, 1_002, 90_000_000];
  let calls = 0;
  const ids = createIds(() => 1_700_000_000_000 + moments[Math.floor(calls++ / 1_000)]!);
  const made = Array.from({ length: moments.length * 1_000 }, ids);
  expect(made.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
});

test("an ID starts with its millisecond, and its remainder is unpredictable", () => {
  const begun = Array.from({ length: 300 }, () => createIds(() => 0x0123456789ab)());
  expect(begun.every((id) => id.startsWith("01234567-89ab-7"))).toBe(true);
  expect(new Set(begun.map((id) => id.slice(15))).size).toBe(300);
  const ids = createIds(() => 0x0123456789ab);
  expect(new Set(Array.from({ length: 1_000 }, ids).map((id) => id.slice(-10))).size).toBe(1_000);
});
