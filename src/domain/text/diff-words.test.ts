import { expect, it } from "vitest";
import { diffWords } from "./diff-words.ts";

const textOf = (first: string, second: string, without: "first" | "second") =>
  (diffWords(first, second) ?? [])
    .filter((piece) => piece.in !== without)
    .map(({ text }) => text)
    .join("");

it("the pieces of each text join to the text", () => {
  for (const [first, second] of [
    ["a red door", "a blue door with a lamp"],
    ["", "words"],
    ["  two  spaces\n\nand lines", "two spaces"],
    ["same", "same"],
    ["", ""],
  ] as const) {
    expect(textOf(first, second, "second")).toBe(first);
    expect(textOf(first, second, "first")).toBe(second);
  }
});

it("common parts are marked in both texts", () => {
  expect(diffWords("a red door", "a blue door")).toEqual([
    { text: "a ", in: "both" },
    { text: "red ", in: "first" },
    { text: "blue ", in: "second" },
    { text: "door", in: "both" },
  ]);
});

it("very long texts aren't compared word by word", () => {
  expect(diffWords("word ".repeat(3_000), "word")).toBe(null);
});
