import { useEffect, useRef } from "react";
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
    change.mutate(
      { collectionId, order: { ids: [...moving], after } },
      {
        onError: (error) => {
          waiting.current = 0;
          onError(error);
        },
      },
    );
  const placesOf = () =>
    ids
      .flatMap((id) => gallery.indexOf(id) ?? [])
      .sort((a, b) => a - b)
      .map((index) => ({ index, id: gallery.at(index)?.id ?? "" }));
  /** Key presses whose move has not been sent, as a number of places. */
  const waiting = useRef(0);
  const isSending = useRef(false);
  const isReady = !change.isPending && gallery.isCurrent;
  /** Moves the items together past those before the first, or behind the last of them. */
  const sendMoves = async () => {
    if (waiting.current === 0 || isSending.current) return;
    const by = waiting.current;
    waiting.current = 0;
    const places = placesOf();
    const [first, last] = [places[0], places.at(-1)];
    const end = (gallery.layout?.count ?? 0) - 1;
    if (!first || !last || (by < 0 ? first.index === 0 : last.index >= end)) return;
    const anchor = by < 0 ? first.index + by - 1 : Math.min(last.index + by, end);
    isSending.current = true;
    try {
      const [before] = anchor < 0 ? [] : await gallery.load(anchor, anchor);
      moveTo(
        places.map(({ id }) => id),
        before?.id ?? null,
      );
    } finally {
      isSending.current = false;
    }
  };
  /** Presses during a move are sent together after it, when the new places are known. */
  const moveBy = (by: -1 | 1) => {
    waiting.current += by;
    if (isReady) void sendMoves().catch(onError);
  };
  useEffect(() => {
    waiting.current = 0;
  }, [collectionId]);
  useEffect(() => {
    if (isReady) void sendMoves().catch(onError);
  });
  const setCover = (coverAssetId: string) =>
    change.mutate(
      { collectionId, change: { coverAssetId } },
      { onSuccess: () => toast({ text: t("library.collection.covered") }), onError },
    );
  return {
    isOrdered: filter.sort === "position",
    moveTo,
    moveBy,
    setCover,
  };
}
