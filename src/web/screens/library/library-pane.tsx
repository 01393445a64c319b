import { useQuery } from "@tanstack/react-query";
import { BookmarkCheck, Images, type LucideIcon, Trash2, Upload } from "lucide-react";
import type { AssetActions } from "../../components/asset/inspector/use-asset-actions.ts";
import { type AssetFilter, countsQuery } from "../../data/queries/library.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { PaneList, PaneRow } from "../../frame/pane.tsx";
import { PlaceLink } from "../../frame/place-link.tsx";
import { t } from "../../messages/t.ts";
import { PaneCollections } from "./collections/pane-collections.tsx";
import { useOpenCollection } from "./collections/use-open-collection.ts";
import { type FilterChange, pickFilter, type View, views } from "./filter.ts";
import { PaneTags } from "./tags/pane-tags.tsx";

const icons: Record<View, LucideIcon> = {
  all: Images,
  kept: BookmarkCheck,
  uploads: Upload,
  trash: Trash2,
};

type LibraryPaneProps = {
  view: View;
  filter: AssetFilter;
  set: (change: FilterChange) => void;
  actions: Pick<AssetActions, "act" | "canEdit">;
};

/** The library's views with their counts, its collections, saved searches and tags. */
export function LibraryPane({ view, filter, set, actions }: LibraryPaneProps) {
  const { project } = useSession();
  const { data: counts } = useQuery(countsQuery(project.id));
  const openId = useOpenCollection(view, filter);
  return (
    <>
      <PaneList label={t("library.places")}>
        {views.map((name) => {
          const Icon = icons[name];
          const link = (
            <PlaceLink
              to="/library"
              // Search, filters and sort stay when the view changes.
              search={({ pick: _, source: _from, ...search }) => ({
                ...pickFilter(search),
                project: project.id,
                view: name === "all" ? undefined : name,
              })}
              isCurrent={name === view && openId === undefined}
            />
          );
          return (
            <PaneRow
              key={name}
              link={link}
              icon={<Icon key="icon" aria-hidden />}
              count={counts?.[name]}
            >
              {t(`library.view.${name}`)}
            </PaneRow>
          );
        })}
      </PaneList>
      <PaneCollections view={view} openId={openId} actions={actions} />
      <PaneTags filter={filter} set={set} actions={actions} />
    </>
  );
}
