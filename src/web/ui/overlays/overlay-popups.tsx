import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useRef } from "react";
import { t } from "../../messages/t.ts";
import { classes } from "../classes.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { VisuallyHidden } from "../visually-hidden.tsx";
import styles from "./overlays.module.css";

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  isTitleHidden?: boolean;
  description?: ReactNode;
  /** The buttons, the main one last. */
  footer?: ReactNode;
  size?: "medium" | "wide" | "huge";
  /** The content has its own padding and scrolls itself. */
  isBare?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  children?: ReactNode;
};

export type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  side?: "bottom" | "left" | "right";
  /** Icon buttons next to the title. */
  actions?: ReactNode;
  /** For use on backgrounds that are dark in light mode too. */
  isDark?: boolean;
  children: ReactNode;
};

const fields =
  'input:not([type="hidden"], [type="file"], [aria-hidden="true"]), textarea, [role="combobox"]';

/**
 * The first field that can be filled in. After a touch nothing is focused, because the keyboard
 * would cover the text to read first.
 */
function firstField(body: RefObject<HTMLElement | null>, openedBy: string): HTMLElement | true {
  if (openedBy === "touch") return true;
  const field = [...(body.current?.querySelectorAll<HTMLElement>(fields) ?? [])].find(
    (element) => !element.matches(":disabled") && element.getClientRects().length > 0,
  );
  return field ?? true;
}

/** The bodies of Dialog and Sheet, in a separate chunk. */
export function DialogPopup({
  open,
  onOpenChange,
  title,
  isTitleHidden,
  description,
  footer,
  size = "medium",
  isBare,
  initialFocus,
  children,
}: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Viewport className={styles.viewport}>
          <Dialog.Popup
            data-dialog
            className={classes(styles.dialog, size !== "medium" && styles[size])}
            initialFocus={initialFocus ?? ((openedBy) => firstField(body, openedBy))}
          >
            {isTitleHidden ? (
              <VisuallyHidden as="div">
                <Dialog.Title>{title}</Dialog.Title>
              </VisuallyHidden>
            ) : (
              <div className={styles.head}>
                <div className={styles.headWords}>
                  <Dialog.Title className={styles.title}>{title}</Dialog.Title>
                  {description && (
                    <Dialog.Description className={styles.description}>
                      {description}
                    </Dialog.Description>
                  )}
                </div>
                <Dialog.Close render={<IconButton label={t("ui.close")} icon={X} />} />
              </div>
            )}
            {children && (
              <div ref={body} className={classes(styles.body, isBare && styles.bare)}>
                {children}
              </div>
            )}
            {footer && <div className={styles.footer}>{footer}</div>}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export function SheetPopup({
  open,
  onOpenChange,
  title,
  side = "bottom",
  actions,
  isDark,
  children,
}: SheetProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup
          data-dialog
          className={classes(styles.sheet, styles[side])}
          data-theme={isDark ? "dark" : undefined}
        >
          <div className={styles.sheetHead}>
            <Dialog.Title className={styles.sheetTitle}>{title}</Dialog.Title>
            {actions}
            <Dialog.Close render={<IconButton label={t("ui.close")} icon={X} />} />
          </div>
          <div className={styles.sheetBody}>{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
