import { useStored } from "../../../data/saved/use-stored.ts";
import { t } from "../../../messages/t.ts";
import { Facts } from "../../../ui/display/facts.tsx";
import styles from "./detail.module.css";

type FoldedFactsProps = {
  /** The place of the facts; the device remembers for each whether it is open. */
  of: "answer" | "file" | "run";
  facts: Parameters<typeof Facts>[0]["facts"];
};

/** Rarely needed facts, behind "Details". */
export function FoldedFacts({ of, facts }: FoldedFactsProps) {
  const [isOpen, setOpen] = useStored(`details:${of}`, false);
  if (facts.every(([, value]) => value === null || value === undefined)) return null;
  return (
    <details
      className={styles.folded}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className={styles.summary}>{t("run.details")}</summary>
      <Facts facts={facts} />
    </details>
  );
}
