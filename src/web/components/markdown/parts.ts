import type { MarkdownBlock } from "./read-blocks.ts";

const blocksPerPart = 24;
/** Of an answer's column: what a part takes before it was ever laid out. */
const lineCharacters = 72;
const linePx = 26;
const gapPx = 11;

/** A text's blocks in parts that are laid out together; as the text grows only the last part changes, or one is added. */
export function splitParts(blocks: readonly MarkdownBlock[]): (readonly MarkdownBlock[])[] {
  const parts: (readonly MarkdownBlock[])[] = [];
  for (let at = 0; at < blocks.length; at += blocksPerPart)
    parts.push(blocks.slice(at, at + blocksPerPart));
  return parts;
}

/** About how high they will be, so that the scroll bar tells the truth before they are laid out. */
export function estimateHeight(blocks: readonly MarkdownBlock[]): number {
  const linesOf = ({ token }: MarkdownBlock) =>
    token.raw
      .trim()
      .split("\n")
      .reduce((sum, line) => sum + Math.ceil(line.length / lineCharacters), 0);
  return blocks.reduce((sum, block) => sum + linesOf(block) * linePx + gapPx, 0);
}
