import type { JsonObject } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import styles from "./tool-round.module.css";

/** What a tool of a server is given, word for word: a person says yes to this and to nothing else. */
export function ToolInput({ input, isOpen }: { input: JsonObject; isOpen: boolean }) {
  if (Object.keys(input).length === 0) return null;
  return (
    <details className={styles.verbatim} open={isOpen}>
      <summary>{t("chat.tools.input")}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is read with the keyboard */}
      <pre tabIndex={0}>{JSON.stringify(input, null, 2)}</pre>
    </details>
  );
}

/** What it gave: untrusted words, shown as they are and made into nothing. */
export function ToolOutput({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <details className={styles.verbatim} open={isOpen}>
      <summary>{t("chat.tools.output")}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is read with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}
