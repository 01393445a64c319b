import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileJson, Search, SearchX, SquareTerminal } from "lucide-react";
import { routePath } from "../../data/client.ts";
import { type ApiDocument, apiQuery, type Call } from "../../data/queries/docs.queries.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { useElementAction } from "../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { PaneList, PaneRow } from "../../frame/pane.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { SearchField } from "../../ui/controls/text-field.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { List } from "../../ui/lists/list.tsx";
import { CallView } from "./call-view.tsx";
import styles from "./docs.module.css";

const header = "Authorization: Bearer bottega_…";

/** The API reference, from the server's OpenAPI document. */
export function DocsScreen() {
  const { data, error, isPending, refetch } = useQuery(apiQuery);
  const [area, setArea] = useSearchValue("area");
  const [query, setQuery] = useSearchValue("q");
  const pane = data && (
    <PaneList label={t("docs.areas")}>
      {data.areas.map((name) => (
        <PaneRow
          key={name}
          link={
            <button
              type="button"
              aria-current={name === area ? "page" : undefined}
              onClick={() => setArea(name === area ? null : name)}
            />
          }
          count={data.calls.filter((call) => call.area === name).length}
        >
          {name}
        </PaneRow>
      ))}
    </PaneList>
  );
  const searchField = useElementAction<HTMLInputElement>(
    { id: "docs.search", title: t("docs.search"), icon: Search, shortcut: "/" },
    "focus",
  );
  return (
    <Screen
      title={t("screen.docs")}
      heading={t("docs.heading")}
      // Reserves the pane's room until its areas load.
      {...(!error && { pane: { children: pane ?? <SkeletonText lines={8} /> } })}
    >
      <PageColumn wide>
        <div className={styles.head}>
          <p>{t("docs.intro", { header })}</p>
          <div className={styles.links}>
            <Link
              to="/settings/$section"
              params={{ section: "keys" }}
              className={buttonClass({ size: "small" })}
            >
              <SquareTerminal aria-hidden />
              {t("docs.keys")}
            </Link>
            <a href={routePath("getOpenApi")} className={buttonClass({ size: "small" })}>
              <FileJson aria-hidden />
              {t("docs.document")}
            </a>
          </div>
          <SearchField
            ref={searchField}
            label={t("docs.search")}
            value={query ?? ""}
            onValueChange={(typed) => setQuery(typed || null)}
          />
        </div>
        {isPending && <SkeletonText lines={8} />}
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data && <Calls api={data} area={area ?? ""} words={query ?? ""} />}
      </PageColumn>
    </Screen>
  );
}

const matches = ({ path, summary, operationId }: Call, query: string): boolean => {
  const text = `${path} ${summary} ${operationId}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

function Calls({ api, area, words: query }: { api: ApiDocument; area: string; words: string }) {
  const shown = api.areas
    .filter((name) => area === "" || name === area)
    .map((name) => ({
      name,
      calls: api.calls.filter((call) => call.area === name && matches(call, query)),
    }))
    .filter(({ calls }) => calls.length > 0);
  if (shown.length === 0)
    return (
      <EmptyState icon={SearchX} title={t("docs.none")}>
        {t("docs.none.text")}
      </EmptyState>
    );
  return shown.map(({ name, calls }) => (
    <PageSection key={name} title={name} aside={calls.length}>
      <List label={name}>
        {calls.map((call) => (
          <CallView key={call.operationId} call={call} named={api.schemas} />
        ))}
      </List>
    </PageSection>
  ));
}
