import { Link } from "@tanstack/react-router";
import { formatMoney, formatShare } from "../messages/format.ts";
import { t } from "../messages/t.ts";
import { hasScreen } from "../screen-modules.ts";
import { Popover } from "../ui/popover.tsx";
import { ProgressRing } from "../ui/progress.tsx";
import styles from "./running-pill.module.css";
import type { RunningRun } from "./shell-data.ts";

/** What the pill says of many runs: their money, where known, and how far they are together. */
export function sumRunning(runs: readonly RunningRun[]): { micros: number | null; progress: number | null } {
  const known = runs.flatMap(({ micros }) => (micros === null ? [] : [micros]));
  const moving = runs.flatMap(({ progress }) => (progress === null ? [] : [progress]));
  return {
    micros: known.length > 0 ? known.reduce((sum, micros) => sum + micros, 0) : null,
    progress: moving.length > 0 ? moving.reduce((sum, share) => sum + share, 0) / runs.length : null,
  };
}

/** What runs now, at the same place on every screen; it opens the list. Nothing when nothing runs. `isShort` leaves the money to the list. */
export function RunningPill({ runs, isShort = false }: { runs: readonly RunningRun[]; isShort?: boolean }) {
  if (runs.length === 0) return null;
  const { micros, progress } = sumRunning(runs);
  const cost = micros === null ? t("money.unknown") : formatMoney(micros);
  const count = runs.length;
  return (
    <Popover
      title={t("shell.running.title")}
      width={340}
      trigger={
        <button type="button" className={styles.pill}>
          <ProgressRing value={progress} />
          <span>{t("shell.running", { count })}</span>
          {!isShort && micros !== null && micros > 0 && <span className={styles.cost}>{cost}</span>}
        </button>
      }
    >
      {(close) => (
        <>
          <ul className={styles.list}>
            {runs.map((run) => (
              <li key={run.id}>
                <RunLine run={run} onOpen={close} />
              </li>
            ))}
          </ul>
          <div className={styles.foot}>
            {hasScreen("activity") && (
              <Link to="/activity" className={styles.all} onClick={close}>
                {t("shell.running.all")}
              </Link>
            )}
          </div>
        </>
      )}
    </Popover>
  );
}

function RunLine({ run, onOpen }: { run: RunningRun; onOpen: () => void }) {
  const state =
    run.queuePlace !== null
      ? t("shell.running.queued", { place: run.queuePlace })
      : run.progress !== null
        ? formatShare(run.progress)
        : null;
  const cost = run.micros === null ? t("money.unknown") : run.micros === 0 ? t("money.free") : formatMoney(run.micros);
  const detail = [run.modelName, state, cost].filter(Boolean).join(" · ");
  return (
    <Link to="/activity/$runId" params={{ runId: run.id }} className={styles.run} onClick={onOpen}>
      <ProgressRing value={run.progress} size={18} label={t("shell.running.progress", { title: run.title })} />
      <span className={styles.words}>
        <span className={styles.title}>{run.title}</span>
        <span className={styles.detail}>{detail}</span>
      </span>
    </Link>
  );
}
