import { memo, useState } from "react";
import { classes } from "../../ui/classes.ts";
import { Block } from "./block.tsx";
import styles from "./markdown.module.css";
import { estimateHeight, splitParts } from "./parts.ts";
import {
  emptyDocument,
  type MarkdownBlock,
  type MarkdownDocument,
  readBlocks,
} from "./read-blocks.ts";

export type MarkdownProps = {
  text: string;
  /** More text may arrive: the last block is open. */
  isStreaming?: boolean;
  className?: string;
};

/**
 * Renders a model's text, in the same way while it streams and afterwards. Elements come from the
 * lexer's tokens, never from HTML. As the text grows, only the last block is lexed and rendered
 * again, and off-screen parts of a long text aren't laid out.
 */
export function Markdown({ text, isStreaming = false, className }: MarkdownProps) {
  const parts = splitParts(useDocument(text, isStreaming).blocks);
  return (
    <div className={classes(styles.markdown, className)}>
      {parts.map((blocks, index) => (
        <Part
          key={blocks[0]?.start}
          blocks={blocks}
          isOpen={isStreaming && index === parts.length - 1}
          isAtEnd={index >= parts.length - partsAtEnd}
        />
      ))}
    </div>
  );
}

/**
 * A thread opens at its end. With estimated heights there, everything on screen would move once the
 * real heights are known.
 */
const partsAtEnd = 2;

type PartProps = { blocks: readonly MarkdownBlock[]; isOpen: boolean; isAtEnd: boolean };

/**
 * Consecutive blocks, laid out when they come near the screen; those at the end are laid out
 * immediately.
 */
const Part = memo(function Part({ blocks, isOpen, isAtEnd }: PartProps) {
  return (
    <div
      className={classes(styles.part, !isAtEnd && styles.later)}
      style={{ containIntrinsicHeight: `auto ${estimateHeight(blocks)}px` }}
    >
      {blocks.map(({ start, token }, index) => (
        <Block key={start} token={token} isOpen={isOpen && index === blocks.length - 1} />
      ))}
    </div>
  );
}, isSamePart);

function isSamePart(before: PartProps, after: PartProps): boolean {
  const isSameLength = before.blocks.length === after.blocks.length;
  return (
    before.isOpen === after.isOpen &&
    before.isAtEnd === after.isAtEnd &&
    isSameLength &&
    before.blocks.every((block, index) => block === after.blocks[index])
  );
}

/** The current text's blocks, derived from the previous text's. */
function useDocument(text: string, isStreaming: boolean): MarkdownDocument {
  const [read, setRead] = useState(() => ({
    text,
    isStreaming,
    document: readBlocks(emptyDocument, text, !isStreaming),
  }));
  if (read.text === text && read.isStreaming === isStreaming) return read.document;
  const document = readBlocks(read.document, text, !isStreaming);
  setRead({ text, isStreaming, document });
  return document;
}
