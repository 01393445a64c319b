import { ChevronRight } from "lucide-react";
import { useEffect, useId, useMemo, useState } from "react";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import { formatCount, formatDuration } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import styles from "./answer.module.css";

/** Counts words by spaces; for a language without spaces, that is about its sentences. */
const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

type ReasoningProps = {
  text: string;
  /** The time measured by the server; null if it hasn't measured any. */
  knownMs: number | null;
  isStreaming: boolean;
};

/** The model's reasoning with its time, folded and not rendered until it is opened. */
export function Reasoning({ text, knownMs, isStreaming }: ReasoningProps) {
  const [isOpen, setOpen] = useState(false);
  const ms = useReasonedMs(knownMs, isStreaming);
  const id = useId();
  const words = useMemo(() => countWords(text), [text]);
  if (text === "") return null;
  return (
    <div className={styles.reasoning}>
      <button
        type="button"
        className={styles.reasoningHead}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight aria-hidden className={classes(styles.chevron, isOpen && styles.turned)} />
        {headOf(ms, words, isStreaming)}
      </button>
      {isOpen && (
        <div id={id} className={styles.thoughts}>
          <Markdown text={text} isStreaming={isStreaming} />
        </div>
      )}
    </div>
  );
}

const secondMs = 1_000;
/** A shorter time is shown as "0 s". */
const reportEveryMs = 100;
const wholeSeconds = (ms: number): number => Math.floor(ms / secondMs) * secondMs;

function headOf(ms: number | null, words: number, isStreaming: boolean): string {
  const counted = { count: words, shown: formatCount(words) };
  if (ms === null || (!isStreaming && ms < reportEveryMs))
    return t(isStreaming ? "chat.reasoning.now" : "chat.reasoning", counted);
  return isStreaming
    ? t("chat.reasoning.since", { ...counted, duration: formatDuration(wholeSeconds(ms)) })
    : t("chat.reasoning.took", { ...counted, duration: formatDuration(ms) });
}

/**
 * The server's time, extended between its updates by the time that passes here. The browser's clock
 * may be wrong, but its intervals are right.
 */
function useReasonedMs(knownMs: number | null, isStreaming: boolean): number | null {
  const [passed, setPassed] = useState({ since: knownMs, ms: 0 });
  useEffect(() => {
    if (!isStreaming || knownMs === null) return;
    const heardAt = performance.now();
    const timer = setInterval(
      () => setPassed({ since: knownMs, ms: performance.now() - heardAt }),
      secondMs,
    );
    return () => clearInterval(timer);
  }, [knownMs, isStreaming]);
  if (knownMs === null || !isStreaming || passed.since !== knownMs) return knownMs;
  return knownMs + passed.ms;
}
