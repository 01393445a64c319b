import { Link } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import type { BudgetStanding } from "#contract/entities.ts";
import { periodNow } from "../../components/budgets/budget-text.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatAtLeast, formatLeastShare, formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";

/** A card for each nearly spent budget. */
export const BudgetCards = ({ budgets }: { budgets: readonly BudgetStanding[] }) =>
  budgets.map((budget) => <BudgetCard key={budget.id} budget={budget} />);

/** "Your budget for November is 83% spent: $8.30 of $10.00." */
function BudgetCard({ budget }: { budget: BudgetStanding }) {
  const { project } = useSession();
  const { scope, scopeId, period, spentMicros, heldMicros, limitMicros, unpricedRuns } = budget;
  const values = {
    name: project.name,
    period: periodNow(budget),
    share: formatLeastShare(spentMicros / limitMicros, unpricedRuns),
  };
  return (
    <NoticeCard
      icon={ReceiptText}
      tone="warn"
      title={t(`home.budget.${scope === "user" ? "mine" : "project"}.${period}`, values)}
      text={
        <>
          {t("budgets.spent", {
            spent: formatAtLeast(spentMicros, unpricedRuns),
            limit: formatMoney(limitMicros),
          })}
          {heldMicros > 0 && ` · ${t("budgets.held", { held: formatMoney(heldMicros) })}`}.{" "}
          {t(`budgets.on.${budget.onLimit}`)}
        </>
      }
    >
      <Link
        to="/usage"
        search={scope === "project" && scopeId ? { scope: scopeId } : {}}
        className={buttonClass()}
      >
        {t("home.budget.see")}
      </Link>
    </NoticeCard>
  );
}
