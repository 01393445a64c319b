import { useChangeCollection } from "../../../data/queries/library/collections.queries.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import type { Gallery } from "../gallery/use-gallery.ts";

type CollectionOrder = {
  gallery: Gallery;
  filter: AssetFilter;
  /** The selected items, or the open one. */
  ids: readonly string[];
};

/** Moves items within the open collection, and sets its cover. */
export function useCollectionOrder({ gallery, filter, ids }: CollectionOrder) {
  const { project } = useSession();
  const change = useChangeCollection(project.id);
  const onError = useErrorToast();
  const toast = useToast();
  const { collectionId = "" } = filter;
  const moveTo = (moving: readonly string[], after: string | null) =>
    change.mutate({ collectionId, order: { ids: [...moving], after } }, { onError });
  const placesOf = () =>
    ids
      .flatMap((id) => gallery.indexOf(id) ?? [])
      .sort((a, b) => a - b)
      .map((index) => ({ index, id: gallery.at(index)?.id ?? "" }));
  /** Moves the items together, one place beyond the first or last of them. */
  const moveBy = async (by: -1 | 1) => {
    const places = placesOf();
    const [first, last] = [places[0], places.at(-1)];
    if (!first || !last || change.isPending) return;
    const anchor = by < 0 ? first.index - 2 : last.index + 1;
    if (by < 0 ? first.index === 0 : anchor >= (gallery.layout?.count ?? 0)) return;
    const [before] = anchor < 0 ? [] : await gallery.load(anchor, anchor);
    moveTo(
      places.map(({ id }) => id),
      before?.id ?? null,
    );
  };
  const setCover = (coverAssetId: string) =>
    change.mutate(
      { collectionId, change: { coverAssetId } },
      { onSuccess: () => toast({ text: t("library.collection.covered") }), onError },
    );
  return {
    isOrdered: filter.sort === "position",
    moveTo,
    moveBy: (by: -1 | 1) => void moveBy(by).catch(onError),
    setCover,
  };
}
