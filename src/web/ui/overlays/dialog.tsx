import { type ReactNode, useState } from "react";
import { t } from "../../messages/t.ts";
import { Button } from "../controls/button.tsx";
import { firstPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import type { DialogProps } from "./overlay-popups.tsx";

export const loadOverlays = () => import("./overlay-popups.tsx");
const DialogPopup = firstPart(() => loadOverlays().then(({ DialogPopup }) => DialogPopup));

/** True from the first opening on, so that closing can still be animated. */
export function useWasOpen(open: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  return wasOpen;
}

/** A modal dialog; on a phone it slides in from below. Moves the focus in and back. */
export function Dialog(props: DialogProps) {
  return (
    useWasOpen(props.open) && (
      <PopupPart open={props.open} onClose={() => props.onOpenChange(false)}>
        <DialogPopup {...props} />
      </PopupPart>
    )
  );
}

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen, and whether it can be undone. */
  children: ReactNode;
  /** A verb and its object: "Delete the project". */
  confirmLabel: string;
  danger?: boolean;
  busy?: boolean;
  onConfirm: () => void;
};

/**
 * Asks for confirmation of acts that can't be undone; those that can are done immediately, with a
 * toast.
 */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  confirmLabel,
  danger,
  busy,
  onConfirm,
}: ConfirmDialogProps) {
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
        {confirmLabel}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} footer={footer}>
      {children}
    </Dialog>
  );
}
