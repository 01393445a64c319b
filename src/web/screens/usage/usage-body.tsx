import { Link } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import type { DayRange } from "#domain/money/usage-range.ts";
import type { Usage, UsageScope } from "../../data/queries/usage.queries.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { Breakdowns } from "./breakdowns.tsx";
import { BudgetsInScope } from "./budgets-in-scope.tsx";
import { CostPerKeeper } from "./cost-per-keeper.tsx";
import { fillBars } from "./range.ts";
import { SpendByStep } from "./spend-by-step.tsx";
import { Totals } from "./totals.tsx";

/** The totals, the chart and the tables. */
export function UsageBody({
  usage,
  range,
  scope,
}: {
  usage: Usage;
  range: DayRange;
  scope: UsageScope;
}) {
  const now = useNow();
  return (
    <>
      <Totals usage={usage} />
      <BudgetsInScope scope={scope} />
      {usage.bars.length === 0 ? (
        <NothingUsed ofInstance={scope.asAdmin} />
      ) : (
        <>
          <SpendByStep step={usage.step} bars={fillBars(range, usage.step, usage.bars, now)} />
          <Breakdowns usage={usage} />
          {!scope.asAdmin && (
            <CostPerKeeper range={range} scope={scope} connections={usage.connections} />
          )}
        </>
      )}
    </>
  );
}

function NothingUsed({ ofInstance }: { ofInstance: boolean }) {
  const action = (
    <Link to="/chat" className={buttonClass()}>
      {t("usage.empty.ask")}
    </Link>
  );
  return (
    <EmptyState icon={ReceiptText} title={t("usage.empty")} action={action}>
      {t(ofInstance ? "usage.empty.text.instance" : "usage.empty.text")}
    </EmptyState>
  );
}
