import { expect, it } from "vitest";
import { splitMatches } from "./split-matches.ts";

const marked = (text: string, q: string) =>
  splitMatches(text, q)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join("");

it("starts of words are highlighted in any case", () => {
  expect(marked("The tide and the Tidal chart; betide", "tid")).toBe(
    "The [tid]e and the [Tid]al chart; betide",
  );
});

it("characters of regular expressions are text", () => {
  expect(marked("cost (about) $5", "(about")).toBe("cost ([about]) $5");
  expect(marked("as it is", "...")).toBe("as it is");
});
