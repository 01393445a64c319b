import { runStateText } from "#contract/run-states.ts";
import { approvalText } from "../../../components/run/approval-text.ts";
import { NextAttempt } from "../../../components/run/next-attempt.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { ProgressRing } from "../../../ui/display/progress.tsx";
import styles from "./answer.module.css";
import type { ShownAnswer } from "./use-shown-answer.ts";
import { useStopRun } from "./use-stop-run.ts";

/**
 * The reason that there is no text yet and the time of the next attempt; a caret while text
 * streams.
 */
export function WaitingLine({
  answer,
  hasText,
  mayStop,
}: {
  answer: ShownAnswer;
  hasText: boolean;
  mayStop: boolean;
}) {
  const { waitsFor, queuePlace, run, state } = answer;
  const stop = useStopRun(run?.id ?? null);
  if (run?.cancelRequestedAt) return <Line>{t("chat.wait.stopping")}</Line>;
  const approval = run && approvalText(run);
  if (approval) return <Line>{approval}</Line>;
  if (waitsFor) {
    return (
      <Line>
        {waitsFor.reason} <NextAttempt waitsFor={waitsFor} />
        {mayStop && (
          <Button size="small" variant="ghost" onClick={stop}>
            {t("ui.stop")}
          </Button>
        )}
      </Line>
    );
  }
  if (hasText) return <span className={styles.caret} aria-hidden />;
  if (state === "queued")
    return (
      <Line>
        {queuePlace === null ? runStateText("queued") : t("chat.wait.place", { place: queuePlace })}
      </Line>
    );
  return <Line>{t("chat.wait.model")}</Line>;
}

function Line({ children }: { children: React.ReactNode }) {
  return (
    <p className={styles.waiting}>
      <ProgressRing value={null} />
      <span>{children}</span>
    </p>
  );
}
