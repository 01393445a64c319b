import { Diff } from "lucide-react";
import { useState } from "react";
import type { ComparedEntry } from "../../components/compare/compare.queries.ts";
import { WordDiff } from "../../components/diff/word-diff.tsx";
import { Markdown } from "../../components/markdown/markdown.tsx";
import { useActions } from "../../frame/action-button.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import styles from "./compare.module.css";
import { Result } from "./result.tsx";

type TextsProps = {
  entries: readonly ComparedEntry[];
  best: readonly number[];
  isRevealed: boolean;
  onBest: ((place: number) => void) | null;
};

/** Texts side by side, optionally with their differences from the first. */
export function Texts({ entries, ...props }: TextsProps) {
  const [isDiff, setDiff] = useState(false);
  const first = entries[0]?.text ?? "";
  const toggle = () => setDiff(!isDiff);
  useActions([
    {
      id: "compare.diff",
      title: t(isDiff ? "compare.diff.hide" : "compare.diff"),
      icon: Diff,
      run: toggle,
    },
  ]);
  return (
    <>
      <div className={styles.controls}>
        <Chip icon={Diff} selected={isDiff} onClick={toggle}>
          {t(isDiff ? "compare.diff.hide" : "compare.diff")}
        </Chip>
        {isDiff && <span className={styles.clock}>{t("compare.diff.from", { number: 1 })}</span>}
      </div>
      <ul className={styles.grid} data-count={entries.length} data-texts>
        {entries.map((entry, index) => (
          <Result key={entry.position} {...props} entry={entry} place={index}>
            {entry.text === null ? undefined : (
              <section
                className={styles.text}
                aria-label={t("compare.number", { number: index + 1 })}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is scrolled by keyboard
                tabIndex={0}
              >
                {isDiff ? (
                  // The first text is shown as plain text too, so that its lines match the others.
                  <WordDiff
                    first={first}
                    second={entry.text}
                    tooLong={
                      <>
                        {index > 0 && <p className={styles.gone}>{t("compare.diff.long")}</p>}
                        <Markdown text={entry.text} />
                      </>
                    }
                  />
                ) : (
                  <Markdown text={entry.text} />
                )}
              </section>
            )}
          </Result>
        ))}
      </ul>
    </>
  );
}
