import { Archive, ArchiveRestore } from "lucide-react";
import type { Project } from "#contract/entities.ts";
import { useUpdateProject } from "../../data/queries/project.queries.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Card } from "../../ui/display/card.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./project.module.css";

/** Archives or unarchives the project. Undo replaces a confirmation. */
export function ArchiveSection({ project }: { project: Project }) {
  const update = useUpdateProject(project.id);
  const toast = useToast();
  const showError = useErrorToast();
  const isArchived = project.archivedAt !== null;
  const set = (archived: boolean) =>
    update.mutate(
      { archived },
      {
        onSuccess: () =>
          toast({
            text: t(archived ? "project.archive.done" : "project.restored", { name: project.name }),
            action: archived ? { label: t("ui.undo"), onAction: () => set(false) } : undefined,
          }),
        onError: showError,
      },
    );
  return (
    <PageSection title={t("project.archive.title")}>
      <Card className={styles.archive}>
        <p>{t(isArchived ? "project.archive.isArchived" : "project.archive.text")}</p>
        <ActionButton
          action="project.archive"
          icon={isArchived ? ArchiveRestore : Archive}
          busy={update.isPending}
          onClick={() => set(!isArchived)}
        >
          {t(isArchived ? "project.restore" : "project.archive")}
        </ActionButton>
      </Card>
    </PageSection>
  );
}
