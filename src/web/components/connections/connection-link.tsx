import { Link, linkOptions } from "@tanstack/react-router";
import type { ListedConnection } from "../../data/queries/connections.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { useReachableConnection } from "./use-reachable-connections.ts";

/**
 * The address of the page that shows and edits a connection: the instance's, the person's, or a
 * project's.
 */
export function connectionPage({
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
  /** The project that used the connection, which may differ from the current one. */
  projectId: string | undefined;
  className?: string;
};

/** Links to a connection for people who may edit it; shows others who may. */
export function ConnectionLink({ connectionId, projectId, className }: ConnectionLinkProps) {
  const { user } = useSession();
  const connection = useReachableConnection(connectionId, projectId);
  if (!connection) return null;
  if (connection.scope === "instance" && !isAdmin(user))
    return <span>{t("ui.connection.admin")}</span>;
  if (!connection.mayManage) return <span>{t("ui.connection.manager")}</span>;
  return (
    <Link {...connectionPage(connection)} className={className}>
      {t("ui.connection.open", { name: connection.name })}
    </Link>
  );
}
