import {
  BookmarkCheck,
  Columns2,
  Download,
  FileArchive,
  Files,
  FolderInput,
  FolderMinus,
  FolderPlus,
  ImagePlus,
  type LucideIcon,
  RotateCcw,
  Star,
  Tag,
  ThumbsDown,
  Trash2,
  X,
} from "lucide-react";
import { useState } from "react";
import { limits } from "#contract/limits.ts";
import type { AssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import { useCompareAction } from "../../../components/compare/use-compare-action.ts";
import type { ActionTarget } from "../../../data/queries/library.queries.ts";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { type Command, useCommands } from "../../../frame/commands.tsx";
import { type MessageId, t } from "../../../messages/t.ts";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { Menu } from "../../../ui/overlays/menu.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import { saveFiles, saveZip } from "./save-files.ts";
import styles from "./selection-bar.module.css";

type SelectionBarProps = {
  ids: string[];
  /** Everything in the gallery but exceptions is selected, including items that aren't loaded. */
  isAll: boolean;
  /** The number of selected items. */
  count: number;
  /** The number of items in the gallery. */
  matching: number;
  target: ActionTarget;
  actions: AssetActions;
  isTrash: boolean;
  areKept: boolean;
  onSelectAll: () => void;
  onClear: () => void;
  /** Called after an act that took the selected items out of the view. */
  onActed: () => void;
  onTag: () => void;
  onCollect: () => void;
  onMove: () => void;
  /** Given inside a collection. */
  collection?: { onRemove: () => void; onCover?: (() => void) | undefined } | undefined;
};

/** Actions on the selected items. */
export function SelectionBar({
  ids,
  isAll,
  count,
  matching,
  target,
  actions,
  isTrash,
  areKept,
  onSelectAll,
  onClear,
  onActed,
  onTag,
  onCollect,
  onMove,
  collection,
}: SelectionBarProps) {
  const { act, isPending, canEdit, projectId } = actions;
  const canSelectAll = isAll || ids.length >= Math.min(matching, limits.selectionAssets);
  const [isAsking, setAsking] = useState(false);
  const [announced, setAnnounced] = useState<"selection.kept" | "selection.unkept" | null>(null);
  const button = { type: "button", className: styles.button, disabled: isPending } as const;
  const compare = useCompareAction(canEdit && !isAll && !isTrash ? ids : []);
  useCommands(
    canEdit
      ? listBarCommands({
          collection,
          compare,
          isTrash,
          onRestore: () => act("restore", target, onActed),
          onDelete: () => setAsking(true),
        })
      : [],
  );
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
        {t("selection.count", { count })}
      </span>
      {canSelectAll && count < matching && (
        <button {...button} onClick={onSelectAll}>
          {t("selection.allMatching", { count: matching })}
        </button>
      )}
      <VisuallyHidden live="polite">{announced && t(announced, { count })}</VisuallyHidden>
      {isTrash && canEdit && (
        <>
          <button {...button} onClick={() => act("restore", target, onActed)}>
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
            title={t("selection.delete.title", { count })}
            confirmLabel={t("selection.delete")}
            danger
            busy={isPending}
            onConfirm={() => {
              setAsking(false);
              act("delete", target, onActed);
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
                act(areKept ? "unkeep" : "keep", target, () =>
                  setAnnounced(areKept ? "selection.unkept" : "selection.kept"),
                )
              }
            >
              <BookmarkCheck aria-hidden />
              {areKept ? t("selection.unkeep") : t("selection.keep")}
            </button>
          )}
          {canEdit && (
            <>
              <button
                {...button}
                className={styles.icon}
                aria-label={t("selection.reject")}
                data-tooltip={t("selection.reject")}
                onClick={() => act("reject", target)}
              >
                <ThumbsDown aria-hidden />
              </button>
              <Menu
                label={t("selection.rate")}
                side="top"
                align="center"
                entries={[5, 4, 3, 2, 1, 0].map((rating) => ({
                  label: t("asset.rate", { stars: rating }),
                  shortcut: String(rating),
                  onSelect: () => act({ action: "rate", rating }, target),
                }))}
                trigger={
                  <button
                    {...button}
                    className={styles.icon}
                    aria-label={t("selection.rate")}
                    data-tooltip={t("selection.rate")}
                  >
                    <Star aria-hidden />
                  </button>
                }
              />
            </>
          )}
          {canEdit && (
            <button {...button} onClick={onTag}>
              <Tag aria-hidden />
              <span className={styles.word}>{t("selection.tag")}</span>
            </button>
          )}
          {canEdit && (
            <button {...button} onClick={onCollect}>
              <FolderPlus aria-hidden />
              <span className={styles.word}>{t("selection.collect")}</span>
            </button>
          )}
          {canEdit && collection?.onCover && (
            <button
              {...button}
              className={styles.icon}
              aria-label={t("library.collection.cover")}
              data-tooltip={t("library.collection.cover")}
              onClick={collection.onCover}
            >
              <ImagePlus aria-hidden />
            </button>
          )}
          {canEdit && collection && (
            <button
              {...button}
              className={styles.icon}
              aria-label={t("selection.uncollect")}
              data-tooltip={t("selection.uncollect")}
              onClick={collection.onRemove}
            >
              <FolderMinus aria-hidden />
            </button>
          )}
          {canEdit && (
            <button
              {...button}
              className={styles.icon}
              aria-label={t("move.act")}
              data-tooltip={t("move.act")}
              onClick={onMove}
            >
              <FolderInput aria-hidden />
            </button>
          )}
          {compare && (
            <button {...button} disabled={compare.isPending} onClick={compare.run}>
              <Columns2 aria-hidden />
              {compare.title}
            </button>
          )}
          <DownloadMenu ids={ids} count={count} projectId={projectId} target={target} />
          {canEdit && (
            <button
              {...button}
              className={styles.icon}
              aria-label={t("selection.trash")}
              data-tooltip={t("selection.trash")}
              onClick={() => act("trash", target, onActed)}
            >
              <Trash2 aria-hidden />
            </button>
          )}
        </>
      )}
    </section>
  );
}

