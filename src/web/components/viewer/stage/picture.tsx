import { ImageOff } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { pictureUrl, thumbnailUrl } from "../../asset/asset-urls.ts";
import styles from "./stage.module.css";
import type { PictureZoom } from "./use-zoom.ts";

/** The person asked the browser to save data: a neighbor is loaded when it is turned to. */
const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

type PictureProps = { asset: Asset; zoom: PictureZoom; isShown: boolean };

/** A picture at its size and place, over its thumbnail until it is decoded. A neighbor is decoded before it is shown. */
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
  // A neighbor that could not be loaded is asked for again when it is turned to.
  if (isShown !== wasShown) {
    setWasShown(isShown);
    if (isShown && state === "failed") setState("loading");
  }
  if (state === "failed")
    return (
      isShown && (
        <div className={styles.middle}>
          <EmptyState
            icon={ImageOff}
            title={t("viewer.missing")}
            action={<Button onClick={() => setState("loading")}>{t("ui.tryAgain")}</Button>}
          >
            {t("viewer.missing.text")}
          </EmptyState>
        </div>
      )
    );
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
