import { useEffect } from "react";
import { loadArea } from "../../messages/areas.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { PopupPart, preload } from "../../ui/part.tsx";
import { useEditedId, useEditorAddress } from "../editor/editor-address.ts";
import { useViewedId, useViewerAddress } from "./viewer-address.ts";
import { editorAreas, viewerAreas } from "./viewer-areas.ts";

const importViewer = () => import("./viewer.tsx").then(({ Viewer }) => Viewer);
const Viewer = lazyPart(importViewer, ...viewerAreas);

/** Loads the viewer when a pointer first enters a tile, so that a click opens it immediately. */
function useEarlyViewer(): void {
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      if (!(target instanceof Element) || !target.closest("[data-asset]")) return;
      end();
      preload(() => Promise.all([importViewer(), ...viewerAreas.map(loadArea)]));
    };
    const end = () => document.removeEventListener("pointerover", onPointer);
    document.addEventListener("pointerover", onPointer);
    return end;
  }, []);
}

const Editor = lazyPart(
  () => import("../editor/editor.tsx").then(({ Editor }) => Editor),
  ...editorAreas,
);

/** The app's only viewer and editor, shown over the screen that the address opens them on. */
export function ViewerHost() {
  useEarlyViewer();
  const viewedId = useViewedId();
  const { close } = useViewerAddress();
  const editedId = useEditedId();
  const editor = useEditorAddress();
  // One at a time: the viewer returns when the editor closes.
  if (editedId !== undefined)
    return (
      <PopupPart open onClose={editor.close}>
        <Editor key={editedId} assetId={editedId} />
      </PopupPart>
    );
  if (viewedId === undefined) return null;
  return (
    <PopupPart open onClose={close}>
      <Viewer viewedId={viewedId} />
    </PopupPart>
  );
}
