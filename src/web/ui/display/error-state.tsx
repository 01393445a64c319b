import { CircleAlert, CircleHelp, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/t.ts";
import { Button } from "../controls/button.tsx";
import { describeError } from "../describe-error.ts";
import styles from "./states.module.css";

export type ErrorStateProps = {
  /** What was thrown, or a problem body. */
  error: unknown;
  /** What is safe, where the catalogue can't know: "Your prompt is kept, nothing was charged." */
  safe?: ReactNode;
  /** Offers "Try again". */
  onRetry?: () => void;
  /** Other ways out, as buttons: "Open the connection". */
  action?: ReactNode;
  /** A card within a screen instead of its middle. */
  compact?: boolean;
  /** Nothing has failed for certain: somebody has to decide. */
  isOpen?: boolean;
};

/** What happened, what is safe, what to do. */
export function ErrorState({
  error,
  safe,
  onRetry,
  action,
  compact = false,
  isOpen = false,
}: ErrorStateProps) {
  const { title, advice, id, quote } = describeError(error);
  const actions = (onRetry || action) && (
    <div className={styles.actions}>
      {onRetry && (
        <Button icon={RotateCw} onClick={onRetry}>
          {t("ui.tryAgain")}
        </Button>
      )}
      {action}
    </div>
  );
  const text = (
    <p className={styles.text}>
      {safe} {advice}
    </p>
  );
  const said = quote && <ProviderQuote text={quote} />;
  const logId = id && <p className={styles.id}>{t("error.id", { id })}</p>;
  if (compact) {
    return (
      <div role="alert" className={styles.card}>
        {isOpen ? (
          <CircleHelp aria-hidden className={`${styles.icon} ${styles.warn}`} />
        ) : (
          <CircleAlert aria-hidden className={`${styles.icon} ${styles.bad}`} />
        )}
        <div className={styles.body}>
          <p className={styles.cardTitle}>{title}</p>
          {text}
          {said}
          {logId}
          {actions}
        </div>
      </div>
    );
  }
  return (
    <div role="alert" className={styles.state}>
      <CircleAlert aria-hidden className={`${styles.icon} ${styles.bad}`} />
      <h2 className={styles.title}>{title}</h2>
      {text}
      {said}
      {logId}
      {actions}
    </div>
  );
}

/** The provider's own words, apart from ours. */
export function ProviderQuote({ text }: { text: string }) {
  return (
    <blockquote className={styles.quote} aria-label={t("ui.provider.said")}>
      {text}
    </blockquote>
  );
}
