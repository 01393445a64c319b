import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { csvPath, type UsageRequest, usageQuery } from "../../data/queries/usage.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { useElementAction } from "../../frame/action-button.tsx";
import { PageColumn } from "../../frame/page.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { BudgetsInScope } from "./budgets-in-scope.tsx";
import { chosenRange, readRange } from "./range.ts";
import { RangePicker } from "./range-picker.tsx";
import { ScopePicker, scopeOf } from "./scope-picker.tsx";
import styles from "./usage.module.css";
import { UsageBody } from "./usage-body.tsx";

/** Usage and cost by day, model, project, person and key, and the budgets. */
export function UsageScreen() {
  const { user, projects } = useSession();
  const now = useNow();
  const [name] = useSearchValue("range");
  const [from] = useSearchValue("from");
  const [to] = useSearchValue("to");
  const [scopeText] = useSearchValue("scope");
  const chosen = chosenRange(name, from, to, now);
  const read = readRange(chosen, now);
  const scope = scopeOf(scopeText, projects, isAdmin(user));
  const asked: UsageRequest | undefined = "range" in read ? { ...read.range, ...scope } : undefined;
  const shown = useQuery(usageQuery(asked ?? { from: "", to: "", ...scope }, asked !== undefined));
  const link = useElementAction<HTMLAnchorElement>({
    id: "usage.download",
    title: t("usage.download"),
    icon: Download,
  });
  const download = asked && (
    <a
      ref={link}
      href={csvPath(asked)}
      download
      className={classes(buttonClass(), styles.download)}
    >
      <Download aria-hidden size={16} />
      {t("usage.download")}
    </a>
  );
  return (
    <Screen
      title={t("screen.usage")}
      heading={t("screen.usage")}
      tools={<ScopePicker value={scopeText} />}
      actions={download}
    >
      <PageColumn wide>
        <RangePicker
          chosen={chosen}
          problem={"problem" in read ? read.problem : null}
          shown={asked}
        />
        {shown.isError && <ErrorState error={shown.error} onRetry={() => void shown.refetch()} />}
        {shown.isPending && asked && <UsageSkeleton />}
        {shown.data && asked && !shown.isError && (
          <div className={styles.body} data-busy={shown.isPlaceholderData || undefined}>
            <UsageBody usage={shown.data} range={asked} scope={scope} />
          </div>
        )}
        {(shown.isError || !asked) && <BudgetsInScope scope={scope} />}
      </PageColumn>
    </Screen>
  );
}

/** The skeleton of the totals, the chart and a table. */
function UsageSkeleton() {
  return (
    <div role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <Skeleton height={96} radius={11} className={styles.wide} />
      <Skeleton height={216} radius={11} className={styles.wide} />
      <Skeleton height={260} radius={11} className={styles.wide} />
    </div>
  );
}
