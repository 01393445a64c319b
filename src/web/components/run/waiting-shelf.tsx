import { Play } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { type EpochReason, isEpochReason } from "#contract/waiting-reasons.ts";
import { groupBy } from "../../data/group-by.ts";
import { useApproveRuns } from "../../data/queries/activity.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./run-shelf.module.css";
import { RunShelf } from "./run-shelf.tsx";

/**
 * Runs that wait for approval, by reason. All that wait since an epoch began can be approved
 * together.
 */
export function WaitingShelf({ runs }: { runs: readonly Run[] }) {
  const reasonOf = ({ waitingFor }: Run) =>
    waitingFor === "manager" || waitingFor === "admin" || waitingFor === null
      ? "budget"
      : waitingFor;
  return [...groupBy(runs, reasonOf)].map(([reason, waiting]) => (
    <div key={reason} className={styles.waiting}>
      <RunShelf title={t("run.waiting")} intro={t(`waiting.${reason}`)} runs={waiting} />
      {reason !== "budget" && isEpochReason(reason) && waiting.length > 1 && (
        <div className={styles.all}>
          <ApproveAll reason={reason} count={waiting.length} />
        </div>
      )}
    </div>
  ));
}

/** `count` is the number shown here; further waiting runs are approved as well. */
export function ApproveAll({ reason, count }: { reason: EpochReason; count: number }) {
  const { project } = useSession();
  const toast = useToast();
  const approve = useApproveRuns((approved) =>
    toast({ text: t("run.goOn.done", { count: approved }) }),
  );
  if (project.role === "viewer") return null;
  return (
    <>
      <ActionButton
        action={`run.goOn.all.${reason}`}
        icon={Play}
        busy={approve.isPending}
        onClick={() => approve.mutate({ projectId: project.id, waitingFor: reason })}
      >
        {t("run.goOn.all", { count })}
      </ActionButton>
      {approve.error && <ErrorState compact error={approve.error} />}
    </>
  );
}
