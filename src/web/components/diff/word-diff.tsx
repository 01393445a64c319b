import { type ReactNode, useMemo } from "react";
import { diffWords } from "#domain/text/diff-words.ts";
import styles from "./word-diff.module.css";

type WordDiffProps = {
  first: string;
  second: string;
  /** Shown for texts too long to compare word by word. */
  tooLong: ReactNode;
};

/** Removed text starts no line of its own, because the replacement takes its place. */
const withoutBreak = (text: string): string => text.replace(/\s*\n\s*$/u, " ");

/** The second text, with additions underlined and removed text struck out. */
export function WordDiff({ first, second, tooLong }: WordDiffProps) {
  const pieces = useMemo(() => diffWords(first, second), [first, second]);
  if (!pieces) return tooLong;
  return (
    <p className={styles.plain}>
      {pieces.map(({ text, in: where }, index) => {
        const key = `${index} ${where}`;
        if (where === "both") return <span key={key}>{text}</span>;
        if (where === "second") return <ins key={key}>{text}</ins>;
        const isReplaced = pieces[index + 1]?.in === "second";
        return <del key={key}>{isReplaced ? withoutBreak(text) : text}</del>;
      })}
    </p>
  );
}
