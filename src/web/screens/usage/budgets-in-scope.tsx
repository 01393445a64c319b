import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { BudgetStanding } from "#contract/entities.ts";
import { BudgetList } from "../../components/budgets/budget-list.tsx";
import { sharesOf } from "../../components/budgets/budget-text.ts";
import { budgetsQuery } from "../../data/queries/budgets.queries.ts";
import type { UsageScope } from "../../data/queries/usage.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import styles from "./usage.module.css";

const fewMost = 6;

/** The budgets that apply to the scope, closest to the limit first. */
export function BudgetsInScope({ scope }: { scope: UsageScope }) {
  const { user, projects } = useSession();
  const { data, error, refetch } = useQuery(budgetsQuery);
  const [isWhole, setWhole] = useState(false);
  const budgets = (data ?? [])
    .filter((budget) => isOver(budget, scope))
    .toSorted((a, b) => sharesOf(b).taken - sharesOf(a).taken);
  if (!error && budgets.length === 0) return null;
  const nameOf = ({ scope: of, scopeId }: BudgetStanding) =>
    of === "project"
      ? (projects.find(({ id }) => id === scopeId)?.name ?? "")
      : t(of === "user" ? "budgets.you" : "budgets.instance");
  return (
    <PageSection
      title={t("usage.budgets")}
      aside={budgets.length}
      action={
        isAdmin(user) && (
          <Link
            to="/admin/$section"
            params={{ section: "budgets" }}
            className={buttonClass({ size: "small" })}
          >
            {t("usage.budgets.set")}
          </Link>
        )
      }
    >
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      <BudgetList budgets={budgets.slice(0, isWhole ? undefined : fewMost)} nameOf={nameOf} />
      {budgets.length > fewMost && !isWhole && (
        <Button size="small" variant="ghost" className={styles.more} onClick={() => setWhole(true)}>
          {t("usage.budgets.more", { count: budgets.length })}
        </Button>
      )}
    </PageSection>
  );
}

/**
 * For the person's projects, their own and the projects' budgets; for the instance, its own; for a
 * project, its own.
 */
function isOver(budget: BudgetStanding, { asAdmin, projectId }: UsageScope): boolean {
  if (projectId !== undefined) return budget.scope === "project" && budget.scopeId === projectId;
  return asAdmin ? budget.scope === "instance" : budget.scope !== "instance";
}
