import type { KeyScope } from "#contract/key-scopes.ts";
import type { AnyKey, OwnKey } from "../../data/queries/keys.queries.ts";
import { formatAtLeast, formatMoney, formatSpent, formatWhen } from "../../messages/format.ts";
import { getRegion } from "../../messages/region.ts";
import { t } from "../../messages/t.ts";
import { perPeriod } from "../budgets/budget-text.ts";

/** "3 May 2027": the day on which a key expires. */
export function endDay(at: number): string {
  const { locale, timeZone } = getRegion();
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone }).format(at);
}

/** "used 2 hours ago · ends 3 May" */
export function lifetimeText(
  { lastUsedAt, expiresAt }: Pick<AnyKey, "lastUsedAt" | "expiresAt">,
  now: number,
): string {
  const used =
    lastUsedAt === null ? t("keys.unused") : t("keys.used", { when: formatWhen(lastUsedAt, now) });
  return expiresAt === null ? used : `${used} · ${t("keys.ends", { when: endDay(expiresAt) })}`;
}

export const scopeText = (scopes: readonly KeyScope[]): string =>
  t("keys.may", { scopes: scopes.map((scope) => t(`keys.scope.${scope}`)).join(", ") });

/** The models that a key is limited to; empty for a key without a limit. */
export function modelsText(models: OwnKey["models"]): string {
  if (!models) return "";
  const shown = models.slice(0, modelsNamed).map(({ name }) => name);
  const rest = models.length - shown.length;
  const names = rest > 0 ? [...shown, t("keys.models.more", { count: rest })] : shown;
  return t("keys.models", { models: names.join(", ") });
}
const modelsNamed = 3;

/** The cost of a key's runs, with "at least" if some have no price; empty if it is zero. */
export function spentText({
  spentMicros,
  unpricedRuns,
}: Pick<OwnKey, "spentMicros" | "unpricedRuns">): string {
  if (spentMicros === 0 && unpricedRuns > 0) return t("money.unpriced", { count: unpricedRuns });
  return spentMicros > 0 ? t("keys.spent", { amount: formatSpent(spentMicros, unpricedRuns) }) : "";
}

export const budgetTexts = (budgets: OwnKey["budgets"]): string[] =>
  budgets.map(({ spentMicros, limitMicros, period, unpricedRuns }) =>
    t("keys.budget", {
      spent: formatAtLeast(spentMicros, unpricedRuns),
      limit: formatMoney(limitMicros),
      period: perPeriod(period),
    }),
  );
