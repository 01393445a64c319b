import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { connectionsQuery } from "../../data/shared.queries.ts";
import { t } from "../../messages/t.ts";
import { isAdmin, useSession } from "../../shell/shell-data.ts";
import { buttonClass } from "../../ui/button.tsx";

/** The way to a connection for who may mend it; the name of who may, for others. */
export function ConnectionLink({ connectionId }: { connectionId: string }) {
  const { user } = useSession();
  const connection = useQuery(connectionsQuery).data?.connections.find(({ id }) => id === connectionId);
  if (!connection) return null;
  const className = buttonClass({ size: "small" });
  const search = { connection: connectionId };
  const words = t("chat.connection.open", { name: connection.name });
  if (connection.scope === "instance") {
    if (!isAdmin(user)) return <span>{t("chat.connection.admin")}</span>;
    return (
      <Link to="/admin/$section" params={{ section: "connections" }} search={search} className={className}>
        {words}
      </Link>
    );
  }
  if (!connection.mayManage) return null;
  return (
    <Link to="/settings/$section" params={{ section: "connections" }} search={search} className={className}>
      {words}
    </Link>
  );
}
