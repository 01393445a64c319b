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

it("letters match with and without accents, as in the search", () => {
  expect(marked("Café au lait", "cafe")).toBe("[Café] au lait");
  expect(marked("Cafe\u0301 au lait", "cafe")).toBe("[Cafe\u0301] au lait");
  expect(marked("a cafe", "CAFÉ")).toBe("a [cafe]");
  expect(marked("the ﬁne 𝐚𝐫𝐜𝐡 at last", "f arch")).toBe("the [ﬁ]ne [𝐚𝐫𝐜𝐡] at last");
  expect(marked("", "cafe")).toBe("");
});
