import { ChevronRight } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import styles from "./answer.module.css";

/** By spaces: for a language that writes none, about its sentences. */
const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** The model's reasoning, folded and not drawn until it is opened. */
export function Reasoning({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const [isOpen, setOpen] = useState(false);
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
        {t(isStreaming ? "chat.reasoning.now" : "chat.reasoning", {
          count: words,
          shown: formatCount(words),
        })}
      </button>
      {isOpen && (
        <div id={id} className={styles.thoughts}>
          <Markdown text={text} isStreaming={isStreaming} />
        </div>
      )}
    </div>
  );
}
