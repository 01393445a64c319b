import { useEffect, useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { UploadList } from "../../components/asset/uploads/upload-list.tsx";
import { useUploads } from "../../components/asset/uploads/use-uploads.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";

type PageUploadsProps = {
  projectId: string;
  /** The files of each drop so far, newest last. */
  dropped: readonly File[][];
  onUploaded: (asset: Asset) => void;
};

/** Uploads the files of each drop, and reports the first of them. */
export function PageUploads({ projectId, dropped, onUploaded }: PageUploadsProps) {
  const toast = useToast();
  const { uploads, add, retry, ...ways } = useUploads(projectId);
  const taken = useRef(0);
  const take = async (files: readonly File[]) => {
    const kept = await add(files);
    if (kept.length > 1) toast({ text: t("create.drop.kept", { count: kept.length }) });
    if (kept[0]) onUploaded(kept[0]);
  };
  useEffect(() => {
    const fresh = dropped.slice(taken.current);
    taken.current = dropped.length;
    for (const files of fresh) void take(files);
  }, [dropped]);
  const again = async (id: number) => {
    const asset = await retry(id);
    if (asset) onUploaded(asset);
  };
  // Finished uploads are offered in a dialog.
  const shown = uploads.filter(({ state }) => state !== "done");
  return <UploadList uploads={{ ...ways, uploads: shown, retry: again }} />;
}
