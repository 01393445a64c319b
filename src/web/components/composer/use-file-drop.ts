import { type DragEvent, useRef, useState } from "react";
import { assetDragType } from "../asset/asset-name.ts";

export type FileDropOptions = {
  onFiles?: (files: File[]) => void;
  /** Library tiles dragged from within the app. */
  onAssets?: (assetIds: string[]) => void;
};

const isWanted = ({ types }: DataTransfer, { onFiles, onAssets }: FileDropOptions) =>
  Boolean((onFiles && types.includes("Files")) || (onAssets && types.includes(assetDragType)));

function readAssets(dataTransfer: DataTransfer): string[] {
  try {
    const ids: unknown = JSON.parse(dataTransfer.getData(assetDragType) || "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Makes an element accept dropped files and assets. Spread `handlers` onto it; `isOver` is true
 * while something is dragged over it.
 */
export function useFileDrop(options: FileDropOptions) {
  const [isOver, setOver] = useState(false);
  // Children fire their own enter and leave events, so only the outermost leave counts.
  const depth = useRef(0);
  const handlers = {
    onDragEnter: (event: DragEvent) => {
      if (!isWanted(event.dataTransfer, options)) return;
      depth.current += 1;
      setOver(true);
    },
    onDragOver: (event: DragEvent) => {
      if (!isWanted(event.dataTransfer, options)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
    },
    onDragLeave: (event: DragEvent) => {
      if (!isWanted(event.dataTransfer, options)) return;
      depth.current -= 1;
      if (depth.current <= 0) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!isWanted(event.dataTransfer, options)) return;
      event.preventDefault();
      event.stopPropagation();
      depth.current = 0;
      setOver(false);
      const assets = readAssets(event.dataTransfer);
      if (assets.length > 0) options.onAssets?.(assets);
      else if (event.dataTransfer.files.length > 0)
        options.onFiles?.([...event.dataTransfer.files]);
    },
  };
  return { isOver, handlers };
}
