import fc from "fast-check";
import { expect, it } from "vitest";
import { splitText } from "./split-text.ts";
import { spokenText } from "./spoken-text.ts";

const words = { code: "Code is left out.", maths: "a formula" };
const said = (markdown: string) => spokenText(markdown, words);

it("Markdown is read as plain text", () => {
  expect(
    said(
      "# Tides\n\nThe **moon** pulls, see [the *almanac*](https://example.org/a). It costs $4 &amp; more.",
    ),
  ).toBe("Tides.\n\nThe moon pulls, see the almanac. It costs $4 & more.");
  expect(said("1. first\n2. second\n   - inner\n\n> quoted")).toBe(
    "1. first.\n\n2. second.\n\ninner.\n\nquoted",
  );
  expect(said("| a | b |\n|---|---|\n| 1 | 2 |")).toBe("a, b.\n\n1, 2.");
  expect(said("Use `npm start` ![a chart](/x.png)<br>\n\n---\n\n<div>no</div>")).toBe(
    "Use npm start a chart",
  );
});

it("code and formulas have placeholders, one for consecutive blocks", () => {
  expect(said("Look:\n\n```ts\nconst a = 1;\n```\n\n```sh\nls\n```\n\nand $$x^2$$ is it.")).toBe(
    "Look:\n\nCode is left out.\n\nand a formula is it.",
  );
  expect(said("```ts\nonly()\n```")).toBe("Code is left out.");
});

it("an address is read as its host", () => {
  expect(said("See https://example.org/very/long?path=1 or <mailto:a@example.org>.")).toBe(
    "See example.org or a@example.org.",
  );
});

it("a text is split between paragraphs, then sentences, then words, without loss", () => {
  expect(splitText("One. Two.\n\nThree.", 100)).toEqual(["One. Two.\n\nThree."]);
  expect(splitText("One. Two.\n\nThree.", 12)).toEqual(["One. Two.", "Three."]);
  expect(splitText("One is here. Two is there.", 14)).toEqual(["One is here.", "Two is there."]);
  expect(splitText("aaa bbb ccc", 7)).toEqual(["aaa bbb", "ccc"]);
  expect(splitText("🌊🌊🌊", 5)).toEqual(["🌊🌊", "🌊"]);
  expect(splitText(" \n\n ", 5)).toEqual([]);
});

it("no part is longer than the limit, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.integer({ min: 4, max: 60 }),
      (text, most) => {
        const parts = splitText(text, most);
        expect(parts.every((part) => part.length <= most && part !== "")).toBe(true);
        const bare = (from: string) => from.replace(/\s+/g, "");
        expect(bare(parts.join(""))).toBe(bare(text));
      },
    ),
  );
});
