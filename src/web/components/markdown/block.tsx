// biome-ignore-all lint/suspicious/noArrayIndexKey: tokens of one lexing never move, so their place is their identity
import type { MarkedToken, Token, Tokens } from "marked";
import { memo, type ReactNode } from "react";
import type { MathsToken } from "#domain/markdown/maths-syntax.ts";
import { CodeBlock } from "./code-block.tsx";
import { Inline } from "./inline.tsx";
import styles from "./markdown.module.css";
import { Maths } from "./maths.tsx";
import { Table } from "./table.tsx";

/** One block. Rerendered only if its token is another object. */
export const Block = memo(function Block({
  token: generic,
  isOpen,
}: {
  token: Token;
  isOpen: boolean;
}): ReactNode {
  if (generic.type === "maths") return <Maths tex={(generic as MathsToken).tex} isBlock />;
  const token = generic as MarkedToken;
  switch (token.type) {
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens} />
        </p>
      );
    case "text":
      return <Inline tokens={token.tokens ?? [token]} />;
    case "heading":
      return <Heading {...token} />;
    case "code":
      return (
        <CodeBlock
          code={token.text}
          language={token.lang?.split(/\s/)[0] ?? ""}
          isOpen={isOpen && !isClosedFence(token)}
        />
      );
    case "list":
      return <List {...token} isOpen={isOpen} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} isOpen={isOpen} />
        </blockquote>
      );
    case "table":
      return <Table table={token} isOpen={isOpen} />;
    case "hr":
      return <hr />;
    case "html":
      return <p>{token.raw.trim()}</p>;
    case "space":
    case "def":
      return null;
    default:
      return <Inline tokens={[token]} />;
  }
});

function Blocks({ tokens, isOpen }: { tokens: readonly Token[]; isOpen: boolean }): ReactNode {
  // The tokens of one lexing never move; only the last may still grow.
  return tokens.map((token, index) => (
    <Block key={index} token={token} isOpen={isOpen && index === tokens.length - 1} />
  ));
}

const isClosedFence = ({ raw }: Tokens.Code): boolean =>
  /\n {0,3}(`{3,}|~{3,})[ \t]*\n?$/.test(raw);

/**
 * Every heading is an h2 below the page's single h1. Models skip levels, which breaks navigation by
 * headings.
 */
function Heading({ depth, tokens }: Tokens.Heading) {
  return (
    <h2 className={depth > 2 ? styles.small : undefined}>
      <Inline tokens={tokens} />
    </h2>
  );
}

function List({ ordered, start, items, isOpen }: Tokens.List & { isOpen: boolean }) {
  const lines = items.map((item, index) => (
    <Item key={index} item={item} isOpen={isOpen && index === items.length - 1} />
  ));
  return ordered ? <ol start={start === "" ? undefined : start}>{lines}</ol> : <ul>{lines}</ul>;
}

function Item({ item, isOpen }: { item: Tokens.ListItem; isOpen: boolean }) {
  const tokens = item.tokens.filter(({ type }) => type !== "checkbox");
  if (!item.task) {
    return (
      <li>
        <Blocks tokens={tokens} isOpen={isOpen} />
      </li>
    );
  }
  return (
    <li className={styles.task}>
      <input
        type="checkbox"
        checked={item.checked ?? false}
        disabled
        readOnly
        aria-label={item.text}
      />
      <Blocks tokens={tokens} isOpen={isOpen} />
    </li>
  );
}
