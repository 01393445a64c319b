import { Link, linkOptions } from "@tanstack/react-router";
import type { ListedConnection } from "../../data/queries/connections.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { useConnectionsInReach } from "./use-connections-in-reach.ts";

/** Where a connection is seen and mended: among everybody's, one's own, or its project's. */
export function wayToConnection({
  id,
  scope,
  scopeId,
}: Pick<ListedConnection, "id" | "scope" | "scopeId">) {
  const search = { connection: id };
  if (scope === "project")
    return linkOptions({ to: "/projects/$id", params: { id: scopeId ?? "" }, search });
  return linkOptions({
    to: scope === "instance" ? "/admin/$section" : "/settings/$section",
    params: { section: "connections" },
    search,
  });
}

export type ConnectionLinkProps = {
  connectionId: string;
  /** Where it was used, which may be another project than the present one. */
  projectId: string | undefined;
  className?: string;
};

/** The way to a connection for who may mend it; who may, for others. */
export function ConnectionLink({ connectionId, projectId, className }: ConnectionLinkProps) {
  const { user } = useSession();
  const connection = useConnectionsInReach(projectId).find(({ id }) => id === connectionId);
  if (!connection) return null;
  if (connection.scope === "instance" && !isAdmin(user))
    return <span>{t("ui.connection.admin")}</span>;
  if (!connection.mayManage) return <span>{t("ui.connection.manager")}</span>;
  return (
    <Link {...wayToConnection(connection)} className={className}>
      {t("ui.connection.open", { name: connection.name })}
    </Link>
  );
}
