import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { asFormInput, whyNoBatch } from "./embedding-batch.ts";

const reach = { most: 2, tokens: true } as const;

it("a batch is texts or tokens, none empty, and no more than its service accepts at once", () => {
  const taken = [["a"], ["a", "b"], [[1], [2, 3]]];
  for (const input of taken) expect(whyNoBatch("embedding", { input }, reach)).toBeNull();
  const refused = [
    [],
    ["a", ""],
    ["a", [1]],
    [[1], []],
    [[1], [1.5]],
    [[-1]],
    [{ a: 1 }],
    ["x".repeat(limits.promptCharacters + 1)],
    ["a", "b", "c"],
  ];
  for (const input of refused)
    expect(whyNoBatch("embedding", { input }, reach)).toEqual(expect.any(String));
  expect(whyNoBatch("embedding", { input: [[1]] }, { most: 2 })).toMatch(/not tokens/);
  expect(whyNoBatch("embedding", { input: ["a", "b"] }, undefined)).toMatch(/at most 1/);
});

it("only an embedding with several texts is checked text by text", () => {
  expect(asFormInput("embedding", { input: ["a", "b"], dimensions: 3 })).toEqual({
    input: "a",
    dimensions: 3,
  });
  expect(asFormInput("embedding", { input: [] })).toEqual({ input: [] });
  expect(asFormInput("speech", { input: ["a"] })).toEqual({ input: ["a"] });
});
