import { Download, Maximize, Pin } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useActions } from "../../frame/action-button.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import type { ShownFrame } from "./connection/canvas-connection.ts";
import styles from "./draw.module.css";

type LiveFrameProps = {
  frame: ShownFrame | null;
  isBehind: boolean;
  prompt: string;
  isPinning: boolean;
  mayPin: boolean;
  onPin: () => void;
  onOpen: () => void;
};

/** The model's picture, on a canvas because an img element would flicker between frames. */
export function LiveFrame({
  frame,
  isBehind,
  prompt,
  isPinning,
  mayPin,
  onPin,
  onOpen,
}: LiveFrameProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  useEffect(() => {
    if (!frame) return;
    let isCurrent = true;
    createImageBitmap(frame.blob).then(
      (picture) => {
        const element = canvas.current;
        if (isCurrent && element) {
          if (element.width !== picture.width) element.width = picture.width;
          if (element.height !== picture.height) element.height = picture.height;
          element.getContext("2d")?.drawImage(picture, 0, 0);
          element.dataset.frame = String(frame.frame);
          setSize((before) =>
            before?.width === picture.width && before.height === picture.height
              ? before
              : { width: picture.width, height: picture.height },
          );
        }
        picture.close();
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [frame]);
  const download = () => {
    if (!frame) return;
    const url = URL.createObjectURL(frame.blob);
    const link = document.createElement("a");
    link.href = url;
    link.download = `${(prompt || t("draw.frame")).slice(0, 60)}.${frame.mime.split("/")[1] ?? "png"}`;
    link.click();
    URL.revokeObjectURL(url);
  };
  useActions(
    size
      ? [
          { id: "draw.download", title: t("draw.download"), icon: Download, run: download },
          ...(mayPin
            ? [{ id: "draw.open", title: t("draw.open"), icon: Maximize, run: onOpen }]
            : []),
        ]
      : [],
  );
  return (
    <div className={styles.frame}>
      <canvas
        ref={canvas}
        width={1}
        height={1}
        className={styles.picture}
        hidden={!size}
        role="img"
        aria-busy={isBehind}
        aria-label={
          size ? t("draw.frame.said", { prompt: prompt || "…", ...size }) : t("draw.frame")
        }
      />
      {size && mayPin && (
        <button
          type="button"
          className={styles.open}
          aria-label={t("draw.open")}
          data-tooltip={t("draw.open")}
          onClick={onOpen}
        />
      )}
      {!size && <p className={styles.none}>{t("draw.frame.none")}</p>}
      {size && (
        <div className={styles.frameActions}>
          <IconButton
            icon={Download}
            label={t("draw.download")}
            variant="bordered"
            onClick={download}
          />
          {mayPin && (
            <Button icon={Pin} variant="primary" busy={isPinning} onClick={onPin}>
              {t("draw.pin")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
