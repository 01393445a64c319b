import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { loadArea } from "../../messages/areas.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { loadEarly, PopupPart } from "../../ui/part.tsx";
import { focusTile } from "./focus-tile.ts";
import { useViewedId, useViewerAddress } from "./viewer-address.ts";
import { viewerAreas } from "./viewer-areas.ts";
import { useViewerLists } from "./viewer-lists.tsx";

const importViewer = () => import("./viewer.tsx").then(({ Viewer }) => Viewer);
const Viewer = lazyPart(importViewer, ...viewerAreas);

/** Loads the viewer when a pointer first is over a tile: a click then opens it at once. */
function useEarlyViewer(): void {
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      if (!(target instanceof Element) || !target.closest("[data-asset]")) return;
      end();
      loadEarly(() => Promise.all([importViewer(), ...viewerAreas.map(loadArea)]));
    };
    const end = () => document.removeEventListener("pointerover", onPointer);
    document.addEventListener("pointerover", onPointer);
    return end;
  }, []);
}

/** The screen of an address: /library/<id> opens the viewer over the library. */
const placeOf = ({ pathname }: { pathname: string }): string =>
  pathname.startsWith("/library") ? "/library" : pathname;

/** The one viewer of the program: over whatever screen the address opens it on. */
export function ViewerHost() {
  useEarlyViewer();
  const viewedId = useViewedId();
  const { close } = useViewerAddress();
  const lists = useViewerLists();
  /** What it shows now, which the address may learn a little later. */
  const shown = useRef<string | undefined>(undefined);
  const latestLists = useRef(lists);
  useEffect(() => {
    latestLists.current = lists;
  });
  const router = useRouter();
  const isOpen = viewedId !== undefined;
  useEffect(() => {
    if (!isOpen) return undefined;
    const place = placeOf(router.latestLocation);
    return () => {
      // An act may have led to another screen.
      if (shown.current && placeOf(router.latestLocation) === place)
        focusTile(shown.current, latestLists.current);
    };
  }, [isOpen, router]);
  if (!isOpen) return null;
  return (
    <PopupPart open onClose={close}>
      <Viewer
        viewedId={viewedId}
        lists={lists}
        onShown={(assetId) => {
          shown.current = assetId;
        }}
      />
    </PopupPart>
  );
}
