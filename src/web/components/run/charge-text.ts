import type { Run } from "#contract/entities.ts";
import { costOf, formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";

/** An ended run's cost, as a sentence. */
export function chargeText(run: Run): string {
  if (run.imported) return formatPrice(costOf(run));
  if (run.costMicros === null) return t("run.charged.unknown");
  if (run.costBasis === "assumed") return t("run.charged.assumed");
  return run.costMicros === 0
    ? t("run.charged.nothing")
    : t("run.charged", { amount: formatPrice(costOf(run)) });
}
