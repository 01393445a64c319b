import { t } from "../../../messages/t.ts";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { Part } from "../../../ui/part.tsx";
import styles from "../tags/tags.module.css";
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
    <Dialog open onOpenChange={(open) => open || onClose()} title={title} isBare>
      <Part
        fallback={
          <div className={styles.loading}>
            <SkeletonText lines={5} />
          </div>
        }
      >
        <ModelFilterList
          {...list}
          label={title}
          set={(change) => {
            set(change);
            onClose();
          }}
        />
      </Part>
    </Dialog>
  );
}