/** The bar's acts without a shortcut; `useSelectionKeys` has the others. */
function listBarCommands({
  collection,
  compare,
  isTrash,
  onRestore,
  onDelete,
}: Pick<SelectionBarProps, "collection" | "isTrash"> & {
  compare: ReturnType<typeof useCompareAction>;
  onRestore: () => void;
  onDelete: () => void;
}): Command[] {
  const group = t("selection.group");
  const command = (title: MessageId, icon: LucideIcon, run: () => void): Command => ({
    id: title,
    title: t(title),
    group,
    icon,
    run,
  });
  if (isTrash)
    return [
      command("selection.restore", RotateCcw, onRestore),
      command("selection.delete", Trash2, onDelete),
    ];
  return [
    ...(collection?.onCover
      ? [command("library.collection.cover", ImagePlus, collection.onCover)]
      : []),
    ...(collection ? [command("selection.uncollect", FolderMinus, collection.onRemove)] : []),
    ...(compare && !compare.isPending ? [command("compare.act", Columns2, compare.run)] : []),
  ];
}

type DownloadMenuProps = {
  ids: readonly string[];
  count: number;
  projectId: string;
  target: ActionTarget;
};

function DownloadMenu({ ids, count, projectId, target }: DownloadMenuProps) {
  const toast = useToast();
  const showError = useErrorToast();
  const save = () => {
    const most = limits.actAssets;
    if (count <= most) return saveZip(projectId, target, showError);
    toast({
      text: t("selection.zipMost", { most }),
      detail: t("selection.zipMost.detail"),
      kind: "error",
    });
  };
  return (
    <ActionMenu
      label={t("selection.download")}
      side="top"
      align="center"
      entries={[
        {
          label: t("selection.download.zip"),
          detail: t("selection.download.zip.detail"),
          icon: FileArchive,
          onSelect: save,
        },
        {
          label: t("selection.download.files", { count }),
          icon: Files,
          // A selection that isn't fully loaded would be incomplete.
          disabled: count > ids.length,
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
