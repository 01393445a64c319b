import { useQuery } from "@tanstack/react-query";
import type { ListedConnection } from "../../data/queries/connections.queries.ts";
import { connectionsQuery, projectConnectionsQuery } from "../../data/queries/shared.queries.ts";
import { useSession } from "../../data/shell-data.ts";

/**
 * The connections that the person may use or manage in a project, by default the current one: the
 * instance's, the person's, and the project's.
 */
export function useReachableConnections(projectId?: string): ListedConnection[] {
  const { project } = useSession();
  const own = useQuery(connectionsQuery).data?.connections ?? [];
  const ofProject =
    useQuery(projectConnectionsQuery(projectId ?? project.id)).data?.connections ?? [];
  return [...own, ...ofProject];
}
