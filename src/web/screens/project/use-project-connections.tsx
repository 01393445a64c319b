import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import type { Project } from "#contract/entities.ts";
import { ConnectionList } from "../../components/connections/connection-list.tsx";
import { useConnectionsAddress } from "../../components/connections/use-connections-address.tsx";
import { kindsQuery, projectConnectionsQuery } from "../../data/queries/shared.queries.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageSection } from "../../frame/page.tsx";
import type { ScreenInspector } from "../../frame/screen-props.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { ListSkeleton } from "../../ui/lists/list.tsx";

/** A project's connections: members see them, managers edit them. */
export function useProjectConnections(project: Project | undefined): {
  section: ReactNode;
  inspector: ScreenInspector | undefined;
} {
  const kinds = useQuery(kindsQuery);
  const list = useQuery({
    ...projectConnectionsQuery(project?.id ?? ""),
    enabled: project !== undefined,
  });
  const connections = list.data?.connections ?? [];
  const mayAdd = list.data?.mayAdd === true;
  const place = { scope: "project" as const, projectId: project?.id ?? "" };
  const { lists, beginAdding, dialog, inspector } = useConnectionsAddress({
    place,
    connections,
    kinds: kinds.data,
    mayAdd,
  });
  if (!project) return { section: null, inspector: undefined };
  const error = list.error ?? kinds.error;
  if (!error && list.data && !mayAdd && connections.length === 0)
    return { section: null, inspector: undefined };
  const section = (
    <PageSection
      title={t("connections.title")}
      intro={t("connections.intro.project")}
      action={
        mayAdd && (
          <ActionButton action="connections.add" size="small" icon={Plus} onClick={beginAdding}>
            {t("connections.add")}
          </ActionButton>
        )
      }
    >
      {error ? (
        <ErrorState
          compact
          error={error}
          onRetry={() => void Promise.all([list.refetch(), kinds.refetch()])}
        />
      ) : list.isPending || kinds.isPending ? (
        <ListSkeleton label={t("ui.loading")} rows={1} />
      ) : connections.length === 0 ? (
        <p>{t("connections.empty.project")}</p>
      ) : (
        <ConnectionList label={t("connections.title")} connections={connections} {...lists} />
      )}
      {dialog}
    </PageSection>
  );
  return { section, inspector };
}
