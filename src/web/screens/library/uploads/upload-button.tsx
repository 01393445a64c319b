import { Upload } from "lucide-react";
import { useRef } from "react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";

/** Chooses files to upload. `isShort` shows only the icon. */
export function UploadButton({
  onFiles,
  isShort = false,
}: {
  onFiles: (files: File[]) => void;
  isShort?: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  const open = () => input.current?.click();
  return (
    <>
      {isShort ? (
        <IconButton icon={Upload} label={t("library.upload")} onClick={open} />
      ) : (
        <Button icon={Upload} onClick={open}>
          {t("library.upload")}
        </Button>
      )}
      <input
        ref={input}
        id="library-upload"
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // Otherwise the same file couldn't be picked again.
          event.target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
