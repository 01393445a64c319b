import { Link } from "@tanstack/react-router";
import { ServerProblem } from "../../data/client.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { type MessageId, t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";

/**
 * Links from a budget's refusal to the page that changes or shows the budget, depending on the
 * person's rights; renders nothing for other errors.
 */
export function BudgetLink({ error }: { error: unknown }) {
  const { user, project } = useSession();
  const [to, label] = linkOf(
    error instanceof ServerProblem ? error.body : {},
    isAdmin(user),
    project.role === "manager" && project.id,
  );
  return (
    to &&
    label && (
      // One of several routes, none of which has typed search parameters.
      <Link to={to as "/usage"} className={buttonClass()}>
        {t(label)}
      </Link>
    )
  );
}

/**
 * On the model's page, the connection's managers can set a price ceiling; others see why one is
 * needed.
 */
function linkOf(
  { code, scope, authority, connectionId, modelId }: Record<string, unknown>,
  isAnAdmin: boolean,
  managedId: string | false,
): [to: string, words: MessageId] | [] {
  if (code === "ceiling_needed")
    return [`/models/${connectionId}/${modelId}`, "budget.way.ceiling"];
  if (code !== "budget_exceeded") return [];
  if (authority === "manager" && managedId) return [`/projects/${managedId}`, "budget.way.set"];
  return isAnAdmin
    ? [`/admin/budgets?show=${scope}s`, "budget.way.set"]
    : ["/usage", "budget.way.see"];
}
