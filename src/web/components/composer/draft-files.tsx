import { variantUrl } from "../asset/asset-urls.ts";
import { Attachment } from "./attachment.tsx";
import type { DraftFile } from "./message-draft.ts";
import type { useAttachments } from "./use-attachments.ts";

type DraftFilesProps = {
  files: readonly DraftFile[];
  attachments: ReturnType<typeof useAttachments>;
};

/** A draft's files, uploaded and uploading. */
export function DraftFiles({ files, attachments }: DraftFilesProps) {
  return (
    <>
      {files.map(({ assetId, name, kind }) => (
        <Attachment
          key={assetId}
          name={name}
          thumbnail={kind === "image" ? variantUrl(assetId, "thumb-320.webp") : null}
          onRemove={() => attachments.remove(assetId)}
        />
      ))}
      {attachments.uploading.map(({ id, name, share, held, stop }) => (
        <Attachment key={id} name={name} detail={held} progress={share} onRemove={stop} />
      ))}
    </>
  );
}
