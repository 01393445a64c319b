import { Play } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { useSession } from "../../shell/shell-data.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useApproveRuns } from "./activity.queries.ts";
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
