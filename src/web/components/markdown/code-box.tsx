// biome-ignore-all lint/suspicious/noArrayIndexKey: pieces of one highlighting never move, and lines are only added at the end
import { memo, type ReactNode, useEffect, useState } from "react";
import { loadOptional } from "../../data/page/stale-page.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { OptionalPart } from "../../ui/part.tsx";
import type { CodePiece } from "./highlight.ts";
import { CodeActions } from "./lazy-actions.ts";
import styles from "./markdown.module.css";

/** Beyond this size, highlighting takes noticeably long. */
const highlightCharacters = 20_000;
const linesPerChunk = 40;

export type CodeBoxProps = {
  code: string;
  /** The fence's first word: "ts". */
  language: string;
  /** The closing fence hasn't arrived yet, so the code isn't highlighted. */
  isOpen?: boolean;
  /** Shown before the box's own actions. */
  acts?: ReactNode;
  /** The reason that the content is shown as code. */
  note?: ReactNode;
};

/** A code box with its actions, highlighted once the code is complete and the page is idle. */
export function CodeBox({ code, language, isOpen = false, acts, note }: CodeBoxProps) {
  const pieces = useHighlight(code, language, isOpen);
  const [isWrapped, setWrapped] = useState(false);
  return (
    <div className={styles.codeBox}>
      <div className={styles.codeHead}>
        <span>{language || t("markdown.code")}</span>
        <span className={styles.acts}>
          {acts}
          {!isOpen && (
            <OptionalPart>
              <CodeActions
                code={code}
                language={language}
                isWrapped={isWrapped}
                onWrap={() => setWrapped(!isWrapped)}
              />
            </OptionalPart>
          )}
          <CopyButton text={code} label={t("markdown.copyCode")} />
        </span>
      </div>
      {note && <p className={styles.codeNote}>{note}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard */}
      <pre className={classes(styles.pre, isWrapped && styles.wrapped)} tabIndex={0}>
        <code>{pieces ? pieces.map(toSpan) : <Lines code={code} />}</code>
      </pre>
    </div>
  );
}

// The pieces of one highlighting never move.
const toSpan = ({ text, className }: CodePiece, place: number) =>
  className ? (
    <span key={place} className={className}>
      {text}
    </span>
  ) : (
    text
  );

function useHighlight(code: string, language: string, isOpen: boolean): CodePiece[] | null {
  const [found, setFound] = useState<{ code: string; pieces: CodePiece[] } | null>(null);
  const isWanted = !isOpen && language !== "" && code.length <= highlightCharacters;
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    const start = async () => {
      const pieces = (await loadOptional(() => import("./highlight.ts")))?.highlight(
        code,
        language,
      );
      if (isCurrent && pieces) setFound({ code, pieces });
    };
    const cancel = whenIdle(() => void start());
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [code, language, isWanted]);
  return found?.code === code ? found.pieces : null;
}

/** Safari has no requestIdleCallback. */
function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const id = requestIdleCallback(run);
    return () => cancelIdleCallback(id);
  }
  const id = setTimeout(run, 200);
  return () => clearTimeout(id);
}

/**
 * Splits long code into chunks, so that an added line lays out only its chunk and not thousands of
 * lines.
 */
function Lines({ code }: { code: string }) {
  const lines = code.split("\n");
  const chunks: string[] = [];
  for (let line = 0; line < lines.length; line += linesPerChunk)
    chunks.push(lines.slice(line, line + linesPerChunk).join("\n"));
  // A chunk's index is its identity, because lines are only added at the end.
  return chunks.map((text, index) => (
    <Chunk
      key={index}
      text={index < chunks.length - 1 ? `${text}\n` : text}
      isLast={index === chunks.length - 1}
    />
  ));
}

const Chunk = memo(function Chunk({ text, isLast }: { text: string; isLast: boolean }) {
  return isLast ? text : <span className={styles.lines}>{text}</span>;
});
