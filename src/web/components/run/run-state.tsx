import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CirclePause,
  Clock,
  HardDriveDownload,
  Hourglass,
  type LucideIcon,
  Send,
} from "lucide-react";
import type { Run, RunState } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { ProgressRing } from "../../ui/display/progress.tsx";
import styles from "./run-state.module.css";
import { isWaiting } from "./waiting.ts";

type Look = { icon: LucideIcon | "ring"; tone: "quiet" | "busy" | "ok" | "bad" | "warn" };
const looks: Record<RunState, Look> = {
  queued: { icon: Clock, tone: "quiet" },
  submitting: { icon: Send, tone: "busy" },
  submitted: { icon: Hourglass, tone: "busy" },
  running: { icon: "ring", tone: "busy" },
  storing: { icon: HardDriveDownload, tone: "busy" },
  unconfirmed: { icon: CircleHelp, tone: "warn" },
  succeeded: { icon: CircleCheck, tone: "ok" },
  failed: { icon: CircleAlert, tone: "bad" },
  cancelled: { icon: Ban, tone: "quiet" },
};

const waits: Look = { icon: CirclePause, tone: "warn" };

/** A run's state as an icon and a word. `share` is the part done, 0 to 1. */
export function RunStateTag({
  run,
  share = null,
}: {
  run: Pick<Run, "state" | "waitingFor" | "cancelRequestedAt" | "finishedAt">;
  share?: number | null;
}) {
  const { icon: Icon, tone } = isWaiting(run) ? waits : looks[run.state];
  const word = isWaiting(run) ? t("run.state.waiting") : runStateText(run.state);
  // Cancelling an unconfirmed run waits until its job is found.
  const isCancelling =
    run.cancelRequestedAt !== null && run.finishedAt === null && run.state !== "unconfirmed";
  return (
    <span className={classes(styles.state, styles[tone])}>
      {Icon === "ring" ? <ProgressRing value={share} size={16} /> : <Icon aria-hidden />}
      <span>{isCancelling ? t("run.cancelling") : word}</span>
    </span>
  );
}
