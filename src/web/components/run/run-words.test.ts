import { expect, it } from "vitest";
import { keptAnswer } from "./run-words.ts";

it("a run's text is its answer, or the text of its result", () => {
  expect(
    keptAnswer({ result: { parts: [{ type: "text", text: "an answer" }], text: "another" } }),
  ).toBe("an answer");
  expect(keptAnswer({ result: { text: "what a workflow said" } })).toBe("what a workflow said");
  expect(keptAnswer({ result: { dimensions: 3 } })).toBe("");
  expect(keptAnswer({ result: null })).toBe("");
});
