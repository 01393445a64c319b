import { MessageCircle, SquarePen, TimerOff } from "lucide-react";
import type { Model } from "#contract/entities.ts";
import { useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Chip } from "../../../ui/controls/chip.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import styles from "./conversation-work.module.css";

/** Questions that the built-in guide can answer from the manual. */
const starters = ["chat.starter.what", "chat.starter.connect", "chat.starter.cost"] as const;

/** An empty conversation, with first questions for the guide. */
export function FirstStep({
  model,
  isTemporary,
  onPick,
}: {
  model: Model | null;
  isTemporary: boolean;
  onPick: (text: string) => void;
}) {
  const isGuide = model?.connectionKind === "builtin";
  return (
    <div className={styles.first}>
      <EmptyState
        icon={isTemporary ? TimerOff : MessageCircle}
        title={t(isTemporary ? "chat.temporary" : "chat.empty")}
        action={
          isGuide && (
            <div className={styles.starters}>
              {starters.map((id) => (
                <Chip key={id} onClick={() => onPick(t(id))}>
                  {t(id)}
                </Chip>
              ))}
            </div>
          )
        }
      >
        {t(isTemporary ? "chat.temporary.hint" : isGuide ? "chat.empty.guide" : "chat.empty.text")}
      </EmptyState>
    </div>
  );
}

/** A conversation's skeleton. */
export function ThreadSkeleton() {
  useViewerList("coming");
  return (
    <div className={styles.skeleton} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <Skeleton className={styles.skeletonMine} width="46%" height={46} radius={14} />
      <SkeletonText lines={5} />
      <Skeleton className={styles.skeletonMine} width="34%" height={46} radius={14} />
      <SkeletonText lines={4} />
    </div>
  );
}

/** Renders nothing for a loaded thread while its code loads. */
export function PendingThread() {
  useViewerList("coming");
  return null;
}

/** Replaces the composer for viewers. */
export function ReadOnlyNote({
  isShared,
  canBegin,
  onNew,
}: {
  isShared: boolean;
  canBegin: boolean;
  onNew: () => void;
}) {
  return (
    <div className={styles.readOnly}>
      <span>{t(isShared ? "chat.readOnly.shared" : "chat.readOnly.viewer")}</span>
      {isShared && canBegin && (
        <Button icon={SquarePen} size="small" onClick={onNew}>
          {t("chat.new")}
        </Button>
      )}
    </div>
  );
}
