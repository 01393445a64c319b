import { RotateCw } from "lucide-react";
import { t } from "../messages/t.ts";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { reload, retryOf } from "../ui/part.tsx";
import styles from "./app-shell.module.css";

type BoundaryProps = { error: unknown; reset: () => void };

/** What the router shows in place of a screen that threw; the frame around it lives on. */
export function ScreenBoundary({ error, reset }: BoundaryProps) {
  return (
    <main id="main" tabIndex={-1} className={styles.middle}>
      <ErrorState error={error} safe={t("shell.crashed.advice")} onRetry={retryOf(error, reset)} />
    </main>
  );
}

/** What is left when the frame itself threw. */
export function ShellBoundary({ error }: BoundaryProps) {
  const action = (
    <Button variant="primary" icon={RotateCw} onClick={reload}>
      {t("ui.reload")}
    </Button>
  );
  return (
    <main className={styles.app}>
      <ErrorState error={error} safe={t("shell.crashed.advice")} action={action} />
    </main>
  );
}
