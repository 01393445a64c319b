import { type RefObject, useEffect, useRef } from "react";
import { limits } from "#contract/limits.ts";
import {
  addSelected,
  nothingSelected,
  type Selection,
} from "../../../components/grid/selection.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import type { Gallery } from "./use-gallery.ts";

type SelectionFacts = {
  gallery: Gallery;
  /** The item in the inspector, and its index. */
  openId: string | undefined;
  openIndex: RefObject<number | null>;
  selection: Selection;
  onSelect: Select;
};

/** Selects items, or those that a promise brings, unless another selection is made before. */
export type Select = (selection: Selection | Promise<Selection>) => void;

/** Selects one item or a range, which is limited to the number that the gallery can load. */
export function useGallerySelection({
  gallery: { load },
  openId,
  openIndex,
  selection,
  onSelect,
}: SelectionFacts) {
  const limit = useSelectionLimit();

  const change = (next: Selection) => {
    // A new selection includes the item in the inspector.
    const isBeginning = selection.keys.size === 0 && next.keys.size > 0 && openId !== undefined;
    onSelect(limit(isBeginning ? { ...next, keys: new Set([openId, ...next.keys]) } : next));
  };
  /** Where a range that ends here starts: at the last touched item, or at the open one. */
  const startOf = (to: number) =>
    selection.anchor ?? (openId === undefined ? to : (openIndex.current ?? to));
  const loadRange = async (from: number, to: number) => {
    // One more than can be selected is enough to say so.
    const most = limits.selectionAssets;
    const end = Math.max(from - most, Math.min(from + most, to));
    const assets = await load(Math.min(from, end), Math.max(from, end));
    const ids = assets.map(({ id }) => id);
    const added = from <= end ? ids : ids.reverse();
    return limit(addSelected(selection, added, from));
  };
  return {
    change,
    selectTo: (to: number) => onSelect(loadRange(startOf(to), to)),
    selectRange: (from: number, to: number) => onSelect(loadRange(from, to)),
  };
}

/**
 * Returns a function that selects everything that the filter matches. While another filter's
 * gallery loads, it waits for that one.
 */
export function useSelectAll(gallery: Gallery, onSelect: Select): () => void {
  const waiting = useRef<((gallery: Gallery) => void)[]>([]);
  const isShown = !gallery.isTurning && gallery.layout !== undefined;
  const hasEnded = isShown || gallery.error !== null;
  useEffect(() => {
    if (hasEnded) for (const resolve of waiting.current.splice(0)) resolve(gallery);
  });
  return () => {
    const shown = hasEnded
      ? Promise.resolve(gallery)
      : new Promise<Gallery>((resolve) => waiting.current.push(resolve));
    onSelect(shown.then(loadAll));
  };
}

async function loadAll({ layout, load, error }: Gallery): Promise<Selection> {
  if (!layout || error) return nothingSelected;
  const assets = await load(0, Math.min(layout.count, limits.selectionAssets) - 1);
  const keys = new Set(assets.map(({ id }) => id));
  return { keys, anchor: 0, isAll: layout.count > keys.size };
}

/** Limits a selection to the most that the server accepts, with a toast if it was larger. */
function useSelectionLimit() {
  const toast = useToast();
  return (next: Selection): Selection => {
    const most = limits.selectionAssets;
    if (next.keys.size <= most) return next;
    toast({ text: t("selection.most", { most }), detail: t("selection.most.detail", { most }) });
    return { ...next, keys: new Set([...next.keys].slice(0, most)) };
  };
}
