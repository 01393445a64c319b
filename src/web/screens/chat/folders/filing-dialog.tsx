import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { filingQuery, foldersQuery } from "../../../data/queries/chat.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { folderLines } from "./folder-tree.ts";
import styles from "./folders.module.css";
import { TagsField } from "./tags-field.tsx";
import { useFolderActions } from "./use-folder-actions.ts";

export type FilingDialogProps = {
  projectId: string;
  conversationId: string;
  onClose: () => void;
};

/** A conversation's folder and tags: the keyboard's alternative to dragging. */
export function FilingDialog({ projectId, conversationId, onClose }: FilingDialogProps) {
  const foldersRead = useQuery(foldersQuery(projectId));
  const filingRead = useQuery(filingQuery(projectId, conversationId));
  const folders = foldersRead.data?.folders;
  const filing = filingRead.data;
  const isRead = folders !== undefined && filing !== undefined;
  const error = foldersRead.error ?? filingRead.error;
  const actions = useFolderActions(projectId);
  const [folderId, setFolderId] = useState<string>();
  const [tags, setTags] = useState<string[]>();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const chosen = {
      ...(folderId !== undefined && { folderId: folderId || null }),
      ...(tags !== undefined && { tags }),
    };
    if (await actions.file(conversationId, chosen)) onClose();
    else setBusy(false);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("chat.filing")}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant="primary" busy={isBusy} disabled={!isRead} onClick={() => void save()}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      {isRead ? (
        <div className={styles.form}>
          <SelectField
            label={t("chat.folder")}
            value={folderId ?? filing.folderId ?? ""}
            onValueChange={setFolderId}
            options={[
              { value: "", label: t("chat.folder.none") },
              ...folderLines(folders).map(({ id, name, depth }) => ({
                value: id,
                label: `${"\u2003".repeat(depth)}${name}`,
              })),
            ]}
          />
          <TagsField projectId={projectId} value={tags ?? filing.tags} onValueChange={setTags} />
        </div>
      ) : error ? (
        <ErrorState
          compact
          error={error}
          onRetry={() => void Promise.all([foldersRead.refetch(), filingRead.refetch()])}
        />
      ) : (
        <SkeletonText lines={4} />
      )}
    </Dialog>
  );
}
