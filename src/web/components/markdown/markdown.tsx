import { useState } from "react";
import { classes } from "../../ui/classes.ts";
import { Block } from "./block.tsx";
import styles from "./markdown.module.css";
import { emptyDocument, type MarkdownDocument, readBlocks } from "./read-blocks.ts";

export type MarkdownProps = {
  text: string;
  /** More may come: the last block is open. */
  isStreaming?: boolean;
  className?: string;
};

/**
 * A model's text: the same renderer while it streams and after. Elements are made from the lexer's tokens, never from HTML;
 * only the last block is lexed and drawn again as the text grows.
 */
export function Markdown({ text, isStreaming = false, className }: MarkdownProps) {
  const { blocks } = useDocument(text, isStreaming);
  return (
    <div className={classes(styles.markdown, className)}>
      {blocks.map(({ start, token }, place) => (
        <Block key={start} token={token} isOpen={isStreaming && place === blocks.length - 1} />
      ))}
    </div>
  );
}

/** The blocks of the present text, made from those of the one before. */
function useDocument(text: string, isStreaming: boolean): MarkdownDocument {
  const [read, setRead] = useState(() => ({ text, isStreaming, document: readBlocks(emptyDocument, text, !isStreaming) }));
  if (read.text === text && read.isStreaming === isStreaming) return read.document;
  const document = readBlocks(read.document, text, !isStreaming);
  setRead({ text, isStreaming, document });
  return document;
}
