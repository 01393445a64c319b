import { type MouseEvent, useDeferredValue, useRef, useState } from "react";
import type { RouteOutput } from "#contract/routes/index.schemas.ts";
import { nothingSelected, type Selection, selectTo, toggleSelected } from "../../components/grid/selection.ts";
import { Rows } from "../../components/rows/rows.tsx";
import { t } from "../../messages/t.ts";
import { PageSection } from "../../shell/page.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SearchField } from "../../ui/text-field.tsx";
import { useSearchValue } from "../../use-search-value.ts";
import type { BudgetTarget } from "./budget-targets.ts";
import styles from "./budgets-section.module.css";
import type { BudgetWays } from "./instance-budgets.tsx";
import { PayerRow } from "./payer-row.tsx";

type Listed = RouteOutput<"listAllBudgets">;
export type Payer = Listed["people"][number];
const fewMost = 50;

/** All people or all projects with their budgets; one budget is set for many at once. */
export function PayerBudgets({ listed, onSet, onRemove }: { listed: Listed } & BudgetWays) {
  const [show, setShow] = useSearchValue("show");
  const [search, setSearch] = useState("");
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const [isWhole, setWhole] = useState(false);
  const withShift = useRef(false);
  const kind = show === "projects" ? "projects" : "people";
  const scope = kind === "projects" ? "project" : "user";
  const sought = useDeferredValue(search).trim().toLowerCase();
  const found = listed[kind].filter(({ name, detail }) => `${name} ${detail}`.toLowerCase().includes(sought));
  const shown = isWhole ? found : found.slice(0, fewMost);
  const chosen = listed[kind].filter(({ id }) => selection.keys.has(id));
  const areAll = found.length > 0 && found.every(({ id }) => selection.keys.has(id));
  const toggle = (index: number, id: string) =>
    setSelection(withShift.current ? selectTo(selection, index, (at) => found[at]?.id) : toggleSelected(selection, index, id));
  const toggleAll = () => setSelection(areAll ? nothingSelected : { keys: new Set(found.map(({ id }) => id)), anchor: null });
  const target: BudgetTarget = {
    scope,
    scopeIds: chosen.map(({ id }) => id),
    ...(chosen.length === 1 && { name: chosen[0]?.name }),
  };
  const change = (next: "people" | "projects") => {
    setShow(next === "people" ? null : next);
    setSelection(nothingSelected);
  };
  return (
    <PageSection title={t("admin.budgets.payers")} intro={t("admin.budgets.payers.intro")}>
      <div className={styles.tools}>
        <Segmented
          label={t("admin.budgets.show")}
          value={kind}
          onValueChange={change}
          options={(["people", "projects"] as const).map((value) => ({ value, label: t(`admin.budgets.${value}`) }))}
        />
        <SearchField label={t("admin.budgets.search")} className={styles.search} value={search} onValueChange={setSearch} />
      </div>
      <div className={styles.selecting}>
        <Checkbox
          label={
            chosen.length > 0
              ? t("admin.budgets.selected", { count: chosen.length })
              : t("admin.budgets.selectAll", { count: found.length })
          }
          checked={areAll}
          mixed={chosen.length > 0 && !areAll}
          onCheckedChange={toggleAll}
        />
        {chosen.length > 0 && (
          <div className={styles.ways}>
            <Button size="small" variant="primary" onClick={() => onSet(target)}>
              {t("budgets.set")}
            </Button>
            <Button size="small" onClick={() => onRemove(target)}>
              {t("admin.budgets.remove")}
            </Button>
            <Button size="small" variant="ghost" onClick={() => setSelection(nothingSelected)}>
              {t("admin.budgets.clear")}
            </Button>
          </div>
        )}
      </div>
      {found.length === 0 && <p className={styles.none}>{t("admin.budgets.noMatch")}</p>}
      {found.length > 0 && (
        <Rows label={t(`admin.budgets.${kind}`)}>
          {shown.map((payer, index) => (
            <PayerRow
              key={payer.id}
              payer={payer}
              scope={scope}
              budgets={listed.budgets}
              isSelected={selection.keys.has(payer.id)}
              onSet={onSet}
              onRemove={onRemove}
              onToggle={() => toggle(index, payer.id)}
              onPress={({ shiftKey }: MouseEvent) => {
                withShift.current = shiftKey;
              }}
            />
          ))}
        </Rows>
      )}
      {found.length > shown.length && (
        <Button size="small" variant="ghost" className={styles.more} onClick={() => setWhole(true)}>
          {t("admin.budgets.all", { count: found.length })}
        </Button>
      )}
    </PageSection>
  );
}
