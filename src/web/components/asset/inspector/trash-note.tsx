import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { InspectorActions } from "../../../frame/inspector.tsx";
import { formatWhen } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useNow } from "../../../ui/display/time.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./asset-inspector.module.css";
import { useAssetActions } from "./use-asset-actions.ts";

const dayMs = 24 * 60 * 60_000;

/** How long a trashed asset can still be restored, with the buttons to restore or delete it. */
export function TrashNote({ asset, canEdit }: { asset: Asset; canEdit: boolean }) {
  const { act, isPending } = useAssetActions();
  const [isAsking, setAsking] = useState(false);
  const trashedAt = asset.trashedAt ?? 0;
  // `useNow` lags by up to 30 seconds and must not precede the trashing.
  const now = Math.max(useNow(), trashedAt);
  const days = Math.max(0, Math.ceil((trashedAt + limits.trashMs - now) / dayMs));
  return (
    <div className={styles.trash}>
      <p>{t("asset.trashed", { when: formatWhen(trashedAt, now), days })}</p>
      {canEdit && (
        <InspectorActions>
          <Button icon={RotateCcw} disabled={isPending} onClick={() => act("restore", [asset.id])}>
            {t("selection.restore")}
          </Button>
          <Button
            variant="danger"
            icon={Trash2}
            disabled={isPending}
            onClick={() => setAsking(true)}
          >
            {t("selection.delete")}
          </Button>
        </InspectorActions>
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t("selection.delete.title", { count: 1 })}
        confirmLabel={t("selection.delete")}
        danger
        busy={isPending}
        onConfirm={() => {
          setAsking(false);
          act("delete", [asset.id]);
        }}
      >
        {t("selection.delete.text")}
      </ConfirmDialog>
    </div>
  );
}
