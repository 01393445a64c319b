import fc from "fast-check";
import { expect, it } from "vitest";
import { asTemplate, expandPrompt, listNamePattern, listsIn } from "./prompt-template.ts";

const colors = new Map([["colors", ["red", "green", "blue"]]]);
/** All prompts of a template. */
const all = (template: string, lists = colors): string[] => {
  const { count, at } = expandPrompt(template, lists);
  return Array.from({ length: count }, (_, index) => at(index, 1).prompt);
};

it("a choice expands to each of its texts, and two choices to every pair", () => {
  expect(all("a {red|green} boat")).toEqual(["a red boat", "a green boat"]);
  expect(all("{a|b} {1|2|3}")).toEqual(["a 1", "a 2", "a 3", "b 1", "b 2", "b 3"]);
  expect(expandPrompt("{a|b} at {1|2}").at(2, 0).values).toEqual(["b", "1"]);
});

it("an empty option is an option, and a choice may contain others", () => {
  expect(all("{|dark }sea")).toEqual(["sea", "dark sea"]);
  expect(all("{a|b {1|2}} x")).toEqual(["a x", "b 1 x", "b 2 x"]);
});

it("a list expands to each of its items, with its name in any case", () => {
  expect(all("a __Colors__ boat")).toEqual(["a red boat", "a green boat", "a blue boat"]);
  expect(all("{__colors__|no} boat")).toHaveLength(4);
});

it("a list's name matches however its accents are encoded", () => {
  expect(all("__cafe\u0301__", new Map([["caf\u00e9", ["x", "y"]]]))).toEqual(["x", "y"]);
  expect(listNamePattern.test("a_b-c")).toBe(true);
  for (const name of ["", "_a", "a__b", "a_", "a b", "x".repeat(61)])
    expect(listNamePattern.test(name)).toBe(false);
});

it("other text stays as typed: a single option, an open brace, an unknown list, JSON", () => {
  for (const text of [
    "{name}",
    "a {b",
    "a } b",
    "{a|b",
    "a | b",
    "__none__",
    "__",
    "{?}",
    "{}",
    'x {"a": 1}',
  ])
    expect(all(text)).toEqual([text]);
  expect(all("{a|{b|c}")).toEqual(["{a|b", "{a|c"]);
  expect(all('{"scene": "day|night", "list": ["{a|b}"]}')).toHaveLength(1);
  expect(expandPrompt("__none__ and __colors__", colors).missing).toEqual(["none"]);
  expect(listsIn("__a__ {__b__|c} \\__d__")).toEqual(["a", "b"]);
});

it("an unclosed choice is reported, and so is an empty one; braces without a bar are neither", () => {
  const told = (template: string) => {
    const { isUnclosed, hasEmpty } = expandPrompt(template, colors);
    return [isUnclosed && "unclosed", hasEmpty && "empty"].filter(Boolean).join(" ");
  };
  for (const text of ["{a|b", "{a|{b|c}", "{a|b {c|d} e", "{?a|b", "}{a|b"])
    expect([text, told(text)]).toEqual([text, "unclosed"]);
  for (const text of ["{a|}", "{|}", "{a||b}", "{a| }", "{?a|}", "{a|{b|}}"])
    expect([text, told(text)]).toEqual([text, "empty"]);
  expect(told("{a|} {b|c")).toBe("unclosed empty");
  for (const text of [
    "{a|b}",
    "a {b",
    "a {b {c|d}",
    "{}",
    "a | b {",
    "a|b}",
    "\\{a|b",
    "{a\\|b",
    "{__colors__|b}",
    '{"a": "{b|", "c": "|"}',
  ])
    expect([text, told(text)]).toEqual([text, ""]);
});

it("a backslash makes a brace, a bar or underscores text, and is text itself elsewhere", () => {
  expect(all("\\{a\\|b\\}")).toEqual(["{a|b}"]);
  expect(all("\\__colors__")).toEqual(["__colors__"]);
  expect(all("C:\\new \\\\")).toEqual(["C:\\new \\\\"]);
});

it("a choice by seed is the same for the same seed, and differs between seeds", () => {
  const { count, usesSeed, at } = expandPrompt("a {?red|green|blue} {?1|2} boat");
  expect([count, usesSeed]).toEqual([1, true]);
  expect(at(0, 5)).toEqual(at(0, 5));
  const seen = new Set(Array.from({ length: 200 }, (_, seed) => at(0, seed).prompt));
  expect(seen.size).toBe(6);
  expect(expandPrompt("{?__colors__}", colors).at(0, 3).prompt).toMatch(/^(red|green|blue)$/);
});

it("options inside a choice by seed aren't counted", () => {
  expect(expandPrompt("{?a {1|2}|b} {x|y}").count).toBe(2);
});

it("prompts beyond the largest safe number are counted without being made", () => {
  expect(expandPrompt("{a|b}".repeat(5_000)).count).toBe(Number.POSITIVE_INFINITY);
  expect(expandPrompt(`${"{".repeat(10_000)}a|b${"}".repeat(10_000)}`).count).toBe(1);
});

it("every text has a template that stands for it alone", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "{", "}", "|", "_", "\\", "?", " ") }),
      (text) => {
        expect(all(asTemplate(text))).toEqual([text]);
      },
    ),
  );
});

it("a template of plain words has as many prompts as the product of its choices, all different", () => {
  const word = fc.stringMatching(/^[a-z]{1,3}$/);
  const choice = fc.uniqueArray(word, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(choice, { maxLength: 4 }), (choices) => {
      const prompts = all(choices.map((options) => `{${options.join("|")}}`).join(" "));
      expect(prompts).toHaveLength(choices.reduce((product, { length }) => product * length, 1));
      expect(new Set(prompts).size).toBe(prompts.length);
    }),
  );
});

it("any text expands without an error, to as many prompts as were counted", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("a", "{", "}", "|", "__colors__", "\\", "?"),
        maxLength: 24,
      }),
      fc.nat(),
      (text, seed) => {
        const { count, at } = expandPrompt(text, colors);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(typeof at(Math.min(count - 1, 999), seed).prompt).toBe("string");
      },
    ),
  );
});
