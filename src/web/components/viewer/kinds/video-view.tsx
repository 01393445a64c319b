import { Film, StepBack, StepForward } from "lucide-react";
import { useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { useCommands } from "../../../frame/commands.tsx";
import { formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl, posterUrl } from "../../asset/asset-urls.ts";
import { FileMissing } from "./file-missing.tsx";
import styles from "./media.module.css";
import { MediaBar } from "./media-bar.tsx";
import { useFrames } from "./use-frames.ts";
import { useMedia } from "./use-media.ts";

/** A video with its controls: full length, frame by frame, looped, slower or faster. */
export function VideoView({ asset, onRetry }: { asset: Asset; onRetry: () => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const media = useMedia(video, asset.durationMs);
  const step = useFrames(video, media.seek);
  useCommands(
    ([-1, 1] as const).map((by) => ({
      id: `viewer.frame${by}`,
      title: t(by < 0 ? "viewer.frame.previous" : "viewer.frame.next"),
      group: t("viewer.title"),
      shortcut: by < 0 ? "," : ".",
      isFoundOnly: true,
      repeats: true,
      run: () => step(by),
    })),
    "cover",
  );
  if (media.isBroken) return <FileMissing icon={Film} onRetry={onRetry} />;
  return (
    <div className={styles.film}>
      <div className={styles.screen}>
        <video
          ref={video}
          src={fileUrl(asset.id)}
          poster={posterUrl(asset)}
          playsInline
          preload="auto"
          aria-label={assetName(asset)}
          {...media.handlers}
          onClick={media.toggle}
        />
      </div>
      <MediaBar
        media={media}
        slider={
          <input
            type="range"
            className={styles.range}
            aria-label={t("asset.sound.place")}
            aria-valuetext={formatClip(media.atMs)}
            min={0}
            max={Math.max(1, Math.round(media.lengthMs))}
            step={1}
            value={Math.round(media.atMs)}
            onChange={(event) => media.seek(event.target.valueAsNumber)}
          />
        }
      >
        <IconButton
          icon={StepBack}
          label={t("viewer.frame.previous")}
          shortcut=","
          onClick={() => step(-1)}
        />
        <IconButton
          icon={StepForward}
          label={t("viewer.frame.next")}
          shortcut="."
          onClick={() => step(1)}
        />
      </MediaBar>
    </div>
  );
}
