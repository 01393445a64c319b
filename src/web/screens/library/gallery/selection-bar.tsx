import { BookmarkCheck, Download, FileArchive, Files, RotateCcw, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useAssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import { t } from "../../../messages/t.ts";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { Menu } from "../../../ui/overlays/menu.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import { saveAddress, saveFiles, zipUrl } from "./drag-out.ts";
import styles from "./selection-bar.module.css";

/** A URL can have 16 KB (Node's limit for request headers), and each id takes 37 characters. */
const zipMost = 400;

type SelectionBarProps = {
  ids: string[];
  isTrash: boolean;
  areKept: boolean;
  onClear: () => void;
};

/** Actions on the selected items. */
export function SelectionBar({ ids, isTrash, areKept, onClear }: SelectionBarProps) {
  const { act, isPending, canEdit } = useAssetActions();
  const [isAsking, setAsking] = useState(false);
  const [announced, setAnnounced] = useState<"selection.kept" | "selection.unkept" | null>(null);
  const button = { type: "button", className: styles.button, disabled: isPending } as const;
  return (
    <section className={styles.bar} aria-label={t("selection.bar")}>
      <button
        type="button"
        className={styles.icon}
        aria-label={t("selection.clear")}
        data-tooltip={t("selection.clear")}
        onClick={onClear}
      >
        <X aria-hidden />
      </button>
      <span className={styles.count} role="status">
        {t("selection.count", { count: ids.length })}
      </span>
      <VisuallyHidden live="polite">
        {announced && t(announced, { count: ids.length })}
      </VisuallyHidden>
      {isTrash && canEdit && (
        <>
          <button {...button} onClick={() => act("restore", ids, onClear)}>
            <RotateCcw aria-hidden />
            {t("selection.restore")}
          </button>
          <button {...button} onClick={() => setAsking(true)}>
            <Trash2 aria-hidden />
            {t("selection.delete")}
          </button>
          <ConfirmDialog
            open={isAsking}
            onOpenChange={setAsking}
            title={t("selection.delete.title", { count: ids.length })}
            confirmLabel={t("selection.delete")}
            danger
            busy={isPending}
            onConfirm={() => {
              setAsking(false);
              act("delete", ids, onClear);
            }}
          >
            {t("selection.delete.text")}
          </ConfirmDialog>
        </>
      )}
      {!isTrash && (
        <>
          {canEdit && (
            <button
              {...button}
              onClick={() =>
                act(areKept ? "unkeep" : "keep", ids, () =>
                  setAnnounced(areKept ? "selection.unkept" : "selection.kept"),
                )
              }
            >
              <BookmarkCheck aria-hidden />
              {areKept ? t("selection.unkeep") : t("selection.keep")}
            </button>
          )}
          <DownloadMenu ids={ids} />
          {canEdit && (
            <button
              {...button}
              className={styles.icon}
              aria-label={t("selection.trash")}
              data-tooltip={t("selection.trash")}
              onClick={() => act("trash", ids, onClear)}
            >
              <Trash2 aria-hidden />
            </button>
          )}
        </>
      )}
    </section>
  );
}

function DownloadMenu({ ids }: { ids: readonly string[] }) {
  const { projectId } = useAssetActions();
  const toast = useToast();
  const saveZip = () => {
    if (ids.length <= zipMost) return saveAddress(zipUrl(projectId, ids));
    toast({
      text: t("selection.zipMost", { most: zipMost }),
      detail: t("selection.zipMost.detail"),
      kind: "error",
    });
  };
  return (
    <Menu
      label={t("selection.download")}
      side="top"
      align="center"
      entries={[
        {
          label: t("selection.download.zip"),
          detail: t("selection.download.zip.detail"),
          icon: FileArchive,
          onSelect: saveZip,
        },
        {
          label: t("selection.download.files", { count: ids.length }),
          icon: Files,
          onSelect: () => void saveFiles(ids),
        },
      ]}
      trigger={
        <button type="button" className={styles.button}>
          <Download aria-hidden />
          {t("selection.download")}
        </button>
      }
    />
  );
}
