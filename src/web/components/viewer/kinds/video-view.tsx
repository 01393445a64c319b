import { Film, StepBack, StepForward } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { useCommands } from "../../../frame/commands.tsx";
import { formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl, posterUrl } from "../../asset/asset-urls.ts";
import styles from "./media.module.css";
import { MediaBar } from "./media-bar.tsx";
import { useMedia } from "./use-media.ts";

/** The assumed frame duration before the video has played: 1/30 s. */
const usualFrameMs = 1_000 / 30;

/** A video with its controls: full length, frame by frame, looped, slower or faster. */
export function VideoView({ asset }: { asset: Asset }) {
  const video = useRef<HTMLVideoElement>(null);
  const media = useMedia(video, asset.durationMs);
  const frameMs = useFrameLength(video);
  const step = (by: -1 | 1) => {
    if (!video.current) return;
    video.current.pause();
    media.seek(video.current.currentTime * 1000 + by * frameMs.current);
  };
  useCommands(
    ([-1, 1] as const).map((by) => ({
      id: `viewer.frame${by}`,
      title: t(by < 0 ? "viewer.frame.previous" : "viewer.frame.next"),
      group: t("viewer.title"),
      shortcut: by < 0 ? "," : ".",
      isKeyOnly: true,
      repeats: true,
      run: () => step(by),
    })),
    "cover",
  );
  if (media.isBroken)
    return (
      <div className={styles.broken}>
        <EmptyState icon={Film} title={t("viewer.missing")}>
          {t("viewer.missing.text")}
        </EmptyState>
      </div>
    );
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

/**
 * The duration of a frame, measured from displayed frames, because the file's frame rate isn't
 * known here.
 */
function useFrameLength(video: React.RefObject<HTMLVideoElement | null>) {
  const frameMs = useRef(usualFrameMs);
  useEffect(() => {
    const element = video.current;
    if (!element || !("requestVideoFrameCallback" in element)) return undefined;
    let last: { at: number; frames: number } | null = null;
    let request = 0;
    const onFrame: VideoFrameRequestCallback = (_now, { mediaTime, presentedFrames }) => {
      if (last && presentedFrames === last.frames + 1 && !element.paused) {
        const length = (mediaTime - last.at) * 1000;
        if (length > 4 && length < 250) frameMs.current = length;
      }
      last = { at: mediaTime, frames: presentedFrames };
      request = element.requestVideoFrameCallback(onFrame);
    };
    request = element.requestVideoFrameCallback(onFrame);
    return () => element.cancelVideoFrameCallback(request);
  }, [video]);
  return frameMs;
}
