import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { Project } from "#contract/entities.ts";
import { BudgetList } from "../../components/budgets/budget-list.tsx";
import type { BudgetTarget } from "../../components/budgets/budget-targets.ts";
import { useBudgetDialogs } from "../../components/budgets/use-budget-dialogs.tsx";
import { budgetsQuery } from "../../data/queries/budgets.queries.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";

/** The project's budgets: the managers' own, which they can edit, and the admin's. */
export function BudgetSection({ project }: { project: Project }) {
  const { data, error, refetch } = useQuery(budgetsQuery);
  const mayManage = project.role === "manager";
  const budgets = (data ?? []).filter(
    ({ scope, scopeId }) => scope === "project" && scopeId === project.id,
  );
  const { ways, dialogs } = useBudgetDialogs(budgets);
  if (!mayManage && budgets.length === 0) return null;
  const target: BudgetTarget = {
    authority: "manager",
    scope: "project",
    scopeIds: [project.id],
    name: project.name,
  };
  return (
    <PageSection
      title={t("project.budget")}
      intro={t("project.budget.intro")}
      action={
        mayManage && (
          <ActionButton
            action="budgets.set"
            size="small"
            icon={Plus}
            onClick={() => ways.onSet(target)}
          >
            {t("budgets.set")}
          </ActionButton>
        )
      }
    >
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data && budgets.length === 0 && <p>{t("project.budget.none")}</p>}
      <BudgetList
        budgets={budgets}
        nameOf={() => project.name}
        {...(mayManage && { target, actions: ways })}
      />
      {dialogs}
    </PageSection>
  );
}
