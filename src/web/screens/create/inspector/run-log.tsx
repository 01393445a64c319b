import type { RunEventPayloads } from "#contract/events.ts";
import { t } from "../../../messages/t.ts";
import styles from "./inspector.module.css";

/** The lines that a provider wrote while it worked. */
export function RunLog({ lines }: { lines: RunEventPayloads["log"]["lines"] }) {
  if (lines.length === 0) return <p className={styles.text}>{t("create.log.none")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={styles.log} tabIndex={0} aria-label={t("create.log")}>
      <pre>{lines.map(({ message }) => message).join("\n")}</pre>
    </section>
  );
}
