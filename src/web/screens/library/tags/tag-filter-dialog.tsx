import { useQuery } from "@tanstack/react-query";
import { ListDialog } from "../../../components/asset/list-dialog.tsx";
import { TagList } from "../../../components/asset/tags/tag-dialog.tsx";
import { tagNamesQuery } from "../../../data/queries/library/tags.queries.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import type { FilterChange } from "../filter.ts";
import { tagsOf, toggleTag } from "../filters/tags-of-filter.ts";

type TagFilterDialogProps = {
  filter: AssetFilter;
  set: (change: FilterChange) => void;
  onClose: () => void;
};

/** Filters the library by tags, and sets whether an item needs all of them. */
export function TagFilterDialog({ filter, set, onClose }: TagFilterDialogProps) {
  const { project } = useSession();
  const chosen = useQuery(tagNamesQuery(project.id, filter.tags ?? "")).data?.tags ?? [];
  const ids = tagsOf(filter);
  return (
    <ListDialog open onOpenChange={(open) => open || onClose()} title={t("library.tags.filter")}>
      <TagList
        projectId={project.id}
        label={t("library.tags.filter")}
        chosen={chosen
          .filter(({ id }) => ids.includes(id))
          .map((tag) => ({ tag, state: "all" as const }))}
        onToggle={({ id }) => set(toggleTag(filter, id))}
        foot={
          <Segmented
            label={t("library.tags.match")}
            value={filter.tagMatch ?? "all"}
            onValueChange={(match) => set({ tagMatch: match === "any" ? "any" : null })}
            options={[
              { value: "all", label: t("library.tags.all") },
              { value: "any", label: t("library.tags.any") },
            ]}
          />
        }
      />
    </ListDialog>
  );
}
