import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Archive, ArrowRight, FileDown } from "lucide-react";
import type { Project } from "#contract/entities.ts";
import { isProblem, routePath } from "../../data/client.ts";
import { projectQuery } from "../../data/queries/project.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { ActionButton, useElementAction } from "../../frame/action-button.tsx";
import { NotFoundScreen } from "../../frame/not-found-screen.tsx";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { ListSkeleton } from "../../ui/lists/list.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { Part } from "../../ui/part.tsx";
import { ArchiveSection } from "./archive-section.tsx";
import { BudgetSection } from "./budget-section.tsx";
import { LeaveSection } from "./leave-section.tsx";
import { MemberSection } from "./member-section.tsx";
import styles from "./project.module.css";
import { ProjectForm } from "./project-form.tsx";
import { useProjectConnections } from "./use-project-connections.tsx";

const Webhooks = lazyPart(() =>
  import("../../components/webhooks/webhooks.tsx").then(({ Webhooks }) => Webhooks),
);

const DeleteProjectSection = lazyPart(
  () =>
    import("../../components/deletion/delete-section.tsx").then(
      ({ DeleteProjectSection }) => DeleteProjectSection,
    ),
  "deletion",
);

/** A project's page: details, members, connections, budget and archive. */
export function ProjectScreen() {
  const { id = "" } = useParams({ strict: false });
  const { user, currentProjectId, setProject } = useSession();
  const toast = useToast();
  const shown = useQuery(projectQuery(id));
  const project = shown.data?.project;
  const connections = useProjectConnections(project);
  if (isProblem(shown.error, "not_found")) return <NotFoundScreen />;
  const switchTo = () => {
    if (!project) return;
    setProject(project.id);
    toast({ text: t("project.opened", { name: project.name }) });
  };
  const actions = project && project.id !== currentProjectId && (
    <ActionButton action="project.open" icon={ArrowRight} onClick={switchTo}>
      {t("project.open")}
    </ActionButton>
  );
  return (
    <Screen
      title={t("screen.project")}
      heading={project?.name}
      actions={actions}
      inspector={connections.inspector}
      tools={
        project?.archivedAt && (
          <Badge icon={Archive} tone="warn">
            {t("project.archived")}
          </Badge>
        )
      }
    >
      <PageColumn>
        {shown.error && <ErrorState error={shown.error} onRetry={() => void shown.refetch()} />}
        {shown.isPending && <ListSkeleton label={t("ui.loading")} rows={4} />}
        {project && (
          <>
            <PageSection
              title={t("project.about")}
              intro={
                project.role === "manager"
                  ? undefined
                  : t("project.readOnly", { role: project.role })
              }
            >
              <ProjectForm key={project.id} project={project} />
            </PageSection>
            <MemberSection key={project.id} project={project} />
            <BudgetSection project={project} />
            {connections.section}
            {project.role === "manager" && (
              <Part fallback={<ListSkeleton label={t("ui.loading")} rows={1} />}>
                <Webhooks projectId={project.id} />
              </Part>
            )}
            {project.role === "manager" && <ExportSection project={project} />}
            {project.role === "manager" && <ArchiveSection project={project} />}
            {project.ownerId === user.id ? (
              <Part>
                <DeleteProjectSection projectId={project.id} />
              </Part>
            ) : (
              <LeaveSection project={project} />
            )}
          </>
        )}
      </PageColumn>
    </Screen>
  );
}

/** Downloads the project as a ZIP, which is created while it downloads. */
function ExportSection({ project }: { project: Project }) {
  const link = useElementAction<HTMLAnchorElement>({
    id: "project.export",
    title: t("project.export"),
    icon: FileDown,
  });
  return (
    <PageSection title={t("project.export.title")}>
      <Card className={styles.archive}>
        <p>{t("project.export.text")}</p>
        <a
          ref={link}
          className={buttonClass()}
          href={routePath("exportProject", { params: { projectId: project.id } })}
          download
        >
          <FileDown aria-hidden />
          {t("project.export")}
        </a>
      </Card>
    </PageSection>
  );
}
