import { lazy } from "react";
import type { RunningRun } from "../data/shell-data.ts";
import { formatMoney } from "../messages/format.ts";
import { t } from "../messages/t.ts";
import { ProgressRing } from "../ui/display/progress.tsx";
import { SkeletonText } from "../ui/display/skeleton.tsx";
import { Popover } from "../ui/overlays/popover.tsx";
import { Part } from "../ui/part.tsx";
import styles from "./running-pill.module.css";

const RunningList = lazy(() =>
  import("./running-list.tsx").then(({ RunningList }) => ({ default: RunningList })),
);

/** What the pill says of many runs: their money, where known, and how far they are together. */
export function sumRunning(runs: readonly RunningRun[]): {
  micros: number | null;
  progress: number | null;
} {
  const known = runs.flatMap(({ micros }) => (micros === null ? [] : [micros]));
  const moving = runs.flatMap(({ progress }) => (progress === null ? [] : [progress]));
  return {
    micros: known.length > 0 ? known.reduce((sum, micros) => sum + micros, 0) : null,
    progress:
      moving.length > 0 ? moving.reduce((sum, share) => sum + share, 0) / runs.length : null,
  };
}

/** What runs now, at the same place on every screen; it opens the list. Nothing when nothing runs. `isShort` leaves the money to the list. */
export function RunningPill({
  runs,
  isShort = false,
}: {
  runs: readonly RunningRun[];
  isShort?: boolean;
}) {
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
        <Part fallback={<SkeletonText lines={2} />}>
          <RunningList runs={runs} onClose={close} />
        </Part>
      )}
    </Popover>
  );
}
