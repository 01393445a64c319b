import { RotateCw } from "lucide-react";
import { useEffect } from "react";
import { waitForServer } from "../data/server-back.ts";
import { t } from "../messages/t.ts";
import { Button } from "../ui/controls/button.tsx";
import { describeError } from "../ui/describe-error.ts";
import { ErrorState } from "../ui/display/error-state.tsx";
import { reload, retryOf } from "../ui/part.tsx";
import styles from "./app-shell.module.css";

type BoundaryProps = { error: unknown; reset: () => void };

/** Replaces a screen that threw; the frame around it keeps working. */
export function ScreenBoundary({ error, reset }: BoundaryProps) {
  useServerBack(describeError(error).code === "unavailable", retryOf(error, reset));
  return (
    <main id="main" tabIndex={-1} className={styles.middle}>
      <ErrorState error={error} safe={t("shell.crashed.advice")} onRetry={retryOf(error, reset)} />
    </main>
  );
}

/** Retries automatically once an unreachable server answers. */
function useServerBack(isAway: boolean, onBack: () => void): void {
  useEffect(() => {
    if (!isAway) return;
    let wait = waitForServer(1);
    const watch = async () => {
      for (let failures = 1; await wait.ended; ) {
        const isHere = await fetch("/healthz").then(
          ({ ok }) => ok,
          () => false,
        );
        if (isHere) return onBack();
        wait = waitForServer(++failures);
      }
    };
    void watch();
    return () => wait.giveUp();
  }, [isAway]);
}

/** Shown if the frame itself threw. */
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
