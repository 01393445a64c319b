import { expect, it } from "vitest";
import { archiveSchemas } from "./archive.ts";
import { limits } from "./limits.ts";

const { expansion } = archiveSchemas.runs.shape;

it("an archive accepts the longest template and the most sources that a run is admitted with", () => {
  const longest = "x".repeat(limits.promptCharacters);
  const values = Array.from({ length: limits.promptPlaces }, () => "x");
  const most = { template: longest, values: [longest, ...values.slice(1)], index: 0, count: 1 };
  expect(expansion.safeParse(most).success).toBe(true);
  expect(expansion.safeParse({ ...most, values: [...values, "x"] }).success).toBe(false);
  expect(expansion.safeParse({ ...most, template: `${longest}x` }).success).toBe(false);
});
