import type { ReactNode } from "react";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Part } from "../../ui/part.tsx";
import styles from "./tags/tags.module.css";

type ListDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
};

/** A dialog with one searchable list. Its code loads when it opens. */
export function ListDialog({ children, ...dialog }: ListDialogProps) {
  return (
    <Dialog {...dialog} isBare>
      <Part
        fallback={
          <div className={styles.loading}>
            <SkeletonText lines={5} />
          </div>
        }
      >
        {children}
      </Part>
    </Dialog>
  );
}
