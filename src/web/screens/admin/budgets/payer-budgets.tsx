import { useDeferredValue, useState } from "react";
import type { RouteOutput } from "#contract/schemas/index.ts";
import type { BudgetWays } from "../../../components/budgets/budget-list.tsx";
import type { BudgetTarget } from "../../../components/budgets/budget-targets.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { List } from "../../../ui/lists/list.tsx";
import lists from "../selecting-list.module.css";
import { SelectingBar, useSelecting } from "../selecting-list.tsx";
import styles from "./budgets-section.module.css";
import { PayerRow } from "./payer-row.tsx";

type Listed = RouteOutput<"listAllBudgets">;
const fewMost = 50;

/** People or projects with their budgets. One budget can be set for many at once. */
export function PayerBudgets({ listed, onSet, onRemove }: { listed: Listed } & BudgetWays) {
  const [show, setShow] = useSearchValue("show");
  const [search, setSearch] = useState("");
  const [isWhole, setWhole] = useState(false);
  const kind = show === "projects" ? "projects" : "people";
  const scope = kind === "projects" ? "project" : "user";
  const sought = useDeferredValue(search).trim().toLowerCase();
  const found = listed[kind].filter(({ name, detail }) =>
    `${name} ${detail}`.toLowerCase().includes(sought),
  );
  const shown = isWhole ? found : found.slice(0, fewMost);
  const selecting = useSelecting(found.map(({ id }) => id));
  const chosen = listed[kind].filter(({ id }) => selecting.has(id));
  const target: BudgetTarget = {
    authority: "admin",
    scope,
    scopeIds: chosen.map(({ id }) => id),
    ...(chosen.length === 1 && { name: chosen[0]?.name }),
  };
  const change = (next: "people" | "projects") => {
    setShow(next === "people" ? null : next);
    selecting.clear();
  };
  return (
    <PageSection title={t("admin.budgets.payers")} intro={t("admin.budgets.payers.intro")}>
      <div className={lists.tools}>
        <Segmented
          label={t("admin.budgets.show")}
          value={kind}
          onValueChange={change}
          options={(["people", "projects"] as const).map((value) => ({
            value,
            label: t(`admin.budgets.${value}`),
          }))}
        />
        <SearchField
          label={t("admin.budgets.search")}
          className={lists.search}
          value={search}
          onValueChange={setSearch}
        />
      </div>
      <SelectingBar
        selecting={selecting}
        count={chosen.length}
        label={
          chosen.length > 0
            ? t("admin.budgets.selected", { count: chosen.length })
            : t("admin.budgets.selectAll", { count: found.length })
        }
      >
        {chosen.length > 0 && (
          <>
            <Button size="small" variant="primary" onClick={() => onSet(target)}>
              {t("budgets.set")}
            </Button>
            <Button size="small" onClick={() => onRemove(target)}>
              {t("budgets.remove")}
            </Button>
            <Button size="small" variant="ghost" onClick={selecting.clear}>
              {t("admin.budgets.clear")}
            </Button>
          </>
        )}
      </SelectingBar>
      {found.length === 0 && <p className={styles.none}>{t("admin.budgets.noMatch")}</p>}
      {found.length > 0 && (
        <List label={t(`admin.budgets.${kind}`)}>
          {shown.map((payer, index) => (
            <PayerRow
              key={payer.id}
              payer={payer}
              scope={scope}
              budgets={listed.budgets}
              isSelected={selecting.has(payer.id)}
              onSet={onSet}
              onRemove={onRemove}
              onToggle={() => selecting.toggle(index, payer.id)}
              onPress={selecting.onPress}
            />
          ))}
        </List>
      )}
      {found.length > shown.length && (
        <Button size="small" variant="ghost" className={lists.more} onClick={() => setWhole(true)}>
          {t("admin.budgets.all", { count: found.length })}
        </Button>
      )}
    </PageSection>
  );
}
