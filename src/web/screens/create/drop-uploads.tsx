import { ImageUp } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { UploadList } from "../../components/asset/uploads/upload-list.tsx";
import { useUploads } from "../../components/asset/uploads/use-uploads.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./create.module.css";
import { usePageDrop } from "./use-page-drop.ts";

/** Uploads files dropped or pasted on the page, then reports the first one. */
export function DropUploads({
  projectId,
  isEnabled,
  onUploaded,
}: {
  projectId: string;
  isEnabled: boolean;
  onUploaded: (asset: Asset) => void;
}) {
  const toast = useToast();
  const { uploads, add, retry, ...ways } = useUploads(projectId);
  const take = async (files: readonly File[]) => {
    const kept = await add(files);
    if (kept.length > 1) toast({ text: t("create.drop.kept", { count: kept.length }) });
    if (kept[0]) onUploaded(kept[0]);
  };
  const again = async (id: number) => {
    const asset = await retry(id);
    if (asset) onUploaded(asset);
  };
  const isOver = usePageDrop(isEnabled, (files) => void take(files));
  // Finished uploads are offered in a dialog.
  const shown = uploads.filter(({ state }) => state !== "done");
  return (
    <>
      {isOver && (
        <div className={styles.drop}>
          <ImageUp aria-hidden />
          <p>{t("create.drop")}</p>
        </div>
      )}
      <UploadList uploads={{ ...ways, uploads: shown, retry: again }} />
    </>
  );
}
