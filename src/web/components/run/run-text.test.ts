import { expect, it } from "vitest";
import { savedText } from "./run-text.ts";

it("a run's text is its answer, or the text of its result", () => {
  expect(
    savedText({ result: { parts: [{ type: "text", text: "an answer" }], text: "another" } }),
  ).toBe("an answer");
  expect(savedText({ result: { text: "what a workflow said" } })).toBe("what a workflow said");
  expect(savedText({ result: { dimensions: 3 } })).toBe("");
  expect(savedText({ result: null })).toBe("");
});
