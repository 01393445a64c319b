import { expect, it } from "vitest";
import { foldLetters } from "#domain/text/search-words.ts";
import { patternOf } from "./mark-matches.ts";

const matchesIn = (text: string, q: string): string[] => {
  const letters = foldLetters(text);
  const folded = letters.map(({ letter }) => letter).join("");
  return [...folded.matchAll(patternOf(q)!)].map(({ index, 0: match }) =>
    text.slice(
      letters[index]!.offset,
      (letters[index + match.length - 1]?.offset ?? text.length) + 1,
    ),
  );
};

it("consecutive words are highlighted as the server finds them: without accents, the last as a prefix, none from its middle", () => {
  expect(matchesIn("Le café, café-bar.", "CAFE")).toEqual(["café", "café"]);
  expect(matchesIn("The café: Barcelona", "cafe bar")).toEqual(["café: Bar"]);
  expect(matchesIn("decaf", "caf")).toEqual([]);
  expect(matchesIn("the ﬁne line", "fine")).toEqual(["ﬁne"]);
});

it("a search without letters marks nothing", () => {
  expect(patternOf(" … ")).toBeUndefined();
});
