import { Plus } from "lucide-react";
import type { BudgetStanding } from "#contract/entities.ts";
import { ruleText } from "../../../components/budgets/budget-bar.tsx";
import {
  type BudgetActions,
  BudgetList,
  ChangeButtons,
  limitText,
} from "../../../components/budgets/budget-list.tsx";
import type { BudgetTarget } from "../../../components/budgets/budget-targets.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import styles from "./budgets-section.module.css";

/** The instance's budgets, and the defaults for new people and projects. */
export function InstanceBudgets({
  budgets,
  ...ways
}: { budgets: readonly BudgetStanding[] } & BudgetActions) {
  const instance = {
    authority: "admin",
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
          <ActionButton
            action="budgets.set"
            size="small"
            icon={Plus}
            onClick={() => ways.onSet(instance)}
          >
            {t("budgets.set")}
          </ActionButton>
        }
      >
        {own.length === 0 ? (
          <p className={styles.none}>{t("admin.budgets.instance.none")}</p>
        ) : (
          <BudgetList budgets={own} target={instance} actions={ways} />
        )}
      </PageSection>
      <DefaultBudgets budgets={budgets} {...ways} />
    </>
  );
}

function DefaultBudgets({
  budgets,
  ...ways
}: { budgets: readonly BudgetStanding[] } & BudgetActions) {
  const kinds = [
    { authority: "admin", scope: "user", scopeIds: [null], name: t("budgets.everyPerson") },
    { authority: "admin", scope: "project", scopeIds: [null], name: t("budgets.everyProject") },
  ] as const satisfies BudgetTarget[];
  const own = budgets.filter(({ scope, scopeId }) => scope !== "instance" && scopeId === null);
  return (
    <PageSection title={t("admin.budgets.defaults")} intro={t("admin.budgets.defaults.intro")}>
      {own.length === 0 && <p className={styles.none}>{t("admin.budgets.defaults.none")}</p>}
      {own.length > 0 && (
        <List label={t("admin.budgets.defaults")}>
          {kinds.flatMap((kind) =>
            own
              .filter(({ scope }) => scope === kind.scope)
              .map((budget) => (
                <ListRow
                  key={budget.id}
                  title={kind.name}
                  detail={`${limitText(budget)}. ${ruleText(budget)}`}
                  end={<ChangeButtons target={{ ...kind, changed: budget }} {...ways} />}
                />
              )),
          )}
        </List>
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
