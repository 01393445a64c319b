import { Pencil, Plus, Trash2 } from "lucide-react";
import type { BudgetStanding } from "#contract/entities.ts";
import { BudgetBar, ruleWords } from "../../../components/budgets/budget-bar.tsx";
import { perPeriod } from "../../../components/budgets/budget-words.ts";
import barStyles from "../../../components/budgets/budgets.module.css";
import { Row, Rows } from "../../../components/rows/rows.tsx";
import { PageSection } from "../../../frame/page.tsx";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import type { BudgetTarget } from "./budget-targets.ts";
import styles from "./budgets-section.module.css";

export type BudgetWays = {
  onSet: (target: BudgetTarget) => void;
  onRemove: (target: BudgetTarget) => void;
};

/** What bounds everything, and what who and what is new begins with. */
export function InstanceBudgets({
  budgets,
  ...ways
}: { budgets: readonly BudgetStanding[] } & BudgetWays) {
  const instance = {
    scope: "instance",
    scopeIds: [null],
    name: t("budgets.instance"),
  } as const satisfies BudgetTarget;
  const own = budgets.filter(({ scope }) => scope === "instance");
  return (
    <>
      <PageSection
        title={t("budgets.instance")}
        intro={t("admin.budgets.instance.intro")}
        action={
          <Button size="small" icon={Plus} onClick={() => ways.onSet(instance)}>
            {t("budgets.set")}
          </Button>
        }
      >
        {own.length === 0 ? (
          <p className={styles.none}>{t("admin.budgets.instance.none")}</p>
        ) : (
          <ul className={barStyles.list}>
            {own.map((budget) => (
              <BudgetBar
                key={budget.id}
                budget={budget}
                actions={<ChangeButtons target={{ ...instance, changed: budget }} {...ways} />}
              />
            ))}
          </ul>
        )}
      </PageSection>
      <DefaultBudgets budgets={budgets} {...ways} />
    </>
  );
}

function DefaultBudgets({ budgets, ...ways }: { budgets: readonly BudgetStanding[] } & BudgetWays) {
  const kinds = [
    { scope: "user", scopeIds: [null], name: t("budgets.everyPerson") },
    { scope: "project", scopeIds: [null], name: t("budgets.everyProject") },
  ] as const satisfies BudgetTarget[];
  const own = budgets.filter(({ scope, scopeId }) => scope !== "instance" && scopeId === null);
  return (
    <PageSection title={t("admin.budgets.defaults")} intro={t("admin.budgets.defaults.intro")}>
      {own.length === 0 && <p className={styles.none}>{t("admin.budgets.defaults.none")}</p>}
      {own.length > 0 && (
        <Rows label={t("admin.budgets.defaults")}>
          {kinds.flatMap((kind) =>
            own
              .filter(({ scope }) => scope === kind.scope)
              .map((budget) => (
                <Row
                  key={budget.id}
                  title={kind.name}
                  detail={`${limitWords(budget)}. ${ruleWords(budget)}`}
                  end={<ChangeButtons target={{ ...kind, changed: budget }} {...ways} />}
                />
              )),
          )}
        </Rows>
      )}
      <div className={styles.buttons}>
        {kinds.map((kind) => (
          <Button key={kind.scope} size="small" icon={Plus} onClick={() => ways.onSet(kind)}>
            {kind.name}
          </Button>
        ))}
      </div>
    </PageSection>
  );
}

/** "$10.00 a month" */
const limitWords = ({
  limitMicros,
  period,
}: Pick<BudgetStanding, "limitMicros" | "period">): string =>
  t("admin.budgets.each", { limit: formatMoney(limitMicros), period: perPeriod(period) });

export function ChangeButtons({ target, onSet, onRemove }: { target: BudgetTarget } & BudgetWays) {
  const name = `${target.name ?? ""}, ${target.changed ? limitWords(target.changed) : ""}`;
  return (
    <span className={styles.pair}>
      <IconButton
        size="small"
        icon={Pencil}
        label={t("budgets.change.of", { name })}
        onClick={() => onSet(target)}
      />
      <IconButton
        size="small"
        icon={Trash2}
        label={t("budgets.remove.of", { name })}
        onClick={() => onRemove(target)}
      />
    </span>
  );
}
