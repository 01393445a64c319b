import { type RefObject, useLayoutEffect, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import {
  clampZoom,
  fitScale,
  isSameShape,
  type Size,
  toView,
  toZoom,
  type View,
  wholeView,
  type Zoom,
  zoomAbout,
} from "./zoom.ts";

const step = 1.4;
const margins = { wide: 28, narrow: 0 };
const narrowPx = 760;

const sizeOf = (asset: Pick<Asset, "width" | "height">): Size | null =>
  asset.width && asset.height ? { width: asset.width, height: asset.height } : null;

/**
 * The visible part of the shown picture. It is kept for the next picture of the same shape, so that
 * both can be compared at the same place.
 */
export function useZoom(frame: RefObject<HTMLElement | null>, shown: Asset | undefined) {
  const [room, setRoom] = useState<Size | null>(null);
  const [held, setHeld] = useState<{ size: Size; view: View } | null>(null);
  /** Sizes measured by the browser, for pictures whose size the server doesn't know. */
  const [measured, setMeasured] = useState<Record<string, Size>>({});

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const measure = () => {
      const { clientWidth, clientHeight } = element;
      const margin = clientWidth < narrowPx ? margins.narrow : margins.wide;
      setRoom({ width: clientWidth - 2 * margin, height: clientHeight - 2 * margin });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);

  const ownOf = (asset: Asset): Size | null => sizeOf(asset) ?? measured[asset.id] ?? null;
  /** The size and position of any picture on the stage. */
  const drawn = (asset: Asset): { own: Size; zoom: Zoom } | null => {
    const own = ownOf(asset);
    if (!own || !room) return null;
    const view = held && isSameShape(held.size, own) ? held.view : wholeView;
    return { own, zoom: toZoom(view, own, room) };
  };
  const now = shown ? drawn(shown) : null;
  const isWhole = !now || !room || now.zoom.scale <= fitScale(now.own, room) * 1.001;

  const change = (next: (zoom: Zoom, own: Size, room: Size) => Zoom) => {
    if (!now || !room) return;
    // Several gestures may occur between two renders, so each continues from the previous one.
    setHeld((before) => {
      const view = before && isSameShape(before.size, now.own) ? before.view : wholeView;
      const zoom = next(toZoom(view, now.own, room), now.own, room);
      return { size: now.own, view: toView(zoom, now.own, room) };
    });
  };
  const about = (factor: number, at = { x: 0, y: 0 }) =>
    change((zoom, own, window) => zoomAbout(zoom, factor, at, own, window));
  const toOwnSize = (at = { x: 0, y: 0 }) => {
    if (now) about(1 / now.zoom.scale, at);
  };
  const fit = () => setHeld(null);
  return {
    step,
    drawn,
    isWhole,
    scale: now?.zoom.scale ?? 1,
    about,
    pan: (x: number, y: number) =>
      change((zoom, own, window) =>
        clampZoom({ ...zoom, x: zoom.x + x, y: zoom.y + y }, own, window),
      ),
    fit,
    toOwnSize,
    /** Zooms in at the point of a double click, or out again. */
    toggle: (at: { x: number; y: number }) => {
      if (!isWhole) fit();
      else if (now && now.zoom.scale < 0.99) toOwnSize(at);
      else about(2, at);
    },
    pointIn: ({ clientX, clientY }: { clientX: number; clientY: number }) => {
      const box = frame.current?.getBoundingClientRect();
      return box
        ? { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 }
        : { x: 0, y: 0 };
    },
    measure: (assetId: string, size: Size) =>
      setMeasured((known) => ({ ...known, [assetId]: size })),
  };
}
export type PictureZoom = ReturnType<typeof useZoom>;
