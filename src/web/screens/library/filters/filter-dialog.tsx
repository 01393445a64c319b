import type { AssetRange } from "#contract/filters/asset-filters.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import type { FilterChange } from "../filter.ts";
import { TagFilterDialog } from "../tags/tag-filter-dialog.tsx";
import { ModelFilterDialog } from "./model-filter-dialog.tsx";
import { PersonFilterDialog } from "./person-filter-dialog.tsx";
import { RangeDialog } from "./range-dialog.tsx";

/** What a dialog of the filter menu chooses. */
export type Choosing = "tags" | "models" | "people" | AssetRange;

type FilterDialogProps = {
  choosing: Choosing;
  filter: AssetFilter;
  set: (change: FilterChange) => void;
  connections: readonly { id: string; name: string }[];
  onClose: () => void;
};

/** The dialogs of the filter menu, in a separate chunk. */
export function FilterDialog({ choosing, connections, ...rest }: FilterDialogProps) {
  if (choosing === "tags") return <TagFilterDialog {...rest} />;
  if (choosing === "models") return <ModelFilterDialog {...rest} connections={connections} />;
  if (choosing === "people") return <PersonFilterDialog {...rest} />;
  return (
    <RangeDialog
      field={choosing}
      range={rest.filter[choosing]}
      onRange={(text) => rest.set({ [choosing]: text })}
      onClose={rest.onClose}
    />
  );
}
