import type { LucideIcon } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import styles from "../stage/stage.module.css";

/** A file whose bytes couldn't be loaded or decoded. */
export const FileMissing = ({ icon, onRetry }: { icon: LucideIcon; onRetry: () => void }) => (
  <div className={styles.middle}>
    <EmptyState
      icon={icon}
      title={t("viewer.missing")}
      action={<Button onClick={onRetry}>{t("ui.tryAgain")}</Button>}
    >
      {t("viewer.missing.text")}
    </EmptyState>
  </div>
);
