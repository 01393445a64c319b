import type { Run } from "#contract/entities.ts";
import type { WaitsFor } from "../../../data/run-stream.ts";
import { formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import { NextAttempt } from "../next-attempt.tsx";
import { isEnded } from "../run-facts.ts";
import { useRunLive } from "../run-live.ts";
import { RunStateTag } from "../run-state.tsx";
import { useRunTitle } from "../run-title.ts";
import { isWaiting } from "../waiting.ts";
import styles from "./detail.module.css";

/** A run's status: its state, the reason that it waits, and its progress. */
export function RunHead({ run, waitsFor }: { run: Run; waitsFor: WaitsFor | null }) {
  const live = useRunLive(run);
  const title = useRunTitle(run);
  const isOpen = !isEnded(run) && run.state !== "unconfirmed";
  const shown = isOpen ? (live.waitsFor ?? (live.state === "queued" ? waitsFor : null)) : null;
  return (
    <>
      <div className={styles.head} aria-live="polite">
        <RunStateTag run={{ ...run, state: live.state }} share={live.share} />
        {shown && (
          <span>
            {shown.reason} <NextAttempt waitsFor={shown} />
          </span>
        )}
        {isOpen && live.queuePlace !== null && (
          <span>{t("run.place", { place: live.queuePlace })}</span>
        )}
        {isOpen && live.share !== null && (
          <>
            <span className={styles.bar}>
              <ProgressBar value={live.share} label={t("run.progress", { title })} tone="busy" />
            </span>
            <span aria-hidden>{formatShare(live.share)}</span>
            {live.label && <span>{live.label}</span>}
          </>
        )}
      </div>
      {isWaiting(run) && run.waitingFor && (
        <p className={styles.why}>
          {t(`run.waits.${run.waitingFor}`, { isPriced: String(run.heldMicros > 0) })}
        </p>
      )}
    </>
  );
}
