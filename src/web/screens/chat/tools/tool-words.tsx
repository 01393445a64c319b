import styles from "./tool-round.module.css";

/** What a tool is given or gave: untrusted words, shown as they are and made into nothing. */
export function Verbatim({ label, text }: { label: string; text: string }) {
  return (
    <figure className={styles.verbatim}>
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is read with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
