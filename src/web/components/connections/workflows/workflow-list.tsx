import { useQuery } from "@tanstack/react-query";
import { FileUp, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ListedConnection } from "../../../data/queries/connections.queries.ts";
import {
  type ListedWorkflow,
  useRemoveWorkflow,
  workflowsQuery,
} from "../../../data/queries/workflows.queries.ts";
import { InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "../connections.module.css";
import { ProviderProblem } from "../provider-problem.tsx";
import { WorkflowDialog } from "./workflow-dialog.tsx";

/**
 * A connection's workflows, each of which is one of its models. The connection's managers add,
 * replace and remove them.
 */
export function WorkflowList({ connection }: { connection: ListedConnection }) {
  const workflows = useQuery(workflowsQuery(connection.id));
  const [editing, setEditing] = useState<ListedWorkflow | "new" | null>(null);
  const [removing, setRemoving] = useState<ListedWorkflow | null>(null);
  return (
    <InspectorSection title={t("connections.workflows")}>
      {workflows.error && (
        <ErrorState compact error={workflows.error} onRetry={() => void workflows.refetch()} />
      )}
      {workflows.isPending && <SkeletonText lines={2} />}
      {workflows.data?.length === 0 && (
        <p className={styles.note}>{t("connections.workflows.none")}</p>
      )}
      <ul className={styles.models} aria-label={t("connections.workflows")}>
        {workflows.data?.map((workflow) => (
          <li key={workflow.id} className={styles.model}>
            <span className={styles.modelName}>
              {workflow.name}
              {!workflow.isOffered && (
                <span className={styles.missing}>{t("connections.workflows.notThere")}</span>
              )}
            </span>
            {connection.mayManage && (
              <>
                <IconButton
                  size="small"
                  icon={FileUp}
                  label={t("connections.workflows.replace", { name: workflow.name })}
                  onClick={() => setEditing(workflow)}
                />
                <IconButton
                  size="small"
                  icon={Trash2}
                  label={t("connections.workflows.remove", { name: workflow.name })}
                  onClick={() => setRemoving(workflow)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {connection.mayManage && (
        <div className={styles.addWorkflow}>
          <Button icon={Plus} onClick={() => setEditing("new")}>
            {t("connections.workflows.add")}
          </Button>
        </div>
      )}
      <WorkflowDialog
        connectionId={connection.id}
        editing={editing}
        onClose={() => setEditing(null)}
      />
      <RemoveWorkflow
        connectionId={connection.id}
        workflow={removing}
        onClose={() => setRemoving(null)}
      />
    </InspectorSection>
  );
}

type RemoveWorkflowProps = {
  connectionId: string;
  workflow: ListedWorkflow | null;
  onClose: () => void;
};

function RemoveWorkflow({ connectionId, workflow, onClose }: RemoveWorkflowProps) {
  const remove = useRemoveWorkflow(connectionId);
  const toast = useToast();
  const name = workflow?.name ?? "";
  const close = () => {
    remove.reset();
    onClose();
  };
  const confirm = () =>
    workflow &&
    remove.mutate(workflow.id, {
      onSuccess: () => {
        toast({ text: t("connections.workflows.removed", { name }) });
        close();
      },
    });
  return (
    <ConfirmDialog
      open={workflow !== null}
      onOpenChange={(open) => !open && close()}
      title={t("connections.workflows.removeTitle", { name })}
      confirmLabel={t("connections.workflows.removeConfirm")}
      danger
      busy={remove.isPending}
      onConfirm={confirm}
    >
      <p>{t("connections.workflows.removeText")}</p>
      <ProviderProblem error={remove.error} />
    </ConfirmDialog>
  );
}
