import { Link } from "@tanstack/react-router";
import { ServerProblem } from "../../data/client.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { type MessageId, t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";

/** From a refusal by a budget to where it is changed, for whoever may, or seen; nothing for any other error. */
export function BudgetWay({ error }: { error: unknown }) {
  const { user, project } = useSession();
  const [to, words] = wayOf(
    error instanceof ServerProblem ? error.body : {},
    isAdmin(user),
    project.role === "manager" && project.id,
  );
  return (
    to &&
    words && (
      // Of several routes, all of them without a typed search.
      <Link to={to as "/usage"} className={buttonClass()}>
        {t(words)}
      </Link>
    )
  );
}

/** The model's page takes a ceiling from whoever manages its connection, and says to others why there has to be one. */
function wayOf(
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
