import { ChevronLeft, ChevronRight } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import type { Siblings } from "./message-tree.ts";
import styles from "./thread.module.css";

/** "2/3": the version switch. Renders nothing for a single version. */
export function BranchSwitcher({
  siblings,
  onTurn,
}: {
  siblings: Siblings;
  onTurn: (messageId: string) => void;
}) {
  const { place, ids } = siblings;
  if (ids.length < 2) return null;
  const before = ids[place - 2];
  const after = ids[place];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <span
      className={styles.switcher}
      role="group"
      aria-label={t("chat.branch", { place, count: ids.length })}
    >
      <IconButton
        size="small"
        icon={ChevronLeft}
        label={t("chat.branch.before")}
        disabled={before === undefined}
        onClick={() => before && onTurn(before)}
      />
      <span className="num" aria-hidden>
        {place}/{ids.length}
      </span>
      <IconButton
        size="small"
        icon={ChevronRight}
        label={t("chat.branch.after")}
        disabled={after === undefined}
        onClick={() => after && onTurn(after)}
      />
    </span>
  );
}
