import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BudgetTarget } from "../../../components/budgets/budget-targets.ts";
import { useBudgetDialogs } from "../../../components/budgets/use-budget-dialogs.tsx";
import { payersQuery } from "../../../data/queries/budgets.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { PageSection } from "../../../frame/page.tsx";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { List } from "../../../ui/lists/list.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ListSearch } from "../../../ui/lists/list-search.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import lists from "../selecting-list.module.css";
import { SelectingBar, useSelecting } from "../selecting-list.tsx";
import { PayerRow } from "./payer-row.tsx";

/**
 * People or projects with their budgets. One budget can be set for many at once, or for everything
 * a search finds.
 */
export function PayerBudgets() {
  const [show, setShow] = useSearchValue("show");
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const kind = show === "projects" ? "projects" : "people";
  const scope = kind === "projects" ? "project" : "user";
  const query = useInfiniteQuery(payersQuery({ scope, ...(q && { q }) }));
  const pages = query.data?.pages ?? [];
  const payers = pages.flatMap((page) => page.payers);
  // While another list or search loads, the rows are still the previous ones.
  const isBehind = query.isPlaceholderData || q !== search.trim();
  const count = isBehind ? undefined : pages[0]?.count;
  const { ways, dialogs } = useBudgetDialogs(payers.flatMap(({ budgets }) => budgets));
  const selecting = useSelecting(payers.map(({ id }) => id));
  const chosen = payers.filter(({ id }) => selecting.has(id));
  const of = { authority: "admin", scope } as const;
  const target: BudgetTarget = {
    ...of,
    scopeIds: chosen.map(({ id }) => id),
    ...(chosen.length === 1 && { name: chosen[0]?.name }),
  };
  const found: BudgetTarget | null =
    count === undefined ? null : { ...of, scopeIds: [], found: { count, ...(q && { q }) } };
  const label = t(query.hasNextPage ? "admin.budgets.selectShown" : "admin.budgets.selectAll", {
    count: payers.length,
  });
  return (
    <PageSection
      title={t("admin.budgets.payers")}
      aside={count !== undefined && formatCount(count)}
      intro={t("admin.budgets.payers.intro")}
    >
      <div className={lists.tools}>
        <Segmented
          label={t("admin.budgets.show")}
          value={kind}
          onValueChange={(next) => {
            setShow(next === "people" ? null : next);
            selecting.clear();
          }}
          options={(["people", "projects"] as const).map((value) => ({
            value,
            label: t(`admin.budgets.${value}`),
          }))}
        />
        <ListSearch
          label={t("admin.budgets.search")}
          className={lists.search}
          value={search}
          onValueChange={(next) => {
            setSearch(next);
            selecting.clear();
          }}
          count={count}
        />
      </div>
      <ListState query={query} rows={5} none={payers.length === 0 && t("admin.budgets.noMatch")} />
      {payers.length > 0 && (
        <>
          <SelectingBar
            selecting={selecting}
            count={chosen.length}
            label={
              chosen.length > 0 ? t("admin.budgets.selected", { count: chosen.length }) : label
            }
          >
            {chosen.length > 0 && (
              <>
                <Button size="small" variant="primary" onClick={() => ways.onSet(target)}>
                  {t("budgets.set")}
                </Button>
                <Button size="small" onClick={() => ways.onRemove(target)}>
                  {t("budgets.remove")}
                </Button>
                <Button size="small" variant="ghost" onClick={selecting.clear}>
                  {t("admin.budgets.clear")}
                </Button>
              </>
            )}
            {chosen.length === 0 && query.hasNextPage && found?.found && (
              <>
                <Button size="small" onClick={() => ways.onSet(found)}>
                  {t("admin.budgets.forAll", { count: found.found.count })}
                </Button>
                <Button size="small" onClick={() => ways.onRemove(found)}>
                  {t("admin.budgets.removeAll", { count: found.found.count })}
                </Button>
              </>
            )}
          </SelectingBar>
          <List label={t(`admin.budgets.${kind}`)}>
            {payers.map((payer, index) => (
              <PayerRow
                key={payer.id}
                payer={payer}
                scope={scope}
                isSelected={selecting.has(payer.id)}
                {...ways}
                onToggle={() => selecting.toggle(index, payer.id)}
                onPress={selecting.onPress}
              />
            ))}
          </List>
          <ListMore query={query} of={t(`admin.budgets.${kind}`)} />
        </>
      )}
      {dialogs}
    </PageSection>
  );
}
