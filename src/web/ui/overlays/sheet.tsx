import { firstPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import { loadOverlays, useWasOpen } from "./dialog.tsx";
import type { SheetProps } from "./overlay-popups.tsx";

const SheetPopup = firstPart(() => loadOverlays().then(({ SheetPopup }) => SheetPopup));

/** A panel from the screen's edge, over the work: the inspector and the pane on a phone. */
export function Sheet(props: SheetProps) {
  return (
    useWasOpen(props.open) && (
      <PopupPart open={props.open} onClose={() => props.onOpenChange(false)}>
        <SheetPopup {...props} />
      </PopupPart>
    )
  );
}
