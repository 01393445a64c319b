import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Boxes, Columns2, SearchX } from "lucide-react";
import { useDeferredValue, useState } from "react";
import type { Model } from "#contract/entities.ts";
import { modelOrders, usedModelOrders } from "#contract/filters/model-filters.ts";
import { ConnectServiceLink } from "../../components/connections/connect-service-link.tsx";
import { ModelLine, modelLineClass } from "../../components/model/model-line.tsx";
import { ModelList } from "../../components/model/model-list.tsx";
import { useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { orderAmong, useCatalogueFilter } from "../../data/catalogue-filter.ts";
import { fromModelPath, toModelPath } from "../../data/model-ref.ts";
import { usedModelsQuery } from "../../data/queries/models.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageColumn } from "../../frame/page.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { useWasOpen } from "../../ui/overlays/dialog.tsx";
import { Part, PopupPart } from "../../ui/part.tsx";
import { CataloguePane } from "./catalogue-pane.tsx";
import { CatalogueTools, readView } from "./catalogue-tools.tsx";
import styles from "./models-screen.module.css";
import { StarButton } from "./star-button.tsx";

const ModelPage = lazyPart(() =>
  import("./model/model-page.tsx").then(({ ModelPage }) => ModelPage),
);
const TryDialog = lazyPart(() => import("./try/try-dialog.tsx").then(({ TryDialog }) => TryDialog));
const UsedModels = lazyPart(() => import("./used-models.tsx").then(({ UsedModels }) => UsedModels));

/** The gallery of models, the whole catalog with search and filters, and each model's page. */
export function ModelsScreen() {
  const { project } = useSession();
  const ref = fromModelPath(useParams({ strict: false })._splat);
  const [search = "", setSearch] = useSearchValue("q");
  const [chosenView, setView] = useSearchValue("view");
  const [chosenToTry, setChosenToTry] = useState<readonly Model[]>([]);
  const [isTrying, setTrying] = useState(false);
  const wasTrying = useWasOpen(isTrying);
  const { filter: chosen, set, clear } = useCatalogueFilter();
  const filter = {
    ...chosen,
    order: orderAmong(modelOrders, chosen),
    search: useDeferredValue(search),
  };
  const {
    connectionId,
    task,
    family,
    runsOn,
    takes,
    gives,
    order: _order,
    ...listFilters
  } = chosen;
  const usedFilter = { connectionId, task, family, runsOn, takes, gives };
  const isList = Boolean(search) || Object.keys(listFilters).length > 0;
  const used = useInfiniteQuery({
    ...usedModelsQuery(project.id, { ...usedFilter, order: orderAmong(usedModelOrders, chosen) }),
    enabled: !ref,
  });
  const made = used.data?.pages.flatMap(({ models }) => models) ?? [];
  const view = isList ? "all" : (readView(chosenView) ?? "here");
  const isFiltered = isList || Object.values(usedFilter).some((value) => value !== undefined);
  const empty = isFiltered ? <NoneFits onClear={clear} /> : <NoModels />;
  return (
    <Screen
      title={t("screen.models")}
      pane={{
        children: (
          <CataloguePane
            projectId={project.id}
            filter={ref ? null : chosen}
            search={search}
            onSearchChange={setSearch}
          />
        ),
      }}
      tools={
        ref ? undefined : (
          <CatalogueTools
            view={view}
            onViewChange={(next) => (isList && next === "here" ? clear() : setView(next))}
            filter={chosen}
            set={set}
          />
        )
      }
      actions={
        !ref &&
        project.role !== "viewer" && (
          <ActionButton
            action="models.try"
            icon={Columns2}
            variant={chosenToTry.length > 0 ? "primary" : "secondary"}
            onClick={() => setTrying(true)}
          >
            {chosenToTry.length > 0
              ? t("models.try.chosen", { count: chosenToTry.length })
              : t("models.try")}
          </ActionButton>
        )
      }
      isSelfScrolling
    >
      {wasTrying && (
        <PopupPart open={isTrying} onClose={() => setTrying(false)}>
          <TryDialog
            open={isTrying}
            onClose={() => setTrying(false)}
            chosen={chosenToTry}
            task={task}
          />
        </PopupPart>
      )}
      {ref ? (
        <Part fallback={<PagePlaceholder />}>
          <ModelPage projectId={project.id} modelRef={ref} />
        </Part>
      ) : view === "all" ? (
        <ModelList
          projectId={project.id}
          filter={filter}
          renderRow={(model) => (
            <div data-row className={styles.row}>
              <Link
                to="/models/$"
                params={{ _splat: toModelPath(model) }}
                search={(before) => before}
                className={modelLineClass}
              >
                <ModelLine model={model} wide />
              </Link>
              <StarButton model={model} />
            </div>
          )}
          empty={empty}
        />
      ) : used.isError && made.length === 0 ? (
        <ErrorState error={used.error} onRetry={() => void used.refetch()} />
      ) : used.isPending ? (
        <PagePlaceholder />
      ) : (
        <Part fallback={<PagePlaceholder />}>
          <UsedModels
            used={made}
            query={used}
            filter={usedFilter}
            chosen={project.role === "viewer" ? undefined : chosenToTry}
            onChoose={setChosenToTry}
            empty={empty}
          />
        </Part>
      )}
    </Screen>
  );
}

/** The skeleton until the view has loaded. */
function PagePlaceholder() {
  useViewerList("coming");
  return (
    <PageColumn>
      <SkeletonText lines={5} />
    </PageColumn>
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
