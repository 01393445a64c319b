import { useQuery } from "@tanstack/react-query";
import { connectionsQuery, projectConnectionsQuery } from "../../data/shared.queries.ts";
import { useSession } from "../../shell/shell-data.ts";
import type { ListedConnection } from "./connections.queries.ts";

/** The connections that one may use or manage in a project, mostly the present one: everybody's, one's own, and the project's. */
export function useConnectionsInReach(projectId?: string): ListedConnection[] {
  const { project } = useSession();
  const own = useQuery(connectionsQuery).data?.connections ?? [];
  const ofProject =
    useQuery(projectConnectionsQuery(projectId ?? project.id)).data?.connections ?? [];
  return [...own, ...ofProject];
}
