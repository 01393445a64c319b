import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Boxes, SearchX } from "lucide-react";
import { useDeferredValue } from "react";
import { aliasConnectionId } from "#contract/aliases.ts";
import { ConnectServiceLink } from "../../components/connections/connect-service-link.tsx";
import { useConnectionsInReach } from "../../components/connections/use-connections-in-reach.ts";
import { ModelLine, modelLineClass } from "../../components/model/model-line.tsx";
import { ModelList } from "../../components/model/model-list.tsx";
import { useCatalogueFilter } from "../../data/catalogue-filter.ts";
import { fromModelPath, toModelPath } from "../../data/model-ref.ts";
import { connectionsQuery } from "../../data/queries/shared.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { PageColumn } from "../../frame/page.tsx";
import { PaneHeading, PaneList, PaneRow, PaneSearch } from "../../frame/pane.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import { CatalogueTools } from "./catalogue-tools.tsx";
import styles from "./models-screen.module.css";
import { StarButton } from "./star-button.tsx";

const ModelPage = lazyPart(() =>
  import("./model/model-page.tsx").then(({ ModelPage }) => ModelPage),
);

/** The catalogue with search and filters, and the page of each model. */
export function ModelsScreen() {
  const { project } = useSession();
  const ref = fromModelPath(useParams({ strict: false })._splat);
  const [search = "", setSearch] = useSearchValue("q");
  const { filter: chosen, set, clear } = useCatalogueFilter();
  const { connectionId } = chosen;
  const connections = useConnectionsInReach();
  const filter = { ...chosen, search: useDeferredValue(search) };
  const isFiltered = Boolean(search || Object.keys(chosen).some((key) => key !== "order"));
  const aliases = useQuery(connectionsQuery).data?.aliases ?? 0;
  const offered = connections.filter(
    (connection) => connection.models > 0 && connection.status !== "disabled",
  );
  const pane = {
    children: (
      <>
        <PaneSearch
          label={t("models.search")}
          value={search}
          onValueChange={(value) => setSearch(value || null)}
        />
        <PaneList label={t("models.connections")}>
          <PaneHeading>{t("models.connections")}</PaneHeading>
          <PaneRow
            link={<FilterLink connection={undefined} isCurrent={!ref && !connectionId} />}
            count={sum(offered) + aliases}
          >
            {t("models.connections.all")}
          </PaneRow>
          {offered.map(({ id, name, models }) => (
            <PaneRow
              key={id}
              link={<FilterLink connection={id} isCurrent={!ref && connectionId === id} />}
              count={models}
            >
              {name}
            </PaneRow>
          ))}
          {aliases > 0 && (
            <PaneRow
              link={
                <FilterLink
                  connection={aliasConnectionId}
                  isCurrent={!ref && connectionId === aliasConnectionId}
                />
              }
              count={aliases}
            >
              {t("models.aliases")}
            </PaneRow>
          )}
        </PaneList>
      </>
    ),
  };
  return (
    <Screen
      title={t("screen.models")}
      pane={pane}
      tools={ref ? undefined : <CatalogueTools projectId={project.id} filter={chosen} set={set} />}
      isSelfScrolling
    >
      {ref ? (
        <Part fallback={<PageComing />}>
          <ModelPage projectId={project.id} modelRef={ref} />
        </Part>
      ) : (
        <ModelList
          projectId={project.id}
          filter={filter}
          renderRow={(model) => (
            <div className={styles.row}>
              <Link
                to="/models/$"
                params={{ _splat: toModelPath(model) }}
                search={(before) => before}
                className={modelLineClass()}
              >
                <ModelLine model={model} />
              </Link>
              <StarButton model={model} />
            </div>
          )}
          empty={isFiltered ? <NoneFits onClear={clear} /> : <NoModels />}
        />
      )}
    </Screen>
  );
}

/** Skeleton until the page's code has loaded. */
const PageComing = () => (
  <PageColumn>
    <SkeletonText lines={5} />
  </PageColumn>
);

const sum = (connections: readonly { models: number }[]) =>
  connections.reduce((all, { models }) => all + models, 0);

type FilterLinkProps = {
  connection: string | undefined;
  isCurrent: boolean;
  className?: string;
  children?: React.ReactNode;
};
function FilterLink({ connection, isCurrent, ...rest }: FilterLinkProps) {
  return (
    <Link
      {...rest}
      to="/models"
      search={(before) => ({ ...before, connection })}
      activeProps={{ "aria-current": undefined }}
      aria-current={isCurrent ? "page" : undefined}
    />
  );
}

const NoModels = () => (
  <EmptyState icon={Boxes} title={t("models.empty.title")} action={<ConnectServiceLink />}>
    {t("models.empty.text")}
  </EmptyState>
);

function NoneFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title={t("models.none.title")}
      action={<Button onClick={onClear}>{t("models.none.action")}</Button>}
    >
      {t("models.none.text")}
    </EmptyState>
  );
}
