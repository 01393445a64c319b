import { ListDialog } from "../../../components/asset/list-dialog.tsx";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import type { FilterChange } from "../filter.ts";

const PersonFilterList = lazyPart(() =>
  import("./person-filter-list.tsx").then(({ PersonFilterList }) => PersonFilterList),
);

type PersonFilterDialogProps = {
  filter: AssetFilter;
  set: (change: FilterChange) => void;
  onClose: () => void;
};

/** Filters the library by the person who made or uploaded its items. */
export function PersonFilterDialog({ filter, set, onClose }: PersonFilterDialogProps) {
  const title = t("library.people.filter");
  return (
    <ListDialog open onOpenChange={(open) => open || onClose()} title={title}>
      <PersonFilterList
        label={title}
        filter={filter}
        set={(change) => {
          set(change);
          onClose();
        }}
      />
    </ListDialog>
  );
}
