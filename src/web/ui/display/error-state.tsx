import { CircleAlert, CircleHelp, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/t.ts";
import { Button } from "../controls/button.tsx";
import { describeError } from "../describe-error.ts";
import { NoticeCard } from "./notice-card.tsx";
import styles from "./states.module.css";

export type ErrorStateProps = {
  /** A thrown value, or a problem body. */
  error: unknown;
  /** What was saved, if the catalog can't know it: "Your prompt is kept, nothing was charged." */
  safe?: ReactNode;
  /** Adds a "Try again" button. */
  onRetry?: () => void;
  /** Other buttons: "Open the connection". */
  action?: ReactNode;
  /** A card within a screen, instead of centered in it. */
  compact?: boolean;
  /** The failure isn't certain, and a person has to decide. */
  isOpen?: boolean;
};

/** An error: what happened, what was saved, and the next step. */
export function ErrorState({
  error,
  safe,
  onRetry,
  action,
  compact = false,
  isOpen = false,
}: ErrorStateProps) {
  const { title, advice } = describeError(error);
  const actions = (onRetry || action) && (
    <>
      {onRetry && (
        <Button icon={RotateCw} onClick={onRetry}>
          {t("ui.tryAgain")}
        </Button>
      )}
      {action}
    </>
  );
  const text = (safe || advice) && (
    <>
      {safe} {advice}
    </>
  );
  const details = <ErrorDetails error={error} />;
  if (compact)
    return (
      <NoticeCard
        icon={isOpen ? CircleHelp : CircleAlert}
        tone={isOpen ? "warn" : "bad"}
        title={title}
        text={text}
        isAlert
        details={details}
      >
        {actions}
      </NoticeCard>
    );
  return (
    <div role="alert" className={styles.state}>
      <CircleAlert aria-hidden className={`${styles.icon} ${styles.bad}`} />
      <h2 className={styles.title}>{title}</h2>
      {text && <p className={styles.text}>{text}</p>}
      {details}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/**
 * The error's details, apart from Bottega's sentences: the provider's message, and folded facts for
 * a support desk.
 */
export function ErrorDetails({ error }: { error: unknown }) {
  const { quote, id, httpStatus, providerCode } = describeError(error);
  const facts = [
    httpStatus !== undefined && t("error.status", { status: String(httpStatus) }),
    providerCode !== undefined && t("error.providerCode", { code: providerCode }),
    id !== undefined && t("error.id", { id }),
  ].filter((fact) => fact !== false);
  return (
    <>
      {quote && <ProviderQuote text={quote} />}
      {facts.length > 0 && (
        <details className={styles.details}>
          <summary>{t("error.details")}</summary>
          {facts.map((fact) => (
            <p key={fact} className={styles.id}>
              {fact}
            </p>
          ))}
        </details>
      )}
    </>
  );
}

/** The provider's message, set apart from Bottega's sentences. */
export function ProviderQuote({ text }: { text: string }) {
  return (
    <blockquote className={styles.quote} aria-label={t("ui.provider.said")}>
      {text}
    </blockquote>
  );
}
