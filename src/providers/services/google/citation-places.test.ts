import { expect, it } from "vitest";
import { placedCitations } from "./citation-places.ts";

const page = { url: "https://example.org/found", title: "What was found" };

it("a place in bytes of a part becomes a place in the answer, if its text is there", () => {
  const find = (segment: object) =>
    placedCitations(
      {
        groundingChunks: [{ web: { uri: page.url, title: page.title } }],
        groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      },
      "Süße 🍒 trees.",
    );
  expect(find({ endIndex: 6, text: "Süße" })).toEqual([{ ...page, start_index: 0, end_index: 4 }]);
  expect(find({ startIndex: 7, endIndex: 11, text: "🍒" })).toEqual([
    { ...page, start_index: 5, end_index: 7 },
  ]);
  // Counted from the start of a later part.
  expect(find({ endIndex: 6, text: "trees." })).toEqual([]);
  expect(find({ text: "Süße" })).toEqual([]);
});
