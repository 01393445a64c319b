import { ImageUp } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { uploadFile } from "../../data/upload.ts";
import { t } from "../../messages/t.ts";
import { describeError } from "../../ui/describe-error.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./create.module.css";
import { SendingFile, useSending } from "./sending-file.tsx";
import { usePageDrop } from "./use-page-drop.ts";

/** Takes what is dropped or pasted on the page into the library, and tells of the first file when all are there. */
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
  const { sending, begin, end } = useSending();
  const take = async (files: File[]) => {
    const kept: Asset[] = [];
    for (const file of files) {
      const options = begin(file);
      try {
        kept.push(await uploadFile(projectId, file, options));
      } catch (error) {
        if (options.signal.aborted) continue;
        const { title, advice } = describeError(error);
        toast({
          kind: "error",
          text: t("create.drop.failed", { name: file.name, reason: title }),
          detail: advice,
        });
      }
    }
    end();
    if (kept.length > 1) toast({ text: t("create.drop.kept", { count: kept.length }) });
    if (kept[0]) onUploaded(kept[0]);
  };
  const isOver = usePageDrop(isEnabled, (files) => void take(files));
  return (
    <>
      {isOver && (
        <div className={styles.drop}>
          <ImageUp aria-hidden />
          <p>{t("create.drop")}</p>
        </div>
      )}
      {sending && (
        <div className={styles.sending} role="status">
          <SendingFile {...sending} />
        </div>
      )}
    </>
  );
}
