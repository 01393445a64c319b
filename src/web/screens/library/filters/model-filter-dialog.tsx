import { ListDialog } from "../../../components/asset/list-dialog.tsx";
import { t } from "../../../messages/t.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import type { ModelFilterListProps } from "./model-filter-list.tsx";

const ModelFilterList = lazyPart(() =>
  import("./model-filter-list.tsx").then(({ ModelFilterList }) => ModelFilterList),
);

/** Filters the library by a model or a connection. */
export function ModelFilterDialog({
  set,
  onClose,
  ...list
}: Omit<ModelFilterListProps, "label"> & { onClose: () => void }) {
  const title = t("library.models.filter");
  return (
    <ListDialog open onOpenChange={(open) => open || onClose()} title={title}>
      <ModelFilterList
        {...list}
        label={title}
        set={(change) => {
          set(change);
          onClose();
        }}
      />
    </ListDialog>
  );
}
