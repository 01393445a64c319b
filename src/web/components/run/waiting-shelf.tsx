import { Play } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { useApproveRuns } from "../../data/queries/activity.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./run-shelf.module.css";
import { RunShelf } from "./run-shelf.tsx";

/** What waits for a person's word; all that waits after a restore can go on at once. */
export function WaitingShelf({ runs }: { runs: readonly Run[] }) {
  const restored = runs.filter(({ waitingFor }) => waitingFor === "restore");
  return (
    <div className={styles.waiting}>
      <RunShelf
        title={t("activity.waiting")}
        intro={restored.length > 0 ? t("activity.waiting.restore") : t("activity.waiting.budget")}
        runs={runs}
      />
      {restored.length > 1 && (
        <div className={styles.all}>
          <GoOnWithAll count={restored.length} />
        </div>
      )}
    </div>
  );
}

/** `count` is what is shown here; there may be more, and they go on as well. */
export function GoOnWithAll({ count }: { count: number }) {
  const { project } = useSession();
  const toast = useToast();
  const approve = useApproveRuns((approved) =>
    toast({ text: t("run.goOn.done", { count: approved }) }),
  );
  if (project.role === "viewer") return null;
  return (
    <>
      <Button icon={Play} busy={approve.isPending} onClick={() => approve.mutate(project.id)}>
        {t("run.goOn.all", { count })}
      </Button>
      {approve.error && <ErrorState compact error={approve.error} />}
    </>
  );
}
