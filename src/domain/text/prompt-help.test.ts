import { expect, it } from "vitest";
import { readPromptAnswer } from "./prompt-help.ts";

it("text that a model puts around its prompt is removed, and quotation marks inside it stay", () => {
  expect(readPromptAnswer("  a red boat\n")).toBe("a red boat");
  expect(readPromptAnswer('"a red boat"')).toBe("a red boat");
  expect(readPromptAnswer("```text\na red boat\n```")).toBe("a red boat");
  expect(readPromptAnswer('"stop" on a sign that says "go"')).toBe(
    '"stop" on a sign that says "go"',
  );
  expect(readPromptAnswer("a sign “open” {red|green}")).toBe("a sign “open” {red|green}");
});
