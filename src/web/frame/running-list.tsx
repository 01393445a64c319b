import { Link } from "@tanstack/react-router";
import type { RunningRun } from "../data/shell-data.ts";
import { formatMoney, formatShare } from "../messages/format.ts";
import { t } from "../messages/t.ts";
import { ProgressRing } from "../ui/display/progress.tsx";
import styles from "./running-pill.module.css";

/** The active runs, one per line, with a link to all runs. */
export function RunningList({
  runs,
  onClose,
}: {
  runs: readonly RunningRun[];
  onClose: () => void;
}) {
  return (
    <div className={styles.lines}>
      <ul className={styles.list}>
        {runs.map((run) => (
          <li key={run.id}>
            <RunLine run={run} onOpen={onClose} />
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <Link to="/activity" className={styles.all} onClick={onClose}>
          {t("shell.running.all")}
        </Link>
      </div>
    </div>
  );
}

function RunLine({ run, onOpen }: { run: RunningRun; onOpen: () => void }) {
  const state =
    run.queuePlace !== null
      ? t("shell.running.queued", { place: run.queuePlace })
      : run.progress !== null
        ? formatShare(run.progress)
        : null;
  const cost =
    run.micros === null
      ? t("money.unknown")
      : run.micros === 0
        ? t("money.free")
        : formatMoney(run.micros);
  const detail = [run.modelName, state, cost].filter(Boolean).join(" · ");
  return (
    <Link to="/activity/$runId" params={{ runId: run.id }} className={styles.run} onClick={onOpen}>
      <ProgressRing
        value={run.progress}
        size={18}
        label={t("shell.running.progress", { title: run.title })}
      />
      <span className={styles.words}>
        <span className={styles.title}>{run.title}</span>
        <span className={styles.detail}>{detail}</span>
      </span>
    </Link>
  );
}
