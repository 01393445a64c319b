import { useEffect } from "react";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import type { Drawing } from "./drawing/drawing.ts";

/**
 * Adds pasted pictures to the drawing.
 * @returns a function that adds chosen and dropped files
 */
export function usePictures(drawing: Drawing): (file: File) => Promise<void> {
  const toast = useToast();
  const put = async (file: File) => {
    const picture = await createImageBitmap(file).catch(() => null);
    if (picture) drawing.putPicture(picture);
    else
      toast({
        kind: "error",
        text: t("draw.picture.failed", { name: file.name || t("draw.picture") }),
      });
  };
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) =>
        type.startsWith("image/"),
      );
      if (!file) return;
      event.preventDefault();
      void put(file);
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  });
  return put;
}
