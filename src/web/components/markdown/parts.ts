import type { MarkdownBlock } from "./read-blocks.ts";

const blocksPerPart = 24;
/**
 * Measures of an answer's column, used to estimate the height of a part before its first layout.
 */
const lineCharacters = 72;
const linePx = 26;
const gapPx = 11;

/**
 * Splits a text's blocks into parts that are laid out together. As the text grows, only the last
 * part changes, or a part is added.
 */
export function splitParts(blocks: readonly MarkdownBlock[]): (readonly MarkdownBlock[])[] {
  const parts: (readonly MarkdownBlock[])[] = [];
  for (let at = 0; at < blocks.length; at += blocksPerPart)
    parts.push(blocks.slice(at, at + blocksPerPart));
  return parts;
}

/** The estimated height of blocks, which keeps the scroll bar accurate before they are laid out. */
export function estimateHeight(blocks: readonly MarkdownBlock[]): number {
  const linesOf = ({ token }: MarkdownBlock) =>
    token.raw
      .trim()
      .split("\n")
      .reduce((sum, line) => sum + Math.ceil(line.length / lineCharacters), 0);
  return blocks.reduce((sum, block) => sum + linesOf(block) * linePx + gapPx, 0);
}
