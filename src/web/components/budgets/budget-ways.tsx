import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ServerProblem } from "../../data/client.ts";
import { t } from "../../messages/t.ts";
import { toModelPath } from "../../screens/models/model-ref.ts";
import { connectionsQuery } from "../../screens/models/models.queries.ts";
import { isAdmin, useSession } from "../../shell/shell-data.ts";
import { buttonClass } from "../../ui/button.tsx";

/** Links to the budget that refused, and to the model that has no ceiling, for whoever may change them; to usage for everybody. */
export function BudgetWays({ error }: { error: unknown }) {
  const { user, project } = useSession();
  const connections = useQuery(connectionsQuery).data?.connections ?? [];
  if (!(error instanceof ServerProblem)) return null;
  const { scope, authority, connectionId, modelId } = error.body as Record<string, unknown>;
  const mayPrice = connections.some(({ id, mayManage }) => id === connectionId && mayManage);
  const ofManagers = scope === "project" && authority === "manager" && project.role === "manager";
  const className = buttonClass();
  return (
    <>
      {mayPrice && typeof connectionId === "string" && typeof modelId === "string" && (
        <Link to="/models/$" params={{ _splat: toModelPath({ connectionId, modelId }) }} className={className}>
          {t("budget.way.ceiling")}
        </Link>
      )}
      {ofManagers && (
        <Link to="/projects/$id" params={{ id: project.id }} className={className}>
          {t("budget.way.set")}
        </Link>
      )}
      {!ofManagers && isAdmin(user) && (
        <Link
          to="/admin/$section"
          params={{ section: "budgets" }}
          search={scope === "project" ? { show: "projects" } : {}}
          className={className}
        >
          {t("budget.way.set")}
        </Link>
      )}
      <Link to="/usage" className={className}>
        {t("budget.way.see")}
      </Link>
    </>
  );
}
