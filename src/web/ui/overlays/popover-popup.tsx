import { Popover } from "@base-ui/react/popover";
import type { ReactNode, RefObject } from "react";
import { classes } from "../classes.ts";
import { VisuallyHidden } from "../visually-hidden.tsx";
import styles from "./popups.module.css";
import type { OpenChange } from "./use-popup-trigger.tsx";

/** How a popover is named, and where it opens. */
export type PopoverOptions = {
  /** The popup's name; shown as its heading unless `isTitleHidden`. */
  title: string;
  isTitleHidden?: boolean;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
  /** In px. */
  width?: number;
};

type PopoverPopupProps = Required<PopoverOptions> & {
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: OpenChange;
  children: ReactNode;
};

/** The popup of Popover, in a chunk of its own. */
export function PopoverPopup({
  anchor,
  open,
  onOpenChange,
  title,
  isTitleHidden,
  side,
  align,
  width,
  children,
}: PopoverPopupProps) {
  const heading = isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title;
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          side={side}
          align={align}
          sideOffset={6}
          className={styles.positioner}
        >
          <Popover.Popup
            className={classes(styles.popup, styles.card)}
            style={{ width }}
            finalFocus={anchor}
          >
            <Popover.Title className={isTitleHidden ? undefined : styles.cardTitle}>
              {heading}
            </Popover.Title>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
