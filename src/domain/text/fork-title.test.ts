import { expect, it } from "vitest";
import { forkTitle } from "./fork-title.ts";

it("a fork has its source’s title with the next number", () => {
  expect(forkTitle("Cover ideas", 120)).toBe("Cover ideas (2)");
  expect(forkTitle("Cover ideas (2)", 120)).toBe("Cover ideas (3)");
  expect(forkTitle("", 120)).toBe("");
});

it("a long title is shortened so that the number fits", () => {
  expect(forkTitle("x".repeat(20), 20)).toBe(`${"x".repeat(15)}… (2)`);
  expect(forkTitle("😀".repeat(10), 20)).toBe(`${"😀".repeat(7)}… (2)`);
});
