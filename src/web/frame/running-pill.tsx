import { Activity } from "lucide-react";
import type { RunningRun } from "../data/shell-data.ts";
import { formatMoney } from "../messages/format.ts";
import { t } from "../messages/t.ts";
import { ProgressRing } from "../ui/display/progress.tsx";
import { SkeletonText } from "../ui/display/skeleton.tsx";
import { lazyPart } from "../ui/lazy-part.ts";
import { Part } from "../ui/part.tsx";
import { ActionPopover } from "./action-popover.tsx";
import styles from "./running-pill.module.css";

const RunningList = lazyPart(() =>
  import("./running-list.tsx").then(({ RunningList }) => RunningList),
);

/** The running pill's totals: the cost, if all runs' costs are known, and the combined progress. */
export function sumRunning(runs: readonly RunningRun[]): {
  micros: number | null;
  progress: number | null;
} {
  const moving = runs.flatMap(({ progress }) => (progress === null ? [] : [progress]));
  return {
    micros: runs.reduce<number | null>(
      (sum, { micros }) => (sum === null || micros === null ? null : sum + micros),
      0,
    ),
    progress:
      moving.length > 0 ? moving.reduce((sum, share) => sum + share, 0) / runs.length : null,
  };
}

/**
 * The active runs, at the same place on every screen; opens their list. Renders nothing without
 * runs. `isShort` shows the cost only in the list.
 */
export function RunningPill({
  runs,
  isShort = false,
}: {
  runs: readonly RunningRun[];
  isShort?: boolean;
}) {
  if (runs.length === 0) return null;
  const { micros, progress } = sumRunning(runs);
  const count = runs.length;
  return (
    <ActionPopover
      act="running"
      icon={Activity}
      title={t("shell.running.title")}
      width={340}
      trigger={
        <button type="button" className={styles.pill}>
          <ProgressRing value={progress} />
          <span>{t("shell.running", { count })}</span>
          {!isShort && micros !== null && micros > 0 && (
            <span className={styles.cost}>{formatMoney(micros)}</span>
          )}
        </button>
      }
    >
      {(close) => (
        <Part fallback={<SkeletonText lines={2} />}>
          <RunningList runs={runs} onClose={close} />
        </Part>
      )}
    </ActionPopover>
  );
}
