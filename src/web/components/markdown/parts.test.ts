import { expect, it } from "vitest";
import { estimateHeight, splitParts } from "./parts.ts";
import { emptyDocument, readBlocks } from "./read-blocks.ts";

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, place) => `Paragraph ${place}.`).join("\n\n");

it("splits a text into parts that contain each block once, in order", () => {
  const { blocks } = readBlocks(emptyDocument, paragraphs(100), true);
  expect(splitParts(blocks).flat()).toEqual(blocks);
  expect(splitParts(blocks).length).toBeGreaterThan(3);
});

it("changes only the last part as the text grows", () => {
  const before = readBlocks(emptyDocument, paragraphs(70));
  const after = readBlocks(before, paragraphs(90));
  const closed = splitParts(before.blocks).slice(0, -1);
  const now = splitParts(after.blocks);
  expect(closed.length).toBeGreaterThan(1);
  for (const [index, part] of closed.entries())
    for (const [at, block] of part.entries()) expect(now[index]?.[at]).toBe(block);
});

it("estimates longer texts and more lines as taller", () => {
  const heightOf = (text: string) => estimateHeight(readBlocks(emptyDocument, text, true).blocks);
  expect(heightOf("word ".repeat(100))).toBeGreaterThan(heightOf("word"));
  expect(heightOf("```\na\nb\nc\n```")).toBeGreaterThan(heightOf("```\na\n```"));
});
