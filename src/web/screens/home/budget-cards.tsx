import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import type { BudgetStanding } from "#contract/entities.ts";
import { nearnessOf, periodNow } from "../../components/budgets/budget-words.ts";
import { budgetsQuery } from "../../components/budgets/budgets.queries.ts";
import { formatMoney, formatShare } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { useSession } from "../../shell/shell-data.ts";
import { buttonClass } from "../../ui/button.tsx";
import styles from "./home.module.css";

/** The budgets over one's own work here that have passed 80 %: one's own, and the project's. */
export function useNearBudgets(): BudgetStanding[] {
  const { user, project } = useSession();
  const budgets = useQuery(budgetsQuery).data ?? [];
  const isMine = ({ scope, scopeId }: BudgetStanding) =>
    (scope === "user" && scopeId === user.id) || (scope === "project" && scopeId === project.id);
  return budgets.filter((budget) => isMine(budget) && budget.limitMicros > 0 && nearnessOf(budget) !== "far");
}

/** "Your budget for November is 83% spent: $8.30 of $10.00." */
export function BudgetCard({ budget }: { budget: BudgetStanding }) {
  const { project } = useSession();
  const { scope, scopeId, period, spentMicros, heldMicros, limitMicros } = budget;
  const values = { name: project.name, period: periodNow(budget), share: formatShare(spentMicros / limitMicros) };
  return (
    <article className={styles.card}>
      <ReceiptText aria-hidden className={styles.warn} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t(`home.budget.${scope === "user" ? "mine" : "project"}.${period}`, values)}</h3>
        <p className={styles.cardText}>
          {t("budgets.spent", { spent: formatMoney(spentMicros), limit: formatMoney(limitMicros) })}
          {heldMicros > 0 && ` · ${t("budgets.held", { held: formatMoney(heldMicros) })}`}. {t(`budgets.on.${budget.onLimit}`)}
        </p>
        <Link to="/usage" search={scope === "project" && scopeId ? { scope: scopeId } : {}} className={buttonClass()}>
          {t("home.budget.see")}
        </Link>
      </div>
    </article>
  );
}
