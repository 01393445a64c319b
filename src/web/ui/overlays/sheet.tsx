import { lazy, type ReactNode } from "react";
import { PopupPart } from "../part.tsx";
import { loadOverlays, useWasOpen } from "./dialog.tsx";

const SheetPopup = lazy(() => loadOverlays().then(({ SheetPopup }) => ({ default: SheetPopup })));

export type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  isTitleHidden?: boolean;
  side?: "bottom" | "left" | "right";
  /** Icon buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A panel from the edge, over the work: what the inspector and the pane are on a phone. */
export function Sheet(props: SheetProps) {
  return (
    useWasOpen(props.open) && (
      <PopupPart open={props.open} onClose={() => props.onOpenChange(false)}>
        <SheetPopup {...props} />
      </PopupPart>
    )
  );
}
