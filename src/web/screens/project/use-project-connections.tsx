import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import type { Project } from "#contract/entities.ts";
import { AddConnectionDialog } from "../../components/connections/add-connection-dialog.tsx";
import { ConnectionDetails } from "../../components/connections/connection-details.tsx";
import { ConnectionList } from "../../components/connections/connection-list.tsx";
import { projectConnectionsQuery } from "../../components/connections/connections.queries.ts";
import { RowsSkeleton } from "../../components/rows/rows.tsx";
import { kindsQuery } from "../../data/shared.queries.ts";
import { t } from "../../messages/t.ts";
import { PageSection } from "../../shell/page.tsx";
import type { ScreenInspector } from "../../shell/screen.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useSearchValue } from "../../use-search-value.ts";

/**
 * The connections of a project: everyone in it sees them, its managers change them. The address holds which is open
 * (`?connection=<id>`) and what is being added (`?add=<kind>`).
 */
export function useProjectConnections(project: Project | undefined): { section: ReactNode; inspector: ScreenInspector | undefined } {
  const [openId, setOpenId] = useSearchValue("connection");
  const [adding, setAdding] = useSearchValue("add");
  const kinds = useQuery(kindsQuery);
  const list = useQuery({ ...projectConnectionsQuery(project?.id ?? ""), enabled: project !== undefined });
  if (!project) return { section: null, inspector: undefined };
  const connections = list.data?.connections ?? [];
  const open = connections.find(({ id }) => id === openId);
  const mayAdd = list.data?.mayAdd === true;
  const error = list.error ?? kinds.error;
  if (!error && list.data && !mayAdd && connections.length === 0) return { section: null, inspector: undefined };
  const section = (
    <PageSection
      title={t("connections.title")}
      intro={t("connections.intro.project")}
      action={
        mayAdd && (
          <Button size="small" icon={Plus} onClick={() => setAdding("")}>
            {t("connections.add")}
          </Button>
        )
      }
    >
      {error ? (
        <ErrorState compact error={error} onRetry={() => void Promise.all([list.refetch(), kinds.refetch()])} />
      ) : list.isPending || kinds.isPending ? (
        <RowsSkeleton label={t("ui.loading")} rows={1} />
      ) : connections.length === 0 ? (
        <p>{t("connections.empty.project")}</p>
      ) : (
        <ConnectionList
          label={t("connections.title")}
          connections={connections}
          kinds={kinds.data ?? []}
          openId={openId}
          onOpen={(id) => setOpenId(id === openId ? null : id, { push: true })}
        />
      )}
      <AddConnectionDialog
        place={{ scope: "project", projectId: project.id }}
        kinds={kinds.data ?? []}
        picked={kinds.data && mayAdd ? adding : undefined}
        onPick={(kind) => setAdding(kind)}
        onAdded={(id) => {
          setAdding(null);
          setOpenId(id);
        }}
      />
    </PageSection>
  );
  const inspector = open && {
    title: open.name,
    isOpen: true,
    onOpenChange: (isOpen: boolean) => !isOpen && setOpenId(null),
    children: <ConnectionDetails key={open.id} connection={open} kinds={kinds.data ?? []} onRemoved={() => setOpenId(null)} />,
  };
  return { section, inspector };
}
