import { type DragEvent, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetDragType } from "../../../components/asset/asset-name.ts";

const tileOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-grid-index]") : null;

export function indexOfTile(target: EventTarget | null): number | null {
  const tile = tileOf(target);
  return tile ? Number(tile.dataset.gridIndex) : null;
}

type Mark = { left: number; top: number; height: number };

/** Lets tiles be dropped between others. `mark` is the drop position within the gallery. */
export function useOrderDrop(
  at: (index: number) => Asset | undefined,
  onMoveTo: ((ids: readonly string[], after: string | null) => void) | undefined,
) {
  const [mark, setMark] = useState<Mark | null>(null);
  if (!onMoveTo) return { mark: null, handlers: {} };
  const isWanted = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes(assetDragType);
  const handlers = {
    onDragOver: (event: DragEvent<HTMLElement>) => {
      const tile = isWanted(event) && tileOf(event.target);
      if (!tile) return setMark(null);
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      const [box, whole] = [
        tile.getBoundingClientRect(),
        event.currentTarget.getBoundingClientRect(),
      ];
      const left = (isBehind(event, box) ? box.right + 2 : box.left - 4) - whole.left;
      const next = { left, top: box.top - whole.top, height: box.height };
      setMark((before) => (before?.left === next.left && before.top === next.top ? before : next));
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setMark(null);
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      const tile = isWanted(event) && tileOf(event.target);
      setMark(null);
      if (!tile) return;
      event.preventDefault();
      event.stopPropagation();
      const index = Number(tile.dataset.gridIndex);
      const place = isBehind(event, tile.getBoundingClientRect()) ? index : index - 1;
      const after = place < 0 ? null : at(place)?.id;
      if (after === undefined) return;
      const ids = JSON.parse(event.dataTransfer.getData(assetDragType)) as string[];
      onMoveTo(ids, after);
    },
  };
  return { mark, handlers };
}

const isBehind = ({ clientX }: DragEvent, box: DOMRect): boolean =>
  clientX > box.left + box.width / 2;
