import { useId } from "react";
import { type ListedWorkflow, usePutWorkflow } from "../../../data/queries/workflows.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { WorkflowForm } from "./workflow-form.tsx";

export type WorkflowDialogProps = {
  connectionId: string;
  /** The workflow to replace, or "new"; null means closed. */
  editing: ListedWorkflow | "new" | null;
  onClose: () => void;
};

/** Adds or replaces a workflow. Typed values stay if the server refuses. */
export function WorkflowDialog({ connectionId, editing, onClose }: WorkflowDialogProps) {
  const formId = useId();
  const put = usePutWorkflow(connectionId);
  const toast = useToast();
  const known = editing === "new" ? null : editing;
  const close = () => {
    put.reset();
    onClose();
  };
  const footer = (
    <>
      <Button onClick={close}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={put.isPending}>
        {t(known ? "connections.workflows.replaceSubmit" : "connections.workflows.addSubmit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={editing !== null}
      onOpenChange={(open) => !open && close()}
      title={
        known
          ? t("connections.workflows.replaceTitle", { name: known.name })
          : t("connections.workflows.add")
      }
      description={t("connections.workflows.how")}
      footer={footer}
    >
      {editing !== null && (
        <WorkflowForm
          id={formId}
          draft={`workflow:${connectionId}:${known?.id ?? ""}`}
          name={known?.name ?? ""}
          error={put.error}
          onSubmit={async (name, text) => {
            await put.mutateAsync({ id: known?.id ?? null, name, text });
            toast({ text: t("connections.workflows.added", { name }) });
            close();
          }}
        />
      )}
    </Dialog>
  );
}
