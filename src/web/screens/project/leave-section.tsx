import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { useState } from "react";
import type { Project } from "#contract/entities.ts";
import { call } from "../../data/client.ts";
import { keys, refreshAfter } from "../../data/keys.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Card } from "../../ui/display/card.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./project.module.css";

/** Lets a member who doesn't own the project leave it. */
export function LeaveSection({ project: { id, name } }: { project: Project }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const showError = useErrorToast();
  const queryClient = useQueryClient();
  const leave = useMutation({
    mutationFn: () => call("leaveProject", { params: { projectId: id } }),
    onSuccess: async () => {
      // First, because Home shows the current project, which may be this one.
      await refreshAfter(queryClient, "account");
      toast({ text: t("project.leave.done", { name }) });
      await navigate({ to: "/" });
      queryClient.removeQueries({ queryKey: keys.project(id) });
    },
    onError: (error) => {
      setAsking(false);
      showError(error);
    },
  });
  return (
    <PageSection title={t("project.leave.section")}>
      <Card className={styles.archive}>
        <p>{t("project.leave.intro")}</p>
        <ActionButton
          action="project.leave"
          variant="danger"
          icon={LogOut}
          onClick={() => setAsking(true)}
        >
          {t("project.leave")}
        </ActionButton>
      </Card>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t("project.leave.title", { name })}
        confirmLabel={t("project.leave")}
        danger
        busy={leave.isPending}
        onConfirm={() => leave.mutate()}
      >
        {t("project.leave.text")}
      </ConfirmDialog>
    </PageSection>
  );
}
