import { ImageOff } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../asset/asset-name.ts";
import { pictureUrl, thumbnailUrl } from "../../asset/asset-urls.ts";
import { FileMissing } from "../kinds/file-missing.tsx";
import styles from "./stage.module.css";
import type { PictureZoom } from "./use-zoom.ts";

/** The browser's data saver is on: a neighbor loads only when it is shown. */
const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

type PictureProps = { asset: Asset; zoom: PictureZoom; isShown: boolean };

/**
 * A picture at its size and position, over its thumbnail until it is decoded. Neighbors are decoded
 * before they are shown.
 */
export function Picture({ asset, zoom, isShown }: PictureProps) {
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");
  const [wasShown, setWasShown] = useState(isShown);
  const drawn = zoom.drawn(asset);
  const style = drawn
    ? {
        width: drawn.own.width * drawn.zoom.scale,
        height: drawn.own.height * drawn.zoom.scale,
        transform: `translate(calc(-50% + ${drawn.zoom.x}px), calc(-50% + ${drawn.zoom.y}px))`,
      }
    : undefined;
  // Retries a neighbor that failed to load when it is shown.
  if (isShown !== wasShown) {
    setWasShown(isShown);
    if (isShown && state === "failed") setState("loading");
  }
  if (state === "failed")
    return isShown && <FileMissing icon={ImageOff} onRetry={() => setState("loading")} />;
  return (
    <>
      {state === "loading" && drawn && (
        <img
          src={thumbnailUrl(asset, 640) ?? undefined}
          alt=""
          className={styles.picture}
          style={style}
        />
      )}
      {(isShown || !savesData()) && (
        <img
          src={pictureUrl(asset)}
          alt={asset.promptText || assetName(asset)}
          draggable={false}
          fetchPriority={isShown ? "high" : "low"}
          className={styles.picture}
          style={style}
          onLoad={({ currentTarget: image }) => {
            const { naturalWidth, naturalHeight } = image;
            zoom.measure(asset.id, { width: naturalWidth, height: naturalHeight });
            const show = () => setState("ready");
            image.decode().then(show, show);
          }}
          onError={() => setState("failed")}
        />
      )}
    </>
  );
}
