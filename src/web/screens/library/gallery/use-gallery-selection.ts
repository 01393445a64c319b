import type { RefObject } from "react";
import { limits } from "#contract/limits.ts";
import type { Selection } from "../../../components/grid/selection.ts";
import type { Layout } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import type { Gallery } from "./use-gallery.ts";

type SelectionFacts = {
  gallery: Gallery;
  layout: Layout;
  /** The item in the inspector, and its index. */
  openId: string | undefined;
  openIndex: RefObject<number | null>;
  selection: Selection;
  onSelectionChange: (selection: Selection) => void;
};

/** Selects one item, a range or all; a range is limited to the number that the gallery can load. */
export function useGallerySelection({
  gallery: { load },
  layout,
  openId,
  openIndex,
  selection,
  onSelectionChange,
}: SelectionFacts) {
  const limit = useSelectionLimit(onSelectionChange);

  const change = (next: Selection) => {
    // A new selection includes the item in the inspector.
    const isBeginning = selection.keys.size === 0 && next.keys.size > 0 && openId !== undefined;
    limit(isBeginning ? { ...next, keys: new Set([openId, ...next.keys]) } : next);
  };
  const selectRange = async (to: number) => {
    const from = selection.anchor ?? (openId === undefined ? to : (openIndex.current ?? to));
    const assets = await load(Math.min(from, to), Math.max(from, to));
    limit({ keys: new Set([...selection.keys, ...assets.map(({ id }) => id)]), anchor: from });
  };
  const selectAll = async () => {
    const assets = await load(0, Math.min(layout.count, limits.selectionAssets) - 1);
    const keys = new Set(assets.map(({ id }) => id));
    onSelectionChange({ keys, anchor: 0, isAll: layout.count > keys.size });
  };
  return { change, selectRange, selectAll };
}

/** Limits a selection to the most that the server accepts, with a toast if it was larger. */
function useSelectionLimit(onSelectionChange: (selection: Selection) => void) {
  const toast = useToast();
  return (next: Selection) => {
    const most = limits.selectionAssets;
    if (next.keys.size > most)
      toast({ text: t("selection.most", { most }), detail: t("selection.most.detail", { most }) });
    onSelectionChange(
      next.keys.size > most ? { ...next, keys: new Set([...next.keys].slice(0, most)) } : next,
    );
  };
}
