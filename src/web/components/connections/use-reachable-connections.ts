import { useQuery } from "@tanstack/react-query";
import type { ListedConnection } from "../../data/queries/connections.queries.ts";
import { connectionsQuery, projectConnectionsQuery } from "../../data/queries/shared.queries.ts";
import { useSession } from "../../data/shell-data.ts";

/** Whether a connection offers models now. */
export const offersModels = ({ models, status }: ListedConnection): boolean =>
  models > 0 && status !== "disabled";

function useLists(projectId: string | undefined) {
  const { project } = useSession();
  const own = useQuery(connectionsQuery);
  const ofProject = useQuery(projectConnectionsQuery(projectId ?? project.id));
  const connections: ListedConnection[] = [
    ...(own.data?.connections ?? []),
    ...(ofProject.data?.connections ?? []),
  ];
  return { connections, isPending: own.isPending || ofProject.isPending };
}

/**
 * The connections that the person may use or manage in a project, by default the current one: the
 * instance's, the person's, and the project's.
 */
export function useReachableConnections(projectId?: string): ListedConnection[] {
  return useLists(projectId).connections;
}

/** One of these connections; undefined while the lists load, null if it isn't among them. */
export function useReachableConnection(
  connectionId: string,
  projectId?: string,
): ListedConnection | null | undefined {
  const { connections, isPending } = useLists(projectId);
  return connections.find(({ id }) => id === connectionId) ?? (isPending ? undefined : null);
}
