import { useQuery } from "@tanstack/react-query";
import { Cable, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelFamily } from "#contract/filters/model-families.ts";
import { tasks } from "#contract/tasks.ts";
import {
  offersModels,
  useReachableConnections,
} from "../../components/connections/use-reachable-connections.ts";
import { taskIcon } from "../../components/model/task-icon.ts";
import type { CatalogueFilter } from "../../data/catalogue-filter.ts";
import { modelCountsQuery } from "../../data/queries/models.queries.ts";
import { connectionsQuery } from "../../data/queries/shared.queries.ts";
import { useElementAction } from "../../frame/action-button.tsx";
import { PaneHeading, PaneList, PaneRow, PaneSearch } from "../../frame/pane.tsx";
import { PlaceLink } from "../../frame/place-link.tsx";
import { t } from "../../messages/t.ts";
import { SkeletonText } from "../../ui/display/skeleton.tsx";

type CataloguePaneProps = {
  projectId: string;
  /** Null on a model's page, where no row is the current one. */
  filter: CatalogueFilter | null;
  search: string;
  onSearchChange: (search: string | null) => void;
};

/** The catalog's pane: the search, the tasks, and the connections. */
export function CataloguePane({ projectId, filter, search, onSearchChange }: CataloguePaneProps) {
  const { connectionId, task, family, runsOn } = filter ?? {};
  const offered = useReachableConnections().filter(offersModels);
  const aliases = useQuery(connectionsQuery).data?.aliases ?? 0;
  const counted = useQuery(modelCountsQuery(projectId, { connectionId, runsOn, task, family }));
  const counts = counted.data;
  const searchField = useElementAction<HTMLInputElement>(
    { id: "models.search", title: t("models.search"), icon: Search, shortcut: "/" },
    "focus",
  );
  const places = [
    ...offered.map(({ id, name, models }) => ({ id, name, models })),
    ...(aliases > 0 ? [{ id: aliasConnectionId, name: t("models.aliases"), models: aliases }] : []),
  ];
  return (
    <>
      <PaneSearch
        ref={searchField}
        label={t("models.search")}
        value={search}
        onValueChange={(value) => onSearchChange(value || null)}
      />
      <PaneList label={t("models.for")}>
        <PaneHeading>{t("models.for")}</PaneHeading>
        <PaneRow
          link={
            <FilterLink change={{ task: undefined }} isCurrent={filter !== null && !filter.task} />
          }
        >
          {t("models.for.all")}
        </PaneRow>
        {counts?.tasks.map(({ task, models }) => {
          const Icon = taskIcon(task);
          return (
            <PaneRow
              key={task}
              icon={<Icon aria-hidden />}
              link={<FilterLink change={{ task }} isCurrent={filter?.task === task} />}
              count={models}
            >
              {tasks[task].name}
            </PaneRow>
          );
        })}
      </PaneList>
      {counted.isPending && <SkeletonText lines={8} />}
      {counts !== undefined && counts.families.length > 0 && (
        <FamilyList families={counts.families} family={family} isFiltered={filter !== null} />
      )}
      {/* Hidden until the lists above have loaded, because their length moves it. */}
      <PaneList label={t("models.connections")} isHidden={counted.isPending}>
        <PaneHeading>{t("models.connections")}</PaneHeading>
        <PaneRow
          link={
            <FilterLink
              change={{ connection: undefined }}
              isCurrent={filter !== null && !connectionId}
            />
          }
          count={places.reduce((all, { models }) => all + models, 0)}
        >
          {t("models.connections.all")}
        </PaneRow>
        {places.map(({ id, name, models }) => (
          <PaneRow
            key={id}
            icon={<Cable aria-hidden />}
            link={<FilterLink change={{ connection: id }} isCurrent={connectionId === id} />}
            count={models}
          >
            {name}
          </PaneRow>
        ))}
      </PaneList>
    </>
  );
}

const familiesFirst = 6;

type FamilyListProps = {
  families: readonly { family: ModelFamily; name: string; models: number }[];
  family: ModelFamily | undefined;
  isFiltered: boolean;
};

/** The largest families including the selected one, with the rest on request. */
function FamilyList({ families, family, isFiltered }: FamilyListProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen
    ? families
    : families.filter((one, index) => index < familiesFirst || one.family === family);
  return (
    <PaneList label={t("models.family")}>
      <PaneHeading>{t("models.family")}</PaneHeading>
      <PaneRow
        link={<FilterLink change={{ family: undefined }} isCurrent={isFiltered && !family} />}
      >
        {t("models.family.all")}
      </PaneRow>
      {shown.map(({ family: name, name: words, models }) => (
        <PaneRow
          key={name}
          link={<FilterLink change={{ family: name }} isCurrent={family === name} />}
          count={models}
        >
          {words}
        </PaneRow>
      ))}
      {families.length > familiesFirst && (
        <PaneRow
          link={<button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />}
        >
          {isOpen ? t("models.family.less") : t("models.family.more", { count: families.length })}
        </PaneRow>
      )}
    </PaneList>
  );
}

type FilterLinkProps = {
  change: Record<string, string | undefined>;
  isCurrent: boolean;
  className?: string;
  children?: ReactNode;
};
function FilterLink({ change, isCurrent, ...rest }: FilterLinkProps) {
  return (
    <PlaceLink
      {...rest}
      to="/models"
      search={(before) => ({ ...before, ...change })}
      isCurrent={isCurrent}
    />
  );
}
